import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { crowdLimits } from '../../../runner/ingress/http/crowding.ts';
import { call, serve } from './support.ts';

async function crowd(path: string, count: number, words: string): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(path));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.on('error', () => undefined);
  await Promise.all(sockets.map(async (socket) => once(socket, 'connect')));
  for (const socket of sockets) if (words !== '') socket.write(words);
  return sockets;
}

test.each([
  ['say nothing', ''],
  ['stop in the middle of a head', 'POST /v1/exec HTTP/1.1\r\nhost: interlock\r\n'],
  [
    'stop in the middle of a body',
    'POST /v1/check HTTP/1.1\r\nhost: interlock\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
  ],
])('five hundred callers that %s keep nobody out', async (_name, words) => {
  const { path } = await serve({ limits: { ...crowdLimits, connections: 100 } });
  await crowd(path, 500, words);
  for (let n = 0; n < 5; n += 1) expect((await call(path, '/v1/status')).status).toBe(200);
});

test('the one that was silent for longest goes first', async () => {
  const { path } = await serve({ limits: { ...crowdLimits, connections: 2 } });
  const [first] = await crowd(path, 1, '');
  const [second] = await crowd(path, 1, '');
  const closed = once(first as Socket, 'close');
  expect((await call(path, '/v1/status')).status).toBe(200);
  await closed;
  expect(second?.destroyed).toBe(false);
});

test('bodies that do not end take no more memory than they may, and give it back', async () => {
  const { path } = await serve({ limits: { ...crowdLimits, bodyBytes: 1_000 } });
  const body = { argv: ['true'], cwd: '/' };
  const ask = async () => call(path, '/v1/check', { body });
  expect((await ask()).status).toBe(200);
  const [half] = await crowd(
    path,
    1,
    'POST /v1/check HTTP/1.1\r\nhost: interlock\r\ncontent-type: application/json\r\ncontent-length: 990\r\n\r\n{',
  );
  await expect.poll(async () => (await ask()).body).toContain('concurrency-busy');
  half?.destroy();
  await expect.poll(async () => (await ask()).status).toBe(200);
});

test('a request that does not say how long it is counts as the longest', async () => {
  const { path } = await serve({ limits: { ...crowdLimits, bodyBytes: 1_000 } });
  const headers = { 'transfer-encoding': 'chunked' };
  const answer = await call(path, '/v1/check', { body: { argv: ['true'], cwd: '/' }, headers });
  expect(answer.body).toContain('concurrency-busy');
});
