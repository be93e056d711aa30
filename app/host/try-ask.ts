import type { RunnerClient } from '../../shared/node/runner-client/types.ts';
import { RefusalError, refuse } from '../../shared/refusal/refusal.ts';
import { guideAgent } from '../bridge/guide.ts';
import type { TriedAsk } from '../bridge/guide.ts';

/** Says something and changes nothing. */
const command = "echo 'Interlock asked, and you answered.'";

export interface TryAskOptions {
  readonly runner: Pick<RunnerClient, 'exec'>;
  /** Absolute; where the command would run. */
  readonly cwd: string;
}

/**
 * Asks the runner to run a harmless command for which a person must always be asked, and returns as
 * soon as the ask waits. It goes the way of every other: the answer is a real one, and it is logged.
 * Throws the runner's refusal when it does not ask.
 */
export async function tryAsk({ runner, cwd }: TryAskOptions): Promise<TriedAsk> {
  const events = runner.exec({
    command,
    cwd,
    agent: guideAgent,
    ask: 'always',
    statedReason: 'You started this from the guide.',
  });
  for (;;) {
    const { value: event, done } = await events.next();
    if (done === true || event === undefined) break;
    if (event.type === 'refused') throw new RefusalError(event.refusal);
    if (event.type !== 'pending') continue;
    void readToTheEnd(events);
    return { askId: event.askId, command, expiresAt: event.expiresAt };
  }
  throw refuse(
    'host-unavailable',
    'The runner ended the request without asking.',
    'Look at the history, and try again.',
  );
}

/** Leaving the stream would take the ask back. How it ends is in the history. */
async function readToTheEnd(events: ReturnType<RunnerClient['exec']>): Promise<void> {
  try {
    while ((await events.next()).done !== true);
  } catch {
    // The runner went away: it withdraws its asks by itself.
  }
}
