import { once } from 'node:events';
import { createServer as createHttpServer, request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { peerCredentials } from '../../../shared/ipc/peer.ts';
import type { PeerCredentials } from '../../../shared/ipc/peer.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'peer-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const own = { uid: process.geteuid?.(), pid: process.pid };

describe('the credentials of a peer', () => {
  it('are those of the process at the other end, on either side', async () => {
    const path = join(folder, 's');
    const seen: (PeerCredentials | null)[] = [];
    const server = createServer((socket) => {
      seen.push(peerCredentials(socket));
      socket.end();
    });
    server.listen(path);
    await once(server, 'listening');
    const client = connect(path);
    await once(client, 'connect');
    seen.push(peerCredentials(client));
    client.resume();
    await once(client, 'close');
    server.close();
    expect(seen).toEqual([own, own]);
    expect(peerCredentials(client)).toBeNull();
  });

  it('can be had from the socket of an HTTP server', async () => {
    const path = join(folder, 'h');
    let seen: PeerCredentials | null = null;
    const server = createHttpServer((incoming, answer) => {
      seen = peerCredentials(incoming.socket);
      answer.end();
    });
    server.listen(path);
    await once(server, 'listening');
    const call = request({ socketPath: path, agent: false }).end();
    const [answer] = (await once(call, 'response')) as [NodeJS.ReadableStream];
    answer.resume();
    await once(answer, 'end');
    server.close();
    expect(seen).toEqual(own);
  });

  it('are null for a socket of the network, and for what is not a socket at all', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const client = connect(port, '127.0.0.1');
    const [accepted] = (await once(server, 'connection')) as [Socket];
    expect(peerCredentials(accepted)).toBeNull();
    expect(peerCredentials({ destroyed: false } as Socket)).toBeNull();
    expect(
      peerCredentials({ destroyed: false, _handle: { fd: -1 } } as unknown as Socket),
    ).toBeNull();
    client.destroy();
    accepted.destroy();
    server.close();
  });
});
