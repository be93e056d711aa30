import { expect, test } from 'vitest';
import type { Grant } from '../../../runner/gate/grants.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { draft } from '../approvals/support.ts';
import { call, serve } from './support.ts';
import type { Served } from './support.ts';

const url = '/v1/sessions/end';

function grant(agent: string, session: string | null): Grant {
  return {
    agent,
    session,
    grantedAt: 0,
    expiresAt: null,
    covers: { kind: 'command', digest: 'd' },
  };
}

/** A question of `claude` in a session, and how it ends. */
function waiting({ pending }: Served, id: string, session: string): Promise<string> {
  const ask = { ...draft(id), session, createdAt: 0, expiresAt: 9 };
  return pending
    .add(ask, 'd'.repeat(64))
    .then((end) => (end.kind === 'stopped' ? `stopped: ${end.reason}` : end.kind));
}

test('what was granted for a session is forgotten with it, and nothing else', async () => {
  const served = await serve();
  const { grants } = served.ports;
  const all = [grant('claude', 's1'), grant('claude', 's2'), grant('claude', null)];
  for (const one of [...all, grant('codex', 's1')]) grants.add(one);
  const answer = await call(served.path, url, { body: { agent: 'claude', session: 's1' } });
  expect(answer).toMatchObject({
    status: 200,
    json: { ok: true, agent: 'claude', session: 's1', grants: 1, withdrawn: 0 },
  });
  expect([grants.covers('claude', 's2', 'd'), grants.covers('codex', 's1', 'd')]).toEqual([
    true,
    true,
  ]);
  expect(grants.agentsOf('s1')).toEqual(['codex']);
});

test('its questions are taken back; those of other sessions wait on', async () => {
  const served = await serve();
  const mine = waiting(served, 'a1', 's1');
  void waiting(served, 'a2', 's2');
  const { json } = await call(served.path, url, { body: { agent: 'claude', session: 's1' } });
  expect(json).toMatchObject({ withdrawn: 1 });
  expect(await mine).toBe('stopped: requester-gone');
  expect(served.pending.list().map(({ ask }) => ask.id)).toEqual(['a2']);
});

test('a session of another agent is left alone, and the caller is told so', async () => {
  const served = await serve();
  served.ports.grants.add(grant('claude', 's1'));
  void waiting(served, 'a1', 's2');
  for (const session of ['s1', 's2'])
    expect(await call(served.path, url, { body: { agent: 'codex', session } })).toMatchObject({
      status: 403,
      json: { ok: false, refusal: { code: 'hmac-fail' } },
    });
  expect(served.ports.grants.covers('claude', 's1', 'd')).toBe(true);
  expect(served.pending.list()).toHaveLength(1);
});

test('a name that does not count ends nothing of the agent that has it', async () => {
  const served = await serve({ config: { principals: { trustClaims: false } } });
  expect(defaultConfig.principals.trustClaims).toBe(false);
  served.ports.grants.add(grant('claude', 's1'));
  const body = { agent: 'claude', session: 's1' };
  expect(await call(served.path, url, { body })).toMatchObject({ status: 403 });
  expect(served.ports.grants.covers('claude', 's1', 'd')).toBe(true);
});

test('an agent with a key has to sign', async () => {
  const served = await serve({
    ports: { callers: { signer: async () => null, keyState: () => 'keyed' } },
  });
  served.ports.grants.add(grant('claude', 's1'));
  const body = { agent: 'claude', session: 's1' };
  expect(await call(served.path, url, { body })).toMatchObject({
    status: 403,
    json: { refusal: { code: 'hmac-fail' } },
  });
});

test('a session that nobody knows has nothing to end', async () => {
  const { path } = await serve();
  const { json } = await call(path, url, { body: { agent: 'claude', session: 'never' } });
  expect(json).toMatchObject({ ok: true, grants: 0, withdrawn: 0 });
});

test.each([
  [{ agent: 'claude' }],
  [{ session: 's1' }],
  [{ agent: 'claude', session: '' }],
  [{ agent: '*', session: 's1' }],
  [{ agent: 'claude', session: 's1', all: true }],
])('the body %j is refused', async (body) => {
  const { path } = await serve();
  expect(await call(path, url, { body })).toMatchObject({
    status: 400,
    json: { refusal: { code: 'invalid-request' } },
  });
});

test('what was allowed for a while is told with what it covers, and taken back by its name', async () => {
  const served = await serve();
  const { grants } = served.ports;
  grants.add({ ...grant('claude', 's1'), covers: { kind: 'command', digest: 'd', command: 'ls' } });
  const rules = [{ id: 'r', pattern: '/usr/bin/touch', args: ['x'] }];
  grants.add({ ...grant('codex', null), covers: { kind: 'rules', rules } });
  const { json } = await call(served.path, '/v1/grants');
  expect(json).toMatchObject({
    ok: true,
    grants: [
      { agent: 'codex', session: null, kind: 'rules', covers: ['/usr/bin/touch x'] },
      { agent: 'claude', session: 's1', kind: 'command', covers: ['ls'] },
    ],
  });
  expect(JSON.stringify(json)).not.toContain('digest');
  const [, claudes] = (json as { grants: { id: string }[] }).grants;
  const end = (id: unknown) => call(served.path, '/v1/grants/end', { body: { id } });
  expect((await end(claudes?.id)).json).toEqual({ ok: true, ended: true });
  expect((await end(claudes?.id)).json).toEqual({ ok: true, ended: false });
  expect((await end(7)).status).toBe(400);
  expect(grants.covers('claude', 's1', 'd')).toBe(false);
  expect(grants.rules('codex', 's9')).toEqual(rules);
});
