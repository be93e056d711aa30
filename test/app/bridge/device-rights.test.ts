import { describe, expect, it } from 'vitest';
import { bridgeCalls } from '../../../app/bridge/calls.ts';
import {
  answerProblem,
  mayCall,
  rightsOfCalls,
  stateForDevice,
} from '../../../app/bridge/device-rights.ts';
import type { DeviceSession } from '../../../app/bridge/device-rights.ts';
import { defaultSettings } from '../../../app/bridge/settings.ts';
import type { AppState } from '../../../app/bridge/types.ts';
import type { DeviceRights } from '../../../shared/engine/index.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

const session = (
  rights: DeviceRights,
  opened: DeviceSession['opened'] = 'passkey',
): DeviceSession => ({ device: { id: 'd', name: 'phone', rights, passkey: 'own' }, opened });

const low = queuedAsk({ id: 'low', risk: { level: 'low', findings: [] } });
const high = queuedAsk({ id: 'high', risk: { level: 'high', findings: [] } });
const none = queuedAsk({ id: 'none', risk: { level: 'none', findings: [] } });
const strict = queuedAsk({ id: 'strict', risk: low.ask.risk, presence: 'hold' });
const queue = [none, low, high, strict];
const signed = (id: string) => ({
  id,
  clientDataJSON: 'a',
  authenticatorData: 'b',
  signature: 'c',
});
const yes = (id: string, by: string | null = 'own') => ({
  id,
  askDigest: 'a'.repeat(64),
  decision: 'allow-once' as const,
  ...(by !== null && { assertion: signed(by) }),
});

