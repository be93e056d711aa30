import { unifiedDiff } from '../../shared/agents/index.ts';
import { refuse } from '../../shared/base/index.ts';
import type { ToolDetail } from '../../shared/engine/index.ts';
import { advise, effectOf } from './advise.ts';
import { bindingDigest } from './binding.ts';
import { answersOf, namesOf } from './answers.ts';
import { match, requireStillAllowed, resolve, situationOf } from './decide.ts';
import { isLock, stopReasonOf, stoppedRefusal } from './in-flight.ts';
import type { RequestInFlight } from './in-flight.ts';
import type { AskDraft, AskEnding, GatePorts } from './ports.ts';
import { composeQuestion } from './question.ts';
import { learn } from './request-context.ts';
import type { Call, Decided, Permission } from './request-context.ts';
import { isMissing } from './route.ts';

/** A yes that needs nobody: the rules', an earlier grant's; null when a person has to be asked. */
export function standingPermission(
  { identity, target, understood, verdict, binding }: Decided,
  { grants }: Pick<GatePorts, 'grants'>,
): Permission | null {
  const { agent, session } = identity;
  if (verdict.decision === 'allow') {
    const granted = verdict.matches.some(({ rule }) => rule?.source === 'grant');
    return granted
      ? { code: 'grant', by: 'person', reason: verdict.message }
      : { code: verdict.reason, by: 'policy', reason: verdict.message };
  }
  if (target.nodeId === undefined && isMissing(understood))
    // Nothing will be started, so there is nothing to ask about: the caller learns "not found".
    return { code: 'not-found', by: 'policy', reason: 'The program does not exist.' };
  const lasting = verdict.reason === 'opaque' || verdict.reason === 'never-trusted';
  const grantable = lasting && verdict.guarded.length === 0;
  if (grantable && grants.covers(agent, session, bindingDigest(binding)))
    return { code: 'grant', by: 'person', reason: 'A person granted this very command.' };
  return null;
}

/**
 * Asks a person, after the advisor where there is one. Answers the permission, or null when nobody
 * could be reached. Everything else that is not a yes is thrown as a refusal.
 */
export async function ask(
  decided: Decided,
  { flight, io }: Call,
  ports: GatePorts,
): Promise<Permission | null> {
  const answered = ports.limits.ask(decided.identity);
  try {
    const advice = await advise(decided, flight.signal, ports);
    requireGoing(flight);
    const effect = effectOf(decided, advice, ports);
    if (effect.kind === 'permission' && (await isKept(decided, ports))) return effect.permission;
    const seen = effect.kind === 'ask' ? { ...decided, verdict: effect.verdict } : decided;
    const relay = decided.incoming.from?.relay;
    const ending = await ports.approver.ask(await draftOf(seen, ports), {
      ...(relay !== undefined && { relay }),
      timeoutMs: decided.policy.askTimeoutMs,
      signal: flight.signal,
      covered: () => coveredBy(decided, ports) !== null,
      onPending: ({ id, expiresAt }) =>
        void io.emit({ type: 'pending', id: flight.id, askId: id, expiresAt }),
    });
    return await permissionOf(ending, decided, ports);
  } finally {
    answered();
  }
}

/** Whether what it changes in the sandbox could be taken back, as for what runs there unasked. */
async function isKept({ identity, target, understood }: Decided, { undo }: GatePorts) {
  const { agent } = identity;
  const { cwd } = understood.command;
  return (await undo.check({ agent, host: target.host.name, cwd })).kind !== 'no';
}

/** How many past commands are held against a proposal. */
const mostAnalysed = 50;

async function draftOf(decided: Decided, ports: GatePorts): Promise<AskDraft> {
  const { identity, verdict } = decided;
  const past = () => ports.audit.pastCommands(identity.agent).slice(0, mostAnalysed);
  const proposed = await ports.engine.propose(situationOf(decided), verdict, past);
  const ancestry = identity.pid === null ? [] : await ports.ancestry(identity.pid);
  return composeQuestion(decided, { ancestry, proposed, change: changeOf(decided, ports) });
}

/** What is new in a script since a person allowed it; null where that is not what the ask is about. */
function changeOf({ verdict }: Decided, { texts }: GatePorts): ToolDetail | null {
  for (const { changed } of verdict.matches) {
    const seen =
      changed === undefined ? null : (texts?.compare(changed.path, changed.sha256) ?? null);
    if (changed === undefined || seen === null) continue;
    return { form: 'diff', text: unifiedDiff(changed.path, seen.before, seen.now) };
  }
  return null;
}

