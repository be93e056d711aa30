import { describe, expect, it, test } from 'vitest';
import { completed } from '../../../shared/engine/config-schema.ts';
import type { ConfigFile } from '../../../shared/engine/config.ts';
import {
  abilitiesOf,
  barredBy,
  leastTrusted,
  memoryStores,
  trustLevels,
} from '../../../shared/engine/trust/levels.ts';
import { sandboxFor } from '../../../shared/engine/trust/overrides.ts';
import { reviewTrust, wantsSandbox } from '../../../shared/engine/trust/review.ts';
import { trustOf } from '../../../shared/engine/trust/whose.ts';
import type { Caller } from '../../../shared/engine/trust/whose.ts';

const own = 1000;
const config = (file: Partial<ConfigFile> = {}) => completed({ version: 1, ...file });
const caller = (fields: Partial<Caller> = {}): Caller => ({
  uid: own,
  ownUid: own,
  agent: 'main',
  claimed: null,
  signed: false,
  claims: {},
  ...fields,
});
const said = (claims: Caller['claims']): Caller => caller({ claims });

const family: NonNullable<ConfigFile['users']> = [
  { name: 'me', trust: 'owner', match: ['terminal:default', 'signal:me'] },
  { name: 'anna', trust: 'full', match: ['signal:anna'] },
  { name: 'ben', trust: 'inner', match: ['signal:ben', 'mail:ben@*'] },
  { name: 'guests', trust: 'familiar', match: ['signal:guest-*'] },
  { name: 'nightly', trust: 'inner', match: ['cron:nightly'], sandbox: { memory: '256M' } },
];
const atHome = config({ users: family, exec: { host: 'sandbox' } });

