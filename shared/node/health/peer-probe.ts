import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peerCredentials } from '../peer/credentials.ts';

/** Connects to itself over a throw-away socket. Null when the kernel names this user as the peer. */
export async function probePeerCredentials(uid: number): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-peer-'));
  const path = join(folder, 's');
  const server = createServer();
  try {
    return await new Promise<string | null>((resolve) => {
      server.once('error', (error) => resolve(error.message));
      server.once('connection', (socket) => {
        const peer = peerCredentials(socket);
        socket.destroy();
        if (peer === null) resolve('the kernel did not say who connected');
        else resolve(peer.uid === uid ? null : `the kernel named uid ${String(peer.uid)}`);
      });
      server.listen(path, () => {
        const client = connect(path);
        client.once('error', () => client.destroy());
        client.once('close', () => client.destroy());
      });
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
}
