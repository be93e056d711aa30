import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import type { Config, ConfigFile } from '../../../shared/engine/config.ts';
import { completed } from '../../../shared/engine/config-schema.ts';
import type { HostTask } from '../../../runner/hosts/host.ts';
import { createHosts } from '../../../runner/hosts/host.ts';
import type { Host } from '../../../runner/hosts/host.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { createSessionOverrides } from '../../../runner/gate/overrides.ts';
import { answered, askPolicy, bench, codeOf, fullPolicy, incoming, ownUid } from './support.ts';
import type { BenchOptions } from './support.ts';

const io = { emit: () => {}, gone: new AbortController().signal };
const peer = { uid: ownUid, pid: process.pid };

const users: NonNullable<ConfigFile['users']> = [
  { name: 'me', trust: 'owner', match: ['terminal:default'] },
  { name: 'anna', trust: 'full', match: ['signal:anna'], sandbox: { memory: '1G' } },
  { name: 'ben', trust: 'inner', match: ['signal:ben'] },
  { name: 'guests', trust: 'familiar', match: ['signal:guests'] },
];

/** A gate with both hosts, on which everything is allowed that trust lets through. */
function both(file: Partial<ConfigFile> = {}, options: BenchOptions = {}) {
  const ran: { readonly on: string; readonly task: HostTask }[] = [];
  const host = (name: string): Host => ({
    name,
    probe: async () => ({ ok: true }),
    run: async (task, _limits, talk) => {
      ran.push({ on: name, task });
      talk.started(4242);
      return { ending: 'exited', exitCode: 0, signal: null };
    },
    groups: () => [],
    stopStrays: () => 0,
  });
  let config: Config = completed({
    version: 1,
    principals: { trustClaims: true },
    users,
    ...file,
  });
  const { ports = {}, ...more } = options;
  const at = bench({
    policy: fullPolicy,
    ...more,
    ports: {
      config: () => config,
      hosts: createHosts([host('gateway'), host('sandbox')]),
      ...ports,
    },
  });
  const becomes = (next: Partial<ConfigFile>): void => {
    config = completed({ version: 1, principals: { trustClaims: true }, ...next });
  };
  return { ...at, ran, becomes };
}

test.each([
  ['me', undefined, 'ran 0 on gateway'],
  ['anna', 'signal:anna', 'ran 0 on sandbox'],
  ['ben', 'signal:ben', 'ran 0 on sandbox'],
  ['guests', 'signal:guests', 'policy-deny'],
  ['a stranger', 'signal:stranger', 'policy-deny'],
])('a command for %s', async (_who, channel, expected) => {
  const at = both();
  const result = await at.exec({ argv: ['true'], ...(channel && { channel }) });
  const where = at.ran.map(({ on }) => ` on ${on}`).join('');
  expect(codeOf(result) + where).toBe(expected);
});

it('says in the record as whom a request counted, of the owner too', async () => {
  const at = both();
  await at.exec({ argv: ['true'] });
  await at.exec({ argv: ['true'], channel: 'signal:anna', group: true });
  expect(at.rows.filter(({ type }) => type === 'decision')).toMatchObject([
    { decision: 'allow', host: 'gateway', trust: 'owner', users: ['me'] },
    {
      decision: 'deny',
      code: 'policy-deny',
      host: 'gateway',
      trust: 'familiar',
      users: ['me', 'anna'],
      channel: 'signal:anna',
    },
  ]);
});

it('hands the sandbox what comes with who asks', async () => {
  const at = both();
  await at.exec({ argv: ['true'], channel: 'signal:anna', sandbox: { processes: 7 } });
  expect(at.ran[0]?.task.overrides).toEqual({
    given: [],
    tighter: [{ memory: '1G' }, { processes: 7 }],
  });
});

it('runs on no host that a request names beyond its trust', async () => {
  const at = both();
  const result = await at.exec({ argv: ['true'], channel: 'signal:anna', host: 'gateway' });
  expect(codeOf(result)).toBe('host-unavailable');
  expect(at.ran).toEqual([]);
});

it('lets no agent run itself what is to be held', async () => {
  const at = both();
  const permit = async (channel?: string) =>
    at.gate.permit(incoming({ argv: ['true'], ...(channel && { channel }) }), io, 'elsewhere');
  expect(await permit()).toMatchObject({ ok: true });
  expect(await permit('signal:anna')).toMatchObject({ refusal: { code: 'policy-deny' } });
});

