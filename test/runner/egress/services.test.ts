import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { RequestRow, Who } from '../../../runner/egress/ports.ts';
import { closed, listening, talk } from './harness.ts';
import { upstream } from './intercepted.ts';

const service = {
  name: 'model',
  base: 'https://up.example',
  header: 'x-api-key',
  secret: 'key',
  baseVariable: 'MODEL_BASE_URL',
  keyVariable: 'MODEL_API_KEY',
  requestsPerMinute: 2,
  burst: 2,
} as const;

it('each box has a rate of its own at a service, and rows that tell what was asked and no more', async () => {
  const rows: RequestRow[] = [];
  const key = 'kept-key-1f9d3c';
  const one = await upstream(
    { transforms: [], services: [service] },
    {
      secret: async () => Promise.resolve(key),
      record: {
        allowed: async () => Promise.resolve(),
        refused: () => {},
        ended: () => {},
        request: (row) => void rows.push(row),
      },
    },
  );
  const boxes: readonly Who[] = ['a', 'b'].map((name) => ({
    agent: `box-${name}`,
    session: name,
    box: name,
    cwd: '/w',
  }));
  const ports = await Promise.all(
    boxes.map(async (who) => {
      const server = createServer({ allowHalfOpen: true }, (socket) =>
        one.proxy.serve(socket, who),
      );
      onTestFinished(() => closed(server));
      return listening(server);
    }),
  );
  const ask = async (at: number): Promise<string> =>
    talk(
      ports[at] ?? 0,
      'POST /~/model/v1/messages?token=in-query HTTP/1.1\r\nHost: 127.0.0.1:3128\r\nx-api-key: x-interlock-brokered\r\nConnection: close\r\nContent-Length: 9\r\n\r\nin-a-body',
    ).all;
  const status = (answer: string): string => answer.slice(9, 12);
  const answers = [];
  // The rate of one box is used up, and the other has its own.
  for (const at of [0, 0, 0, 1, 1, 1]) answers.push(status(await ask(at)));
  expect(answers).toEqual(['200', '200', '429', '200', '200', '429']);
  expect(one.seen.every(({ headers }) => headers['x-api-key'] === key)).toBe(true);
  await expect.poll(() => rows.length).toBe(4);
  expect(rows.map(({ who, method, path, status: how }) => [who.agent, method, path, how])).toEqual(
    [0, 0, 1, 1].map((at) => [boxes[at]?.agent, 'POST', '/v1/messages', 200]),
  );
  const told = JSON.stringify(rows);
  for (const hidden of [key, 'in-query', 'in-a-body', 'brokered'])
    expect(told).not.toContain(hidden);
});
