import { join } from 'node:path';
import { compile, readJson, s } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { connect, listen } from '../../shared/ipc/index.ts';
import type { Duplex, Listener } from '../../shared/ipc/index.ts';
import { runningHostSchema } from './types.ts';
import type { RunningHost } from './types.ts';

/**
 * The socket through which a second start reaches the running shell: it sends one line,
 * `{"type":"focus"}`, and gets one line back that says which shell runs. That shell comes to the
 * front; a console sends a fresh link along.
 */
export function startSocketPath(paths: Pick<HomePaths, 'stateDirectory'>): string {
  return join(paths.stateDirectory, 'ui.sock');
}

const checkRequest = compile(s.object({ type: s.literal('focus') }));

const checkAnswer = compile(runningHostSchema);

const focusTimeoutMs = 3_000;

interface StartListenerOptions {
  readonly paths: Pick<HomePaths, 'stateDirectory'>;
  readonly uid: number;
  readonly onFocus: () => RunningHost;
}

/** Listens for second starts. Only processes of our own user get an answer. */
export function listenForStarts({ paths, uid, onFocus }: StartListenerOptions): Promise<Listener> {
  return listen(startSocketPath(paths), (duplex) => {
    if (duplex.peer?.uid !== uid) {
      duplex.destroy();
      return;
    }
    duplex.onLine((line) => {
      if (!readJson(checkRequest, line).ok) {
        duplex.destroy();
        return;
      }
      duplex.send(JSON.stringify(onFocus()));
      duplex.end();
    });
  });
}

/** Brings the running approver to the front. Null when none that we know answers in time. */
export async function focusRunning(
  paths: Pick<HomePaths, 'stateDirectory'>,
  { uid, clock }: { readonly uid: number; readonly clock: Clock },
): Promise<RunningHost | null> {
  let duplex: Duplex;
  try {
    duplex = await connect(startSocketPath(paths), { timeoutMs: focusTimeoutMs });
  } catch {
    return null;
  }
  return new Promise((resolve) => {
    const done = (answer: RunningHost | null): void => {
      cancel();
      resolve(answer);
      duplex.destroy();
    };
    const cancel = clock.after(focusTimeoutMs, () => done(null));
    duplex.onClose(() => done(null));
    duplex.onLine((line) => {
      const checked = readJson(checkAnswer, line);
      done(checked.ok ? checked.value : null);
    });
    if (duplex.peer?.uid === uid) duplex.send(JSON.stringify({ type: 'focus' }));
    else done(null);
  });
}
