import { lstatSync } from 'node:fs';
import { connect } from 'node:net';
import type { SocketState } from './types.ts';

/** Knocks at a Unix socket, for at most a second, and says what is there. Sends nothing. */
export async function socketState(path: string): Promise<SocketState> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  if (!stats.isSocket()) return 'not-a-socket';
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (state: SocketState): void => {
      socket.destroy();
      resolve(state);
    };
    socket.setTimeout(1000, () => end('live'));
    socket.once('connect', () => end('live'));
    // Only a refused connection proves that nobody listens; any other doubt leaves the file alone.
    socket.once('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ECONNREFUSED' ? 'stale' : error.code === 'ENOENT' ? 'absent' : 'live'),
    );
  });
}
