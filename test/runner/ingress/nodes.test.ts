import { expect, it } from 'vitest';
import { refuse } from '../../../shared/base/index.ts';
import type { ApiPorts } from '../../../runner/ingress/http/ports.ts';
import { call, serve } from './support.ts';

function desk() {
  const done: string[] = [];
  const nodes: ApiPorts['nodes'] = {
    body: () => ({
      listening: '[::]:7433',
      calls: [],
      problem: null,
      nodes: [],
      waiting: [],
      gateways: [],
      own: null,
    }),
    approve: (code) => (done.push(`approve ${code}`), {} as never),
    decline: (code) => void done.push(`decline ${code}`),
    remove: (node) => (done.push(`remove ${node}`), {} as never),
    policyOf: async (node) => (
      done.push(`policy ${node}`),
      { hash: 'a'.repeat(64), document: { version: 1 }, mayEdit: true }
    ),
    editPolicyOf: async ({ node }) => (done.push(`edit ${node}`), { kind: 'conflict' }),
  };
  return { done, nodes };
}

const edit = { baseHash: 'a'.repeat(64), patch: {} };

it('lists, lets in, sends away and removes machines', async () => {
  const { done, nodes } = desk();
  const { path } = await serve({ api: { nodes } });
  const { json } = await call(path, '/v1/nodes');
  expect(json).toMatchObject({ ok: true, listening: '[::]:7433', nodes: [], waiting: [] });
  await call(path, '/v1/nodes/approve', { body: { code: '7KQ2-M0XD' } });
  await call(path, '/v1/nodes/decline', { body: { code: '7KQ2M0XE' } });
  await call(path, '/v1/nodes/remove', { body: { node: 'build' } });
  expect(done).toEqual(['approve 7KQ2-M0XD', 'decline 7KQ2M0XE', 'remove build']);
});

it.each([
  ['/v1/nodes/approve', {}],
  ['/v1/nodes/approve', { code: '7KQ2-M0XD', node: 'x' }],
  ['/v1/nodes/approve', { code: '1' }],
  ['/v1/nodes/remove', { node: '' }],
  ['/v1/nodes/policy', {}],
  ['/v1/nodes/policy/edit', { node: 'build', edit, accepted: false, also: 1 }],
  ['/v1/nodes/policy/edit', { node: 'build', edit: { patch: {} }, accepted: false }],
  ['/v1/nodes/policy/edit', { node: 'build', edit: { ...edit, socket: {} }, accepted: false }],
])('refuses other bodies at %s', async (url, body) => {
  const { done, nodes } = desk();
  const { path } = await serve({ api: { nodes } });
  const { json } = await call(path, url, { body });
  expect(json).toMatchObject({ refusal: { code: 'invalid-request' } });
  expect(done).toEqual([]);
});

it('shows the policy of a node, and hands an edit of it over', async () => {
  const { done, nodes } = desk();
  const { path } = await serve({ api: { nodes } });
  const read = await call(path, '/v1/nodes/policy', { body: { node: 'build' } });
  expect(read.json).toMatchObject({ ok: true, document: { version: 1 }, mayEdit: true });
  const body = { node: 'build', edit, accepted: false };
  const { json } = await call(path, '/v1/nodes/policy/edit', { body });
  expect(json).toEqual({ ok: true, edited: { kind: 'conflict' } });
  expect(done).toEqual(['policy build', 'edit build']);
});

it.each(['approve', 'decline', 'remove', 'policy', 'policy/edit'])(
  'lets no command of the runner %s',
  async (what) => {
    const { done, nodes } = desk();
    const mayChangeNodes = async (): Promise<void> =>
      Promise.reject(refuse('confirm-rejected', 'A command cannot.', 'A person can.'));
    const { path } = await serve({ api: { nodes, mayChangeNodes } });
    const ofCode = what === 'approve' || what === 'decline';
    const body = {
      ...(ofCode ? { code: '7KQ2-M0XD' } : { node: 'build' }),
      ...(what === 'policy/edit' && { edit, accepted: false }),
    };
    const { json } = await call(path, `/v1/nodes/${what}`, { body });
    expect(json).toMatchObject({ refusal: { code: 'confirm-rejected' } });
    expect(done).toEqual([]);
  },
);

it('lets nobody in during a lockout, and still removes', async () => {
  const { done, nodes } = desk();
  const stops = {
    state: () => ({ mode: 'locked' }),
    check: () => {
      throw refuse('lockout-active', 'Everything is locked.', 'Unlock.');
    },
  } as unknown as ApiPorts['stops'];
  const { path } = await serve({ api: { nodes, stops } });
  const { json } = await call(path, '/v1/nodes/approve', { body: { code: '7KQ2-M0XD' } });
  expect(json).toMatchObject({ refusal: { code: 'lockout-active' } });
  const order = { node: 'build', edit, accepted: true };
  const edited = await call(path, '/v1/nodes/policy/edit', { body: order });
  expect(edited.json).toMatchObject({ refusal: { code: 'lockout-active' } });
  await call(path, '/v1/nodes/remove', { body: { node: 'build' } });
  expect(done).toEqual(['remove build']);
});