describe('a device', () => {
  it('is held to a table that names every call of the page', () => {
    expect(Object.keys(rightsOfCalls).toSorted()).toEqual([...bridgeCalls].toSorted());
  });

  it.each(['lockout', 'answer', 'everything'] as const)(
    'with the rights "%s" locks out and does nothing else before its passkey was shown',
    (rights) => {
      const may = bridgeCalls.filter((name) => mayCall(session(rights, 'locked'), name));
      expect(may).toEqual(['lockout']);
    },
  );

  it('may do what its rights say, and no rights write a rule, bring in a key or connect an agent', () => {
    const may = (rights: DeviceRights) =>
      bridgeCalls.filter((name) => mayCall(session(rights), name)).toSorted();
    expect(may('lockout')).toEqual(['lockout']);
    expect(may('answer')).toEqual([
      'answer',
      'answerMany',
      'lockout',
      'pause',
      'pushKey',
      'subscribePush',
    ]);
    for (const name of [
      'savePolicy',
      'addStarter',
      'addPasskey',
      'removePasskey',
      'handOver',
      'inviteDevice',
      'approveNode',
      'connect',
    ])
      expect(may('everything')).not.toContain(name);
    expect(may('everything')).toEqual(expect.arrayContaining(['history', 'takeBack', 'resume']));
  });

  it.each(['', 'evaluate', 'constructor', '__proto__', 'toString'])(
    'may make no call "%s"',
    (name) => expect(mayCall(session('everything'), name)).toBe(false),
  );

  it('may deny everything, and allow what its rights say with its own passkey alone', () => {
    const problem = (rights: DeviceRights, answer: Parameters<typeof answerProblem>[2]) =>
      answerProblem(session(rights), queue, answer)?.message ?? null;
    expect(problem('answer', { ...yes('high', null), decision: 'deny' })).toBeNull();
    expect(problem('answer', yes('none'))).toBeNull();
    expect(problem('answer', yes('low'))).toBeNull();
    expect(problem('answer', yes('high'))).toContain('low risk');
    expect(problem('answer', yes('strict'))).toContain('low risk');
    expect(problem('everything', yes('high'))).toBeNull();
    expect(problem('everything', yes('low', null))).toContain('own passkey');
    expect(problem('everything', yes('low', 'another'))).toContain('own passkey');
  });

  it.each(['allow-always', 'deny', 'allow-once'] as const)(
    'has nothing remembered with "%s"',
    (decision) => {
      const remember = { duration: 'always', proposalId: 'p' } as const;
      const answer = { ...yes('low'), decision, remember };
      expect(answerProblem(session('everything'), queue, answer)?.message).toContain('remembered');
    },
  );

  it('of another person sees what wants two people, and all else only while they stand in', () => {
    const ben = (rights: DeviceRights): DeviceSession => {
      const { device, opened } = session(rights);
      return { device: { ...device, person: 'Ben' }, opened };
    };
    const may = bridgeCalls.filter((name) => mayCall(ben('everything'), name)).toSorted();
    expect(may).toEqual(bridgeCalls.filter((name) => mayCall(session('answer'), name)).toSorted());
    expect(bridgeCalls.filter((name) => mayCall(ben('lockout'), name))).toEqual(['lockout']);
    const two = queuedAsk({ id: 'two', approvers: 2 });
    const key = {
      id: 'own',
      name: 'phone',
      rpId: 'a',
      transports: [],
      madeAt: 0,
      lastUsedAt: null,
    };
    const state = (passkeys: AppState['passkeys']): AppState => ({
      revision: 1,
      now: 1_000,
      runner: {
        mode: 'armed',
        reason: 'curl of agent main',
        running: 0,
        pending: 2,
        policyProblem: 'a rule for /usr/bin/x',
        elevated: [{ id: 'e', agent: 'a', session: 's', as: 'x', since: 0, expiresAt: 9 }],
      },
      queue: [low, two],
      missed: [{ ask: high.ask } as unknown as AppState['missed'][number]],
      policy: { hash: 'h', problem: { code: 'config-invalid', message: '/usr/bin/x', hint: '' } },
      stop: { mode: 'paused', reason: 'curl of agent main' },
      settings: {
        settings: { ...defaultSettings, theme: 'dark', updateFeed: 'https://example.com/?key=x' },
        honoured: ['theme'],
        problem: null,
        taken: [],
      },
      covered: [],
      ...(passkeys !== undefined && { passkeys }),
    });
    const seen = (who: DeviceSession, passkeys?: AppState['passkeys']) =>
      stateForDevice(who, state(passkeys)).queue.map(({ ask }) => ask.id);
    const his = { ...key, person: 'Ben' };
    expect(seen(ben('everything'), [his])).toEqual(['two']);
    expect(seen(ben('everything'), [{ ...his, standsInUntil: 1_000 }])).toEqual(['two']);
    expect(seen(ben('everything'), [{ ...his, standsInUntil: 1_001 }])).toEqual(['low', 'two']);
    expect(seen(session('everything'), [key])).toEqual(['low', 'two']);
    expect(seen(session('everything'), [])).toEqual([]);
    expect(seen(session('everything'))).toEqual([]);
    expect(stateForDevice(ben('everything'), state([his]))).toMatchObject({
      missed: [],
      device: { person: 'Ben' },
    });
    expect(stateForDevice(ben('everything'), state([his]))).not.toHaveProperty('covered');
    expect(stateForDevice(ben('everything'), state([his])).runner).not.toHaveProperty('elevated');
    const mine = stateForDevice(session('answer'), state([key]));
    expect(mine.runner).toMatchObject({ reason: 'curl of agent main' });
    expect(mine.runner?.elevated).toHaveLength(1);
    // Nor does he hear of commands and rules by the words of a pause, or of a fault in the policy.
    const bens = stateForDevice(ben('everything'), state([his]));
    expect(JSON.stringify(bens)).not.toMatch(/curl|usr.bin.x/u);
    expect(bens.stop?.mode).toBe('paused');
    for (const one of [mine, bens])
      expect(one.settings).toEqual({
        settings: { ...defaultSettings, theme: 'dark' },
        honoured: [],
        problem: null,
        taken: [],
      });
  });

  it('sees nothing but the lock before its passkey was shown', () => {
    const state: AppState = {
      revision: 3,
      now: 5,
      runner: { mode: 'armed', reason: null } as unknown as NonNullable<AppState['runner']>,
      queue,
      missed: [],
      policy: { hash: 'h', problem: null },
      stop: { mode: 'paused', reason: 'in the words of an agent' },
      passkeys: [
        { id: 'own', name: 'phone', rpId: 'a', transports: [], madeAt: 0, lastUsedAt: null },
        { id: 'other', name: 'laptop', rpId: 'b', transports: [], madeAt: 0, lastUsedAt: null },
      ],
      devices: [{ id: 'd', name: 'phone', rights: 'answer', madeAt: 0, lastSeenAt: null }],
      hasPassphrase: true,
    };
    const locked = stateForDevice(session('everything', 'locked'), state);
    expect(locked).toEqual({
      revision: 3,
      now: 5,
      runner: null,
      queue: [],
      missed: [],
      policy: { hash: '', problem: null },
      stop: { mode: 'paused', reason: null },
      device: { id: 'd', name: 'phone', rights: 'everything', opened: 'locked' },
    });
    const open = stateForDevice(session('answer'), state);
    expect(open.queue).toEqual(queue);
    expect(open.passkeys?.map(({ id }) => id)).toEqual(['own']);
    expect(open).not.toHaveProperty('devices');
    expect(open).not.toHaveProperty('hasPassphrase');
  });
});
