import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { sayEnd } from './child.ts';
import type { Child } from './child.ts';
import type { KeptRunning } from './keep-running.ts';

/** What this `interlock up` started; null where it found one running. */
export interface Raised {
  readonly runner: KeptRunning | null;
  readonly approver: Child | null;
}

/** Stays until a signal comes or all that was started is over, then stops the rest in order. */
export async function stay({ runner, approver }: Raised, io: Io): Promise<void> {
  let stopping = false;
  const signalled = new Promise<void>((resolve) => {
    io.onSignal(() => {
      if (!stopping) say(io.stdout, 'stopping');
      stopping = true;
      resolve();
    });
  });
  const reportApprover = async (): Promise<void> => {
    if (approver === null) return;
    const end = await approver.ended;
    if (!stopping)
      say(
        io.stderr,
        `interlock: the approver ended (${sayEnd(end)}). Nobody can be asked now, so askFallback decides; "interlock ui" starts it again.`,
      );
  };
  await Promise.race([signalled, Promise.all([runner?.over, reportApprover()])]);
  stopping = true;
  // The runner first: it takes its asks back while the approver can still hear it.
  await runner?.stop();
  await approver?.stop();
}
