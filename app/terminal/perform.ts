import type { BridgeCalls, HistoryEntry } from '../bridge/types.ts';
import type { UiHost } from '../host/types.ts';
import type { Effect, Message } from './screen-state.ts';

const done: Readonly<Record<BridgeCalls['answer']['args']['decision'], string>> = {
  deny: 'Denied.',
  'allow-once': 'Allowed once.',
  'allow-always': 'Allowed, and remembered.',
};

/** Does what a key asked for, and yields the sentence that says what became of it. */
export async function performEffect(
  host: Pick<UiHost, 'handle'>,
  effect: Exclude<Effect, { type: 'quit' | 'history' }>,
): Promise<Message> {
  if (effect.type === 'answers') return answerAll(host, effect);
  const answer =
    effect.type === 'lockout'
      ? await host.handle('lockout', { reason: 'from the terminal' })
      : await host.handle('answer', effect.answer);
  if (!answer.ok) {
    return { text: `${answer.refusal.message} ${answer.refusal.hint}`, tone: 'danger' };
  }
  if (effect.type === 'answer') {
    const { accepted } = answer.result as BridgeCalls['answer']['result'];
    return accepted
      ? { text: done[effect.answer.decision], tone: 'good' }
      : { text: 'Too late: the request was gone already.', tone: 'caution' };
  }
  const { stopped, keysRotated, runnerReached } = answer.result as BridgeCalls['lockout']['result'];
  const text =
    runnerReached === false
      ? `Locked without a runner. Commands stopped: ${stopped}. Keys rotated: ${keysRotated}.`
      : `Locked. Commands stopped: ${stopped}. Keys rotated: ${keysRotated}.`;
  return { text, tone: 'danger' };
}

async function answerAll(
  host: Pick<UiHost, 'handle'>,
  { answers, decision }: Extract<Effect, { type: 'answers' }>,
): Promise<Message> {
  const answer = await host.handle('answerMany', { answers });
  if (!answer.ok)
    return { text: `${answer.refusal.message} ${answer.refusal.hint}`, tone: 'danger' };
  const { accepted } = answer.result as BridgeCalls['answerMany']['result'];
  const counted = accepted.filter(Boolean).length;
  const late = accepted.length - counted;
  const word = decision === 'deny' ? 'Denied' : 'Allowed once';
  return {
    text: `${word}: ${String(counted)}.${late === 0 ? '' : ` Gone already: ${String(late)}.`}`,
    tone: late === 0 ? 'good' : 'caution',
  };
}

/** The newest decisions, or the sentence that says why there are none to show. */
export async function readHistory(
  host: Pick<UiHost, 'handle'>,
): Promise<readonly HistoryEntry[] | Message> {
  const answer = await host.handle('history', { offset: 0, limit: 100 });
  if (!answer.ok)
    return { text: `${answer.refusal.message} ${answer.refusal.hint}`, tone: 'danger' };
  return (answer.result as BridgeCalls['history']['result']).entries;
}
