import { join } from 'node:path';
import { compile, readJson, s } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { connect, listen } from '../../shared/ipc/index.ts';
import type { Duplex, Listener } from '../../shared/ipc/index.ts';
import { runningHostSchema } from './types.ts';
import type { RunningHost } from './types.ts';

/**
 * The socket on which a second start knocks: one line `{"type":"focus"}` in, one line with who is
 * there out. The running shell comes to the front; a console answers with a fresh link.
 */
export function frontDeskPath(paths: Pick<HomePaths, 'stateDirectory'>): string {
  return join(paths.stateDirectory, 'ui.sock');
}

const checkKnock = compile(s.object({ type: s.literal('focus') }));

const checkAnswer = compile(runningHostSchema);

const knockTimeoutMs = 3_000;

export interface FrontDeskOptions {
  readonly paths: Pick<HomePaths, 'stateDirectory'>;
  readonly uid: number;
  readonly onFocus: () => RunningHost;
}

/** Opens the door for second starts. Only processes of our own user are answered. */
export function openFrontDesk({ paths, uid, onFocus }: FrontDeskOptions): Promise<Listener> {
  return listen(frontDeskPath(paths), (duplex) => {
    if (duplex.peer?.uid !== uid) {
      duplex.destroy();
      return;
    }
    duplex.onLine((line) => {
      if (!readJson(checkKnock, line).ok) {
        duplex.destroy();
        return;
      }
      duplex.send(JSON.stringify(onFocus()));
      duplex.end();
    });
  });
}

/** Brings the running approver to the front. Null when none that we know answers in time. */
export async function knock(
  paths: Pick<HomePaths, 'stateDirectory'>,
  { uid, clock }: { readonly uid: number; readonly clock: Clock },
): Promise<RunningHost | null> {
  let duplex: Duplex;
  try {
    duplex = await connect(frontDeskPath(paths), { timeoutMs: knockTimeoutMs });
  } catch {
    return null;
  }
  return new Promise((resolve) => {
    const done = (answer: RunningHost | null): void => {
      cancel();
      resolve(answer);
      duplex.destroy();
    };
    const cancel = clock.after(knockTimeoutMs, () => done(null));
    duplex.onClose(() => done(null));
    duplex.onLine((line) => {
      const checked = readJson(checkAnswer, line);
      done(checked.ok ? checked.value : null);
    });
    if (duplex.peer?.uid === uid) duplex.send(JSON.stringify({ type: 'focus' }));
    else done(null);
  });
}