describe('as whom a request counts', () => {
  test.each<[string, Caller['claims'], string]>([
    ['nothing said, at the terminal', {}, 'owner'],
    ['the owner, in a direct channel', { channel: 'signal:me' }, 'owner'],
    ['the owner, in a group', { channel: 'signal:me', group: true }, 'familiar'],
    ['somebody with full trust', { channel: 'signal:anna' }, 'full'],
    ['the same in a group', { channel: 'signal:anna', group: true }, 'familiar'],
    ['a channel by a pattern', { channel: 'mail:ben@example.org' }, 'inner'],
    ['a guest', { channel: 'signal:guest-7' }, 'familiar'],
    ['a channel that matches nobody', { channel: 'signal:stranger' }, 'public'],
    ['a user by name', { user: 'ben' }, 'inner'],
    ['a user who is not there', { user: 'nobody' }, 'public'],
    ['a user and a channel: the less trusted', { user: 'anna', channel: 'signal:ben' }, 'inner'],
    [
      'the owner by name, by the channel of another',
      { user: 'me', channel: 'signal:ben' },
      'inner',
    ],
    ['a job', { channel: 'cron:nightly' }, 'inner'],
  ])('%s', (_name, claims, level) => {
    expect(trustOf(atHome, said(claims)).level).toBe(level);
  });

  it('is no better than what is proven, whatever is claimed', () => {
    const users = [
      { name: 'shared', trust: 'inner', match: ['terminal:default'] },
      { name: 'me', trust: 'owner', match: ['signal:me'] },
    ] as const;
    for (const claims of [{ channel: 'signal:me' }, { user: 'me' }, { user: 'me', group: false }])
      expect(trustOf(config({ users }), said(claims)).level).toBe('inner');
  });

  it('is, by a channel that a key binds to the agent, the user of that channel', () => {
    const at = config({
      users: [
        { name: 'shared', trust: 'inner', match: ['terminal:default'] },
        { name: 'me', trust: 'owner', match: ['signal:me'] },
      ],
      agents: { bot: { channels: ['signal:*'] } },
    });
    const bot = (fields: Partial<Caller>): string =>
      trustOf(at, caller({ agent: 'bot', ...fields })).level;
    expect(bot({ signed: true, claims: { channel: 'signal:me' } })).toBe('owner');
    expect(bot({ signed: false, claims: { channel: 'signal:me' } })).toBe('inner');
    expect(bot({ signed: true, claims: { channel: 'signal:me', group: true } })).toBe('familiar');
    expect(bot({ signed: true, claims: {} })).toBe('public');
    expect(bot({ signed: true, claims: { channel: 'mail:me' } })).toBe('public');
    expect(bot({ signed: true, uid: 1001, claims: { channel: 'signal:me' } })).toBe('public');
    // A name that does not count can still be held to what the settings say of it.
    expect(trustOf(at, caller({ agent: '*', claimed: 'bot' })).level).toBe('public');
  });

  it('needs no word from an agent that speaks for one channel alone', () => {
    const at = config({ users: family, agents: { bot: { channels: ['signal:anna'] } } });
    const found = trustOf(at, caller({ agent: 'bot', signed: true }));
    expect(found).toMatchObject({ level: 'full', users: ['anna'], channel: 'signal:anna' });
  });

  it('is held by the ceilings of channels and agents', () => {
    const at = config({
      users: family,
      trust: { ceilings: { 'signal:*': 'inner' } },
      agents: { small: { trust: 'familiar' }, '*': { trust: 'full' } },
    });
    expect(trustOf(at, said({ channel: 'signal:me' })).level).toBe('inner');
    expect(trustOf(at, caller({ agent: 'small' })).level).toBe('familiar');
    expect(trustOf(at, caller({ agent: 'other' })).level).toBe('full');
    expect(trustOf(at, caller({ agent: '*', claimed: 'small' })).level).toBe('familiar');
  });

  it('is for another user of the machine what the kernel and the settings say', () => {
    const guests = [
      { uid: 1001, agents: ['*'], name: 'anna', trust: 'full' },
      { uid: 1002, agents: ['*'] },
    ] as const;
    const at = (uid: number, users = guests as NonNullable<ConfigFile['users']>): string =>
      trustOf(config({ users }), caller({ uid })).level;
    expect(at(1001)).toBe('full');
    expect(at(1002)).toBe('public');
    expect(at(1002, [{ uid: 1002, agents: ['*'] }])).toBe('owner');
  });

  it('is at an unnamed terminal the owner where the sandbox is on, and nobody where it is off', () => {
    const users = [{ name: 'anna', trust: 'full', match: ['signal:anna'] }] as const;
    const at = (host: 'sandbox' | 'gateway', agents = {}): string =>
      trustOf(config({ users, exec: { host }, agents }), caller()).level;
    expect(at('sandbox')).toBe('owner');
    expect(at('gateway')).toBe('public');
    expect(at('gateway', { main: { host: 'sandbox' } })).toBe('owner');
    expect(trustOf(config(), caller()).level).toBe('owner');
    expect(trustOf(config(), said({ channel: 'signal:x' })).level).toBe('public');
  });

  it('takes the least trusted of several users of one channel, and says why', () => {
    const users = [
      { name: 'a', trust: 'owner', match: ['signal:*'] },
      { name: 'b', trust: 'familiar', match: ['signal:x'] },
      { name: 't', trust: 'owner', match: ['terminal:default'] },
    ] as const;
    const found = trustOf(config({ users }), said({ channel: 'signal:x' }));
    expect(found.level).toBe('familiar');
    expect(found.reasons.map(({ why }) => why)).toEqual([
      'terminal:default is t, owner.',
      'signal:x is a and b, familiar.',
    ]);
  });

  it('never rises with a further claim: every pair of them', () => {
    const channels = [undefined, 'terminal:default', 'signal:me', 'signal:ben', 'mail:x'];
    const names = [undefined, 'me', 'anna', 'nobody'];
    const rank = (claims: Caller['claims']): number =>
      trustLevels.indexOf(trustOf(atHome, said(claims)).level);
    for (const channel of channels)
      for (const user of names)
        for (const group of [false, true]) {
          const claims = { ...(channel && { channel }), ...(user && { user }), group };
          expect(rank(claims)).toBeGreaterThanOrEqual(rank({}));
          expect(rank({ ...claims, group: true })).toBeGreaterThanOrEqual(rank(claims));
        }
  });
});

describe('a level', () => {
  const all = (kind: 'exec' | 'edit' | 'fetch' | 'mcp', host: string, inside = true) =>
    trustLevels.map((level) =>
      barredBy(level, { kind, host, isInWorkspace: () => inside }) === null ? 1 : 0,
    );

  it('says where commands may run, which files may change, and which other tools there are', () => {
    expect(all('exec', 'gateway')).toEqual([1, 0, 0, 0, 0]);
    expect(all('exec', 'sandbox')).toEqual([1, 1, 1, 0, 0]);
    expect(all('edit', 'sandbox')).toEqual([1, 1, 1, 0, 0]);
    expect(all('edit', 'sandbox', false)).toEqual([1, 0, 0, 0, 0]);
    expect(all('fetch', 'sandbox')).toEqual([1, 1, 0, 0, 0]);
    expect(all('mcp', 'sandbox')).toEqual([1, 1, 0, 0, 0]);
    expect(trustLevels.map((level) => abilitiesOf(level).files)).toEqual([
      'any',
      'workspace',
      'workspace',
      'read',
      'none',
    ]);
  });

  it('opens fewer memories the less it is trusted', () => {
    expect(trustLevels.map((level) => memoryStores(level).join(' '))).toEqual([
      'private shared social',
      'private shared social',
      'shared social',
      'social',
      '',
    ]);
    expect(leastTrusted([])).toBe('owner');
    expect(leastTrusted(['inner', 'owner', 'familiar'])).toBe('familiar');
  });
});

