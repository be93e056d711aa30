import { expect, it } from 'vitest';
import { refuse } from '../../../shared/base/index.ts';
import type { ApiPorts } from '../../../runner/ingress/http/ports.ts';
import { call, serve } from './support.ts';

function desk() {
  const done: unknown[] = [];
  const boxes: ApiPorts['boxes'] = {
    list: async () => Promise.resolve([]),
    tail: (name, window) => (done.push(['tail', name, window]), ['one']),
    stop: async (name) => Promise.resolve((done.push(['stop', name]), ['kept'])),
    lock: async (name, reason) => Promise.resolve((done.push(['lock', name, reason]), [])),
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

it.each([
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

it.each(['tail', 'stop', 'lock'])('lets no command of the runner %s a box', async (what) => {
  const { done, boxes } = desk();
  const mayChangeBoxes = async (): Promise<void> =>
    Promise.reject(refuse('confirm-rejected', 'A command cannot.', 'A person can.'));
  const { path } = await serve({ api: { boxes, mayChangeBoxes } });
  const { json } = await call(path, `/v1/boxes/${what}`, {
    body: { name: 'fix', ...(what === 'tail' && { window: 'shell' }) },
  });
  expect(json).toMatchObject({ refusal: { code: 'confirm-rejected' } });
  expect(done).toEqual([]);
});
