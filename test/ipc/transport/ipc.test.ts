import { once } from 'node:events';
import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { connect as netConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CloseReason, Duplex } from '../../../shared/ipc/transport/duplex.ts';
import type { IpcOptions, Listener } from '../../../shared/ipc/transport/ipc.ts';
import { connect, listen } from '../../../shared/ipc/transport/ipc.ts';
import { fakeClock } from '../../support/fake-clock.ts';

let folder: string;
let path: string;
const open: { dispose?: () => Promise<void>; destroy?: () => void }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ipc-'));
  path = join(folder, 'approvals.sock');
});

afterEach(async () => {
  for (const one of open.splice(0)) {
    one.destroy?.();
    await one.dispose?.();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function serve(
  onConnection: (duplex: Duplex) => void,
  options: IpcOptions = {},
): Promise<Listener> {
  const listener = await listen(path, onConnection, options);
  open.push(listener);
  return listener;
}

async function dial(): Promise<Duplex> {
  const duplex = await connect(path, { timeoutMs: 5_000 });
  open.push(duplex);
  return duplex;
}

const nextLine = (duplex: Duplex): Promise<string> =>
  new Promise((resolve) => {
    duplex.onLine(resolve);
  });

const ending = (duplex: Duplex): Promise<void> =>
  new Promise((resolve) => {
    duplex.onEnd(resolve);
  });

const closing = (duplex: Duplex): Promise<CloseReason> =>
  new Promise((resolve) => {
    duplex.onClose(resolve);
  });

describe('the approvals socket', () => {
  it('carries lines both ways, whatever characters they hold', async () => {
    const text = `{"é":"\\n","x":"\u2028𝛼"}`;
    await serve((duplex) => {
      duplex.onLine((line) => {
        duplex.send(line.toUpperCase());
        duplex.send(line);
      });
    });
    const client = await dial();
    const lines: string[] = [];
    const both = new Promise<void>((resolve) => {
      client.onLine((line) => {
        lines.push(line);
        if (lines.length === 2) resolve();
      });
    });
    client.send(text);
    await both;
    expect(lines).toEqual([text.toUpperCase(), text]);
  });

  it('is open to its owner only, and so is its folder', async () => {
    rmSync(folder, { recursive: true });
    await serve(() => {});
    expect(lstatSync(path).mode & 0o777).toBe(0o600);
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  });

  it('names the peer on both sides: our own user and process', async () => {
    const arrived = new Promise<Duplex>((resolve) => void serve(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const client = await dial();
    const own = { uid: process.geteuid?.(), pid: process.pid };
    expect((await arrived).peer).toEqual(own);
    expect(client.peer).toEqual(own);
  });

  it('answers a client that sends one line, without its newline, and ends', async () => {
    await serve((duplex) => {
      duplex.onLine((line) => {
        setImmediate(() => {
          duplex.send(`got ${line}`);
          duplex.end();
        });
      });
    });
    const socket = netConnect({ path, allowHalfOpen: true });
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.end('half');
    await once(socket, 'end');
    expect(Buffer.concat(received).toString()).toBe('got half\n');
  });

  it('serves several sockets and connections in one process', async () => {
    const echo = (duplex: Duplex): void => {
      duplex.onLine((line) => {
        duplex.send(`${line}!`);
      });
    };
    await serve(echo);
    const second = await listen(join(folder, 'other.sock'), echo);
    open.push(second);
    const one = await dial();
    const two = await dial();
    const other = await connect(second.path, { timeoutMs: 5_000 });
    open.push(other);
    const answers = [one, two, other].map((duplex, index) => {
      const answer = nextLine(duplex);
      duplex.send(String(index));
      return answer;
    });
    expect(await Promise.all(answers)).toEqual(['0!', '1!', '2!']);
  });

  it.each([
    ['frame-too-long', Buffer.alloc(262_145, 'x')],
    ['invalid-utf8', Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a])],
  ] as const)('closes a connection whose bytes are not frames: %s', async (code, bytes) => {
    const arrived = new Promise<Duplex>((resolve) => void serve(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const socket = netConnect(path);
    socket.on('error', () => {});
    socket.write(bytes);
    const duplex = await arrived;
    const lines: string[] = [];
    duplex.onLine((line) => lines.push(line));
    expect((await closing(duplex)).code).toBe(code);
    expect(lines).toEqual([]);
    await once(socket, 'close');
  });

  it('closes a connection whose line stays incomplete for too long', async () => {
    const clock = fakeClock();
    const arrived = new Promise<Duplex>((resolve) => void serve(resolve, { clock }));
    await new Promise((resolve) => setImmediate(resolve));
    const socket = netConnect(path);
    socket.on('error', () => {});
    socket.write('{"type":');
    const duplex = await arrived;
    const closed = closing(duplex);
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(4_999);
    socket.write('"x"');
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1);
    expect((await closed).code).toBe('partial-frame');
    await once(socket, 'close');
  });

  it('tells the end of input first, and the close once both sides have ended', async () => {
    const arrived = new Promise<Duplex>((resolve) => void serve(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const client = await dial();
    const server = await arrived;
    client.destroy();
    await ending(server);
    server.end();
    expect((await closing(server)).code).toBe('closed-by-peer');
  });

  it('tells the client when the server goes away', async () => {
    const listener = await serve(() => {});
    const client = await dial();
    await listener.dispose();
    await ending(client);
    client.send('into the void');
    expect((await closing(client)).code).toBe('broken');
  });

  it('gives up a peer that sends more than anybody reads', async () => {
    const arrived = new Promise<Duplex>((resolve) => void serve(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const socket = netConnect(path);
    socket.on('error', () => {});
    socket.write(`${'x'.repeat(200_000)}\n`.repeat(30));
    expect((await closing(await arrived)).code).toBe('read-backlog');
    socket.destroy();
  });

  it('gives up a peer that does not read what it is sent', async () => {
    const arrived = new Promise<Duplex>((resolve) => void serve(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    const socket = netConnect(path);
    socket.pause();
    const server = await arrived;
    for (let index = 0; index < 40; index += 1) server.send('x'.repeat(200_000));
    expect((await closing(server)).code).toBe('write-backlog');
    socket.destroy();
  });
});
