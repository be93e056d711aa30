import { expect, it } from 'vitest';
import { refuse } from '../../../shared/base/index.ts';
import type { ApiPorts } from '../../../runner/ingress/http/ports.ts';
import { call, serve } from './support.ts';

const terminal = 't'.repeat(22);
const size = { columns: 80, rows: 24 };

function desk() {
  const done: unknown[] = [];
  const boxes: ApiPorts['boxes'] = {
    list: async () => Promise.resolve([]),
    tail: (name, window) => (done.push(['tail', name, window]), ['one']),
    stop: async (name) => Promise.resolve((done.push(['stop', name]), ['kept'])),
    lock: async (name, reason) => Promise.resolve((done.push(['lock', name, reason]), [])),
    terminals: {
      open: async (name, to) => Promise.resolve((done.push(['open', name, to]), terminal)),
      read: async (id) =>
        Promise.resolve((done.push(['read', id]), { output: 'aGk=', ended: null })),
      type: (id, input) => void done.push(['type', id, input]),
      resize: (id, to) => void done.push(['resize', id, to]),
      leave: (id) => void done.push(['leave', id]),
      dispose: () => undefined,
    },
  };
  return { done, boxes };
}

it('lists boxes, shows what one wrote, stops one and locks one', async () => {
  const { done, boxes } = desk();
  const { path } = await serve({ api: { boxes } });
  expect((await call(path, '/v1/boxes')).json).toEqual({ ok: true, boxes: [] });
  const tail = await call(path, '/v1/boxes/tail', { body: { name: 'fix', window: 'shell' } });
  expect(tail.json).toEqual({ ok: true, lines: ['one'] });
  const stopped = await call(path, '/v1/boxes/stop', { body: { name: 'fix' } });
  expect(stopped.json).toEqual({ ok: true, notes: ['kept'] });
  await call(path, '/v1/boxes/lock', { body: { name: 'fix', reason: 'odd' } });
  await call(path, '/v1/boxes/lock', { body: { name: 'fix' } });
  expect(done).toEqual([
    ['tail', 'fix', 'shell'],
    ['stop', 'fix'],
    ['lock', 'fix', 'odd'],
    ['lock', 'fix', null],
  ]);
});

it('shows a box at a terminal, which is read, typed into, resized and left', async () => {
  const { done, boxes } = desk();
  const { path } = await serve({ api: { boxes } });
  const post = async (what: string, body: object) =>
    (await call(path, `/v1/boxes/terminal${what}`, { body })).json;
  expect(await post('', { name: 'fix', ...size })).toEqual({ ok: true, terminal });
  expect(await post('/read', { terminal })).toEqual({ ok: true, output: 'aGk=', ended: null });
  for (const [what, body] of [
    ['/type', { terminal, input: 'ls\n' }],
    ['/resize', { terminal, ...size }],
    ['/leave', { terminal }],
  ] as const)
    expect(await post(what, body)).toEqual({ ok: true });
  expect(done).toEqual([
    ['open', 'fix', size],
    ['read', terminal],
    ['type', terminal, 'ls\n'],
    ['resize', terminal, size],
    ['leave', terminal],
  ]);
});

it.each([
  ['/v1/boxes/terminal', { name: '../fix', ...size }],
  ['/v1/boxes/terminal', { name: 'fix', columns: 80 }],
  ['/v1/boxes/terminal', { name: 'fix', columns: 80, rows: 100_000 }],
  ['/v1/boxes/terminal', { name: 'fix', ...size, argv: ['sh'] }],
  ['/v1/boxes/terminal/read', { terminal: 'short' }],
  ['/v1/boxes/terminal/type', { terminal, input: '' }],
  ['/v1/boxes/terminal/type', { terminal, input: 'x'.repeat(16_385) }],
  ['/v1/boxes/terminal/resize', { terminal, columns: 0, rows: 24 }],
  ['/v1/boxes/terminal/leave', {}],
  ['/v1/boxes/tail', { name: 'fix' }],
  ['/v1/boxes/tail', { name: 'fix', window: '../one/0' }],
  ['/v1/boxes/tail', { name: 'fix', window: 'shell', lines: 9 }],
  ['/v1/boxes/stop', {}],
  ['/v1/boxes/stop', { name: '../fix' }],
  ['/v1/boxes/stop', { name: 'fix', all: true }],
  ['/v1/boxes/lock', { name: 'fix', reason: 'x'.repeat(501) }],
])('refuses other bodies at %s', async (url, body) => {
  const { done, boxes } = desk();
  const { path } = await serve({ api: { boxes } });
  const { json } = await call(path, url, { body });
  expect(json).toMatchObject({ refusal: { code: 'invalid-request' } });
  expect(done).toEqual([]);
});

it.each([
  ['tail', { name: 'fix', window: 'shell' }],
  ['stop', { name: 'fix' }],
  ['lock', { name: 'fix' }],
  ['terminal', { name: 'fix', ...size }],
  ['terminal/read', { terminal }],
  ['terminal/type', { terminal, input: 'x' }],
  ['terminal/resize', { terminal, ...size }],
  ['terminal/leave', { terminal }],
])('lets no command of the runner do this with a box: %s', async (what, body) => {
  const { done, boxes } = desk();
  const mayChangeBoxes = async (): Promise<void> =>
    Promise.reject(refuse('confirm-rejected', 'A command cannot.', 'A person can.'));
  const { path } = await serve({ api: { boxes, mayChangeBoxes } });
  const { json } = await call(path, `/v1/boxes/${what}`, { body });
  expect(json).toMatchObject({ refusal: { code: 'confirm-rejected' } });
  expect(done).toEqual([]);
});
