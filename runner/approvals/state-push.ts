import type { RunnerState } from '../../shared/ask/types.ts';
import type { Clock } from '../../shared/clock/types.ts';
import type { ApproverLink } from './link.ts';

/** Changes that come within this time are told as one, so that a burst of commands floods nobody. */
const gatherMs = 50;

/** Tells the approver the runner's state when it connects and whenever it has changed. */
export function createStatePush(
  link: ApproverLink,
  state: () => RunnerState,
  clock: Clock,
): { readonly changed: () => void } {
  let cancel: (() => void) | null = null;
  let told: string | null = null;
  const tell = (): void => {
    cancel = null;
    const session = link.session();
    if (session === null) return;
    const now = state();
    const text = JSON.stringify(now);
    if (text === told) return;
    told = text;
    session.state(now);
  };
  link.onChange(() => {
    told = null;
    tell();
  });
  return {
    changed: () => {
      cancel ??= clock.after(gatherMs, tell);
    },
  };
}