test.each([
  ['the owner', undefined, [1, 1, 1, 1]],
  ['full', 'signal:anna', [1, 0, 1, 1]],
  ['inner', 'signal:ben', [1, 0, 0, 0]],
  ['familiar', 'signal:guests', [0, 0, 0, 0]],
])('the tools of %s', async (_who, channel, expected) => {
  const at = both();
  const project = join(temporaryFolder(), 'p');
  mkdirSync(join(project, '.git'), { recursive: true });
  const use = async (kind: 'edit' | 'fetch' | 'mcp', target: string): Promise<number> => {
    const call = { kind, tool: 'T', target, detail: null } as const;
    const request = { cwd: project, ...(channel && { channel }), ...call };
    return Number((await at.gate.permit({ kind, request, peer }, io, 'elsewhere')).ok);
  };
  const uses = [
    await use('edit', 'src.txt'),
    await use('edit', join(project, '..', 'beside.txt')),
    await use('fetch', 'https://example.org/'),
    await use('mcp', 'server/tool'),
  ];
  expect(uses).toEqual(expected);
});

it('gives what a session was raised to to its owner alone, whoever else speaks in it', async () => {
  const clock = fakeClock();
  const overrides = createSessionOverrides(clock, () => undefined);
  const at = both({}, { policy: askPolicy, ports: { overrides } });
  overrides.raise({
    id: 'raised',
    agent: 'claude',
    session: 's1',
    as: '/exec security=full ask=off',
    values: { security: 'full', ask: 'off' },
    since: clock.now(),
    expiresAt: clock.now() + 60_000,
  });
  const asksFor = async (channel?: string): Promise<number> => {
    const before = at.asked.length;
    const who = { agent: 'claude', session: 's1', ...(channel && { channel }) };
    await at.exec({ argv: ['touch', 'x'], ...who });
    return at.asked.length - before;
  };
  expect(await asksFor()).toBe(0);
  expect(await asksFor('signal:anna')).toBe(1);
  expect(await asksFor('signal:ben')).toBe(1);
});

it('asks nobody about what a level may not have done', async () => {
  const at = both({}, { policy: { version: 1, agents: { '*': { security: 'allowlist' } } } });
  await at.exec({ argv: ['true'], channel: 'signal:guests' });
  expect(at.asked).toEqual([]);
  await at.exec({ argv: ['touch', 'x'], channel: 'signal:ben' });
  expect(at.asked).toHaveLength(1);
});

it('looks once more when a person has taken their time', async () => {
  const ask = { version: 1, agents: { '*': { security: 'allowlist', ask: 'on-miss' } } } as const;
  const at = both(
    {},
    {
      policy: ask,
      answer: (draft) => {
        at.becomes({ users: [{ name: 'me', trust: 'full', match: ['terminal:default'] }] });
        return answered(draft, { decision: 'allow-once' });
      },
    },
  );
  expect(codeOf(await at.exec({ argv: ['touch', 'x'] }))).toBe('policy-deny');
  expect(at.ran).toEqual([]);
});

it('holds a ticket to what its holder counted as, and to what they count as by now', async () => {
  const at = both();
  const ticket = async (): Promise<string> => {
    const result = await at.gate.permit(incoming({ argv: ['true'] }), io, 'ticket');
    return result.ok ? (result.ticket?.ticket ?? '') : '';
  };
  const [first, second] = [await ticket(), await ticket()];
  const redeemed = async (one: string) => at.gate.redeem({ ticket: one, cwd: '/tmp', peer }, io);
  expect(await redeemed(first)).toMatchObject({ ok: true });
  at.becomes({ users: [{ name: 'me', trust: 'public', match: ['terminal:default'] }] });
  expect(await redeemed(second)).toMatchObject({ ok: false, refusal: { code: 'policy-deny' } });
});

it('believes the channel of an agent whose key binds it there', async () => {
  const shared: NonNullable<ConfigFile['users']> = [
    { name: 'terminal', trust: 'public', match: ['terminal:default'] },
    { name: 'me', trust: 'owner', match: ['signal:me'] },
  ];
  const at = both(
    { users: shared, agents: { bot: { channels: ['signal:*'] } } },
    { ports: { callers: { signer: async () => 'bot', keyState: () => 'keyed' } } },
  );
  const call = { headers: {}, method: 'POST', path: '/v1/exec', body: {} };
  const asked = { ...incoming({ argv: ['true'], channel: 'signal:me' }), call };
  expect(await at.gate.exec(asked, io)).toMatchObject({ ok: true });
  expect(await at.gate.exec(incoming({ argv: ['true'] }), io)).toMatchObject({ ok: false });
});
