import type { Server } from 'node:http';
import { refuse } from '../../../shared/base/index.ts';
import { claimSocket, nodeServer, publishSocket } from '../../../shared/ipc/index.ts';

/** Claims the runner's socket for this process; a second runner on the same home is told so here. */
export async function claimRunnerSocket(path: string): Promise<() => void> {
  return claimSocket(path, alreadyRunning);
}

/** Listens on a claimed path. Answers how to stop. */
export async function listenOn(server: Server, path: string): Promise<() => Promise<void>> {
  const withdraw = await publishSocket(path, nodeServer(server));
  return async () => {
    withdraw();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      // The last words of requests that have just ended are written in this turn.
      setImmediate(() => server.closeAllConnections());
    });
  };
}

function alreadyRunning(path: string): Error {
  return refuse(
    'concurrency-busy',
    `A runner is already at work on ${path}.`,
    'Use that one ("interlock status"), or stop it first.',
  );
}
