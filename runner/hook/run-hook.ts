import { failClosed } from '../../shared/adapters/fail-closed.ts';
import type { HookAnswer } from '../../shared/adapters/types.ts';
import { askGate } from './ask.ts';
import type { HookOptions, Surroundings } from './ask.ts';
import { doubt, textOf } from './doubt.ts';

/** What can end the wait for the gate's answer early. */
export interface Interruptions {
  /** Calls back once, when that is so. */
  readonly onHostGone: (listener: () => void) => void;
  readonly onStopped: (listener: () => void) => void;
  readonly after: (ms: number, listener: () => void) => void;
}

/**
 * One use of the hook. Always resolves, with what the gate answered or with a refusal in the host's
 * words: no runner, no answer in time, no sense in it, a signal. Whoever calls it writes the answer
 * and ends the process, which drops what is still under way.
 */
export async function runHook(
  options: HookOptions,
  surroundings: Surroundings,
  interruptions: Interruptions,
): Promise<HookAnswer> {
  const interrupted = new Promise<never>((_resolve, reject) => {
    const because = (what: string, hint: string) => () => reject(doubt(what, hint));
    interruptions.after(
      options.wait * 1000,
      because(
        `nobody answered within ${String(options.wait)} seconds`,
        'Ask the person, then try again.',
      ),
    );
    interruptions.onStopped(because('its hook was stopped', 'Try again if it is still wanted.'));
    interruptions.onHostGone(because('nobody waits for the answer', 'Try again.'));
  });
  try {
    return await Promise.race([askGate(options, surroundings), interrupted]);
  } catch (error) {
    return failClosed(options.host, textOf(error));
  }
}