describe('the sandbox of who asks', () => {
  const base = config({
    sandbox: { memory: '2G', network: 'full', readOnly: ['/a', '/b'], cpuSeconds: 9 },
    agents: { bot: { sandbox: { memory: '4G' }, channels: ['signal:*'] } },
    users: [
      { name: 'me', trust: 'owner', match: ['terminal:default'], sandbox: { processes: 9 } },
      { name: 'anna', trust: 'full', match: ['signal:anna'], sandbox: { memory: '8G' } },
      { name: 'ben', trust: 'full', match: ['signal:ben'], sandbox: { memory: '1G' } },
    ],
  });
  const held = (fields: Partial<Caller>) => {
    const who = caller({ agent: 'bot', ...fields });
    return sandboxFor(base, who.agent, trustOf(base, who).overrides);
  };

  it('is the global one, over it the agent’s, over it that of a proven user', () => {
    expect(held({ agent: 'main' })).toMatchObject({ memory: '2G', processes: 9, network: 'full' });
    expect(held({})).toMatchObject({ memory: '4G', processes: 9 });
    const byKey = { signed: true, claims: { channel: 'signal:anna' } };
    expect(held(byKey)).toMatchObject({ memory: '8G', processes: 512 });
  });

  it('gets only tighter by a user who is no more than claimed, and by the request', () => {
    expect(held({ claims: { user: 'anna' } }).memory).toBe('4G');
    expect(held({ claims: { user: 'ben' } }).memory).toBe('1G');
    const sandbox = {
      network: 'none',
      memory: '100G',
      processes: 3,
      cpuSeconds: 100,
      temporary: '1K',
      readOnly: ['/b', '/secret'],
      readWrite: ['/secret'],
      readOnlyWorkspace: true,
      environment: { LD_PRELOAD: '/x' },
    } as const;
    expect(held({ claims: { sandbox } })).toEqual({
      network: 'none',
      image: null,
      least: 'bubblewrap',
      memory: '4G',
      processes: 3,
      cpuSeconds: 9,
      temporary: '1K',
      readOnly: ['/b'],
      readWrite: [],
      readOnlyWorkspace: true,
      environment: {},
    });
  });
});

describe('the review of the settings', () => {
  const codes = (file: Partial<ConfigFile>): readonly string[] =>
    reviewTrust(config(file)).map(({ code }) => code);

  it('finds several owners, none, shared channels, and users whom nothing leads to', () => {
    expect(codes({})).toEqual([]);
    expect(codes({ exec: { host: 'sandbox' } })).toEqual(['no-owner']);
    expect(codes({ users: family, exec: { host: 'sandbox' } })).toEqual([]);
    const owner = { trust: 'owner', match: ['terminal:default'] } as const;
    expect(
      codes({
        users: [
          { name: 'a', ...owner },
          { name: 'b', ...owner },
        ],
      }),
    ).toEqual(['several-owners', 'shared-channel']);
    expect(codes({ users: [{ name: 'a', trust: 'owner' }] })).toEqual([
      'unreachable',
      'terminal-is-public',
    ]);
    const guest = { uid: 1001, agents: ['*'] };
    expect(codes({ users: [guest, { name: 'a', ...owner }] })).toEqual(['guest-without-trust']);
  });

  it('wants a sandbox for every level that runs commands in it alone', () => {
    expect(wantsSandbox(config())).toBe(false);
    expect(wantsSandbox(config({ users: [{ name: 'a', trust: 'full' }] }))).toBe(true);
    expect(wantsSandbox(config({ users: [{ name: 'a', trust: 'familiar' }] }))).toBe(false);
    expect(wantsSandbox(config({ agents: { a: { host: 'sandbox' } } }))).toBe(true);
  });
});