async function permissionOf(
  ending: AskEnding,
  decided: Decided,
  ports: GatePorts,
): Promise<Permission | null> {
  const answers = answersOf(ending);
  const { earlier = [] } = ending;
  learn(decided, { answers, earlier });
  if (ending.kind === 'decided') {
    // Before anything is remembered: "always" must not outlive a rule that came in between.
    if (ending.decision.decision !== 'deny') requireStillAllowed(decided, ports);
    return permissionBy(ending, decided, ports);
  }
  if (ending.kind === 'covered') return coveredNow(decided, ports);
  if (ending.kind === 'unreachable') return null;
  if (ending.kind === 'stopped') {
    // A lock says more itself, such as the box and the reason.
    if (isLock(ending.reason)) requireUnlocked(decided, ports);
    throw stoppedRefusal(ending.reason);
  }
  if (ending.kind === 'expired')
    throw refuse(
      'approval-timeout',
      earlier.length === 0
        ? 'Nobody answered in time.'
        : `${namesOf(answers) ?? ''} said yes, and nobody else did in time; two people are wanted.`,
      'Ask again when a person is there, or find a way that needs no approval.',
    );
  throw refuse('approver-unavailable', ending.detail, 'Ask again once the approver is back.');
}

/**
 * The yes that the rules and grants of this moment give to a command that waits for a person, by the
 * gate's own decision; null where a person still has to be asked, or the rules deny by now. Throws
 * what a lock throws.
 */
function coveredBy(decided: Decided, ports: GatePorts): Permission | null {
  requireUnlocked(decided, ports);
  const policy = resolve(decided, ports);
  const verdict = match({ ...decided, policy }, ports);
  if (verdict.decision === 'deny') return null;
  // What is bound is bound to its host, and a yes for the sandbox is none for this machine.
  if (verdict.decision === 'allow' && verdict.host !== decided.target.host.name) return null;
  return standingPermission({ ...decided, policy, verdict }, ports);
}

/** Throws what a lock of everything, or else of this agent, throws. */
function requireUnlocked(
  { identity }: Pick<Decided, 'identity'>,
  { stops, arming }: Pick<GatePorts, 'stops' | 'arming'>,
): void {
  stops.check();
  arming.check(identity.agent);
}

/** The same once the ask was taken back for it. What was covered a moment ago and is not is refused. */
function coveredNow(decided: Decided, ports: GatePorts): Permission {
  const permission = coveredBy(decided, ports);
  if (permission === null)
    throw refuse(
      'binding-drift',
      'The rule that would have allowed this is gone again.',
      'Ask again.',
    );
  const policy = resolve(decided, ports);
  learn(decided, { policy, verdict: match({ ...decided, policy }, ports) });
  return permission;
}

async function permissionBy(
  { ask: asked, decision, proof }: Extract<AskEnding, { kind: 'decided' }>,
  { binding, answers = [], earlier = [] }: Decided,
  { memory, log }: GatePorts,
): Promise<Permission> {
  if (decision.decision === 'allow-once' || decision.decision === 'allow-always') {
    const yes = { by: 'person', reason: 'A person said yes.' } as const;
    if (proof !== undefined) {
      const reason =
        earlier.length > 0
          ? `${namesOf(answers) ?? ''} said yes, each with a passkey.`
          : `A person said yes with the passkey "${proof.passkey.name}".`;
      return { code: 'allow-once', by: 'person', reason, proof };
    }
    if (decision.decision === 'allow-once') return { code: 'allow-once', ...yes };
    const problem = await memory.remember(asked, decision, binding);
    if (problem !== null) log.warn(problem);
    return { code: 'allow-always', ...yes };
  }
  const note = decision.note?.trim() ?? '';
  const said = /[.!?…]$/u.test(note) ? note : `${note}.`;
  const after = earlier.length === 0 ? '' : ` ${namesOf(answers) ?? ''} had said yes.`;
  throw refuse(
    'confirm-rejected',
    `${note === '' ? 'A person said no.' : `A person said no: ${said}`}${after}`,
    'Do not ask for the same again; take another way or stop.',
  );
}

/** Why an aborted request was stopped, as a refusal. */
export function requireGoing({ signal }: RequestInFlight): void {
  if (signal.aborted) throw stoppedRefusal(stopReasonOf(signal));
}
