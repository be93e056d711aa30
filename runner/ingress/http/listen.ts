import { chmodSync, lstatSync, renameSync, rmSync } from 'node:fs';
import type { Stats } from 'node:fs';
import type { Server } from 'node:http';
import {
  inspectSocket,
  isLive,
  requireOwnFolder,
  takeLease,
  temporaryNextTo,
  withUmask,
} from '../../../shared/ipc/index.ts';
import { refuse } from '../../../shared/base/index.ts';

/** Claims the socket's path for this process; a second runner on the same home is told so here. */
export async function claimSocket(path: string): Promise<() => void> {
  requireOwnFolder(path);
  inspectSocket(path);
  const release = takeLease(path);
  if (release === null) throw alreadyRunning(path);
  try {
    if (inspectSocket(path) === 'socket' && (await isLive(path))) throw alreadyRunning(path);
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/**
 * Listens on a claimed path. The socket is 0600 from its first moment and comes to its place by a
 * rename, so that nobody meets one that is half set up. Answers how to stop.
 */
export async function listenOn(server: Server, path: string): Promise<() => Promise<void>> {
  const temporary = temporaryNextTo(path);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    withUmask(0o177, () => server.listen(temporary, resolve));
  });
  const { dev, ino } = putInPlace(server, temporary, path);
  return async () => {
    const here = lstatSync(path, { throwIfNoEntry: false });
    if (here?.dev === dev && here.ino === ino) rmSync(path, { force: true });
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      // The last words of requests that have just ended are written in this turn.
      setImmediate(() => server.closeAllConnections());
    });
  };
}

/** Gives the socket its mode and its name. Where that fails, nothing listens any more. */
function putInPlace(server: Server, temporary: string, path: string): Stats {
  try {
    chmodSync(temporary, 0o600);
    const stats = lstatSync(temporary);
    renameSync(temporary, path);
    return stats;
  } catch (error) {
    server.close();
    rmSync(temporary, { force: true });
    throw error;
  }
}

function alreadyRunning(path: string): Error {
  return refuse(
    'concurrency-busy',
    `A runner is already at work on ${path}.`,
    'Use that one ("interlock status"), or stop it first.',
  );
}
