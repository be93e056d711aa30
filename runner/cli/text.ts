import { displayPlain } from '../../shared/base/index.ts';
import { agentWords, approversWords, nodeWords } from '../../shared/engine/index.ts';
import type { Ask } from '../../shared/engine/index.ts';
import type { StatusBody } from '../../shared/wire/index.ts';
import { sayDuration } from './options.ts';

/**
 * The whole ask for a terminal, line by line: nothing is cut, and every text of the request is made
 * display-safe, so that no command can draw over its own prompt.
 */
export function askLines(ask: Ask, now: number): readonly string[] {
  const field = (name: string, value: string | null): readonly string[] =>
    value === null || value === '' ? [] : [`  ${name.padEnd(9)}${displayPlain(value)}`];
  return [
    `${ask.kind} ${ask.id}`,
    ...field(
      'agent',
      ask.session === null
        ? agentWords(ask.agent)
        : `${agentWords(ask.agent)}, session ${ask.session}`,
    ),
    ...field(
      'asked by',
      ask.ancestry.map(({ name, pid }) => `${name} (${String(pid)})`).join(' ← '),
    ),
    ...field('node', ask.node === undefined ? null : nodeWords(ask.node)),
    ...field('host', ask.host),
    ...field('folder', ask.cwd),
    ...field('says', ask.statedReason),
    ...field('why ask', ask.why),
    ...field('people', approversWords(ask)),
    ...field('advisor', adviceLine(ask.advice)),
    `  time     ${sayDuration(ask.expiresAt - now)} left`,
    '',
    ...displayPlain(ask.command)
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    ...ask.stages.flatMap((stage, index) => stageLines(stage, index)),
    ...(ask.opaque === null ? [] : [`  not understood: ${displayPlain(ask.opaque.detail)}`]),
    ...ask.env.map(
      ({ name, value, unsafe }) =>
        `  sets ${displayPlain(name)}=${displayPlain(value)}${unsafe ? '   DANGEROUS VARIABLE' : ''}`,
    ),
    ...ask.risk.findings.map(
      ({ level, text }) => `  ${level === 'high' ? 'HIGH RISK' : 'risk'}: ${displayPlain(text)}`,
    ),
  ];
}

/** What an advisor said, marked as what it is. */
function adviceLine(advice: Ask['advice']): string | null {
  if (advice === undefined) return null;
  const { by, answer, reason } = advice;
  return answer === 'none'
    ? `"${by}" gave no answer: ${reason}`
    : `"${by}" says "${answer}", which is only its claim: ${reason}`;
}

function stageLines(stage: Ask['stages'][number], index: number): readonly string[] {
  const missing =
    stage.program === 'builtin' ? 'a part of the shell' : 'a program that was not found';
  const runs = stage.resolvedPath ?? missing;
  const via = stage.via.length === 0 ? '' : ` (through ${stage.via.join(', ')})`;
  return [
    `  ${String(index + 1)}. ${displayPlain(runs)}${displayPlain(via)}: ${displayPlain(stage.why)}`,
    ...stage.writes.map((path) => `     writes ${displayPlain(path)}`),
  ];
}

const modeWords: Readonly<Record<StatusBody['mode'], string>> = {
  armed: 'armed',
  paused: 'PAUSED: new commands are refused; "interlock resume" ends it',
  locked: 'LOCKED: everything is refused until a person unlocks it',
};

/** The status for a person, line by line. Every text from a request is made display-safe. */
export function statusLines(status: StatusBody, now: number): readonly string[] {
  const { mode, reason, approver, policy, running, pending } = status;
  return [
    `runner    pid ${String(status.pid)}, version ${status.version}, up ${sayDuration(now - status.startedAt)}`,
    `gate      ${modeWords[mode]}${reason === null ? '' : ` (${displayPlain(reason)})`}`,
    `approver  ${approver.connected ? 'connected' : 'none: the fallback of the policy decides'} (${approver.socket})`,
    `policy    ${policy.valid ? 'valid' : `NOT VALID, everything is denied: ${policy.problem ?? ''}`}`,
    ...(status.elevated ?? []).map(
      ({ agent, session, as, expiresAt }) =>
        `RAISED    ${agent}, session ${session}: ${oneLine(as)}, ${sayDuration(expiresAt - now)} left`,
    ),
    `running   ${countOf(running.length)}`,
    ...running.map(
      ({ agent, command, pid, startedAt }) =>
        `  ${agentWords(agent)}  pid ${String(pid)}  ${sayDuration(now - startedAt)}  ${oneLine(command)}`,
    ),
    `waiting   ${countOf(pending.length)}`,
    ...pending.map(
      ({ askId, agent, command, expiresAt }) =>
        `  ${askId}  ${agentWords(agent)}  ${sayDuration(expiresAt - now)} left  ${oneLine(command)}`,
    ),
  ];
}

function countOf(count: number): string {
  return count === 0 ? 'nothing' : String(count);
}

/** A command on one line, display-safe, with a visible mark where it was cut. */
export function oneLine(command: string, limit = 100): string {
  const safe = displayPlain(command).replaceAll('\n', '⏎');
  return safe.length <= limit
    ? safe
    : `${safe.slice(0, limit)}… (cut; ${String(safe.length)} characters)`;
}
