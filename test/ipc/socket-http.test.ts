import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requestOverSocket } from '../../shared/ipc/socket-http.ts';

/** A server that does as told with each connection, once the head of the request is there. */
async function served(answer: (socket: Socket, request: string) => void): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'il-http-'));
  const socketPath = join(folder, 's');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => answer(socket, bytes.toString()));
  });
  await new Promise<void>((resolve) => void server.listen(socketPath, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return socketPath;
}

async function get(socketPath: string, more: { readonly signal?: AbortSignal } = {}) {
  return requestOverSocket({ socketPath, method: 'GET', path: '/v1/status', headers: {}, ...more });
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
}

const ok = 'HTTP/1.1 200 OK\r\n';

describe('a response of the runner', () => {
  it.each([
    ['with a length', `${ok}content-length: 5\r\n\r\nhello`],
    ['in chunks', `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`],
  ])('is read %s, however it is cut into pieces', async (_how, response) => {
    const whole = await served((socket) => void socket.end(response));
    expect(await textOf((await get(whole)).body)).toBe('hello');
    const cut = await served((socket) => {
      const bytes = response.split('');
      const next = (): void => {
        const byte = bytes.shift();
        if (byte === undefined) socket.end();
        else socket.write(byte, () => setImmediate(next));
      };
      next();
    });
    const { status, body } = await get(cut);
    expect([status, await textOf(body)]).toEqual([200, 'hello']);
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
    ['no end of the body', `${ok}\r\nhello`],
    ['two lengths', `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
    [
      'a length and chunks',
      `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['another coding', `${ok}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['a length that is not a number', `${ok}content-length: +1\r\n\r\na`],
    ['a folded header', `${ok}x: a\r\n b\r\ncontent-length: 0\r\n\r\n`],
    ['a head without end', `${ok}x: ${'a'.repeat(20_000)}`],
  ])('is refused with %s', async (_what, response) => {
    const socketPath = await served((socket) => void socket.write(response));
    await expect(get(socketPath)).rejects.toThrow('what it sent is no answer of a runner');
  });

  it.each([
    ['a size that is none', 'x\r\n'],
    ['an extension', '1;a=b\r\na\r\n0\r\n\r\n'],
    ['a chunk longer than it says', '1\r\nab\r\n0\r\n\r\n'],
    ['a trailer', '0\r\nx: y\r\n\r\n'],
  ])('is refused in chunks with %s', async (_what, chunks) => {
    const head = `${ok}transfer-encoding: chunked\r\n\r\n`;
    const socketPath = await served((socket) => void socket.write(head + chunks));
    const { body } = await get(socketPath);
    await expect(textOf(body)).rejects.toThrow('what it sent is no answer of a runner');
  });

  it.each([
    ['its head', ok],
    ['its body', `${ok}content-length: 5\r\n\r\nhe`],
    ['its last chunk', `${ok}transfer-encoding: chunked\r\n\r\n2\r\nhe\r\n`],
  ])('that breaks off in %s is not taken for a whole one', async (_where, response) => {
    const socketPath = await served((socket) => void socket.end(response));
    const read = async () => textOf((await get(socketPath)).body);
    await expect(read()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('is no longer waited for once the caller has aborted, and the connection is closed', async () => {
    const caller = new AbortController();
    let closed: Promise<void> = Promise.resolve();
    const socketPath = await served((socket) => {
      closed = new Promise((resolve) => void socket.once('close', () => resolve()));
      caller.abort();
    });
    await expect(get(socketPath, { signal: caller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    await expect(closed).resolves.toBeUndefined();
  });

  it('is not asked for with a header of the caller in the path', async () => {
    const socketPath = await served((socket) => void socket.end());
    await expect(
      requestOverSocket({ socketPath, method: 'GET', path: '/a\r\nx: y', headers: {} }),
    ).rejects.toThrow('a request cannot hold such a character');
  });
});
