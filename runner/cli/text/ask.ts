import type { Ask } from '../../../shared/ask/types.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import { sayDuration } from './duration.ts';

/**
 * The whole ask for a terminal, line by line: nothing is cut, and every text of the request is made
 * display-safe, so that no command can draw over its own prompt.
 */
export function askLines(ask: Ask, now: number): readonly string[] {
  const field = (name: string, value: string | null): readonly string[] =>
    value === null || value === '' ? [] : [`  ${name.padEnd(9)}${displayPlain(value)}`];
  return [
    `${ask.kind} ${ask.id}`,
    ...field('agent', ask.session === null ? ask.agent : `${ask.agent}, session ${ask.session}`),
    ...field(
      'asked by',
      ask.ancestry.map(({ name, pid }) => `${name} (${String(pid)})`).join(' ← '),
    ),
    ...field('host', ask.host),
    ...field('folder', ask.cwd),
    ...field('says', ask.statedReason),
    ...field('why ask', ask.why),
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
