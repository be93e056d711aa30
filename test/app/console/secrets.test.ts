import { describe, expect, it } from 'vitest';
import { createOneTimeLinks, createSessions } from '../../../app/console/sessions.ts';
import { createTokenBucket } from '../../../shared/base/clock.ts';
import {
  isConsoleSecret,
  sessionOf,
  subprotocolsFor,
  fragmentFor,
  partsOfFragment,
} from '../../../app/bridge/console-session.ts';
import { fakeClock } from '../../support/fake-clock.ts';

/** Random bytes that differ with each call. */
function countingRandom() {
  let calls = 0;
  return (bytes: number): Uint8Array => {
    calls += 1;
    return new Uint8Array(bytes).fill(calls);
  };
}

function openLinks() {
  const clock = fakeClock();
  const links = createOneTimeLinks({
    now: () => clock.now(),
    random: countingRandom(),
    ttlMs: 1_000,
  });
  return { clock, links };
}

describe('a one-time link', () => {
  it('opens once', () => {
    const { links } = openLinks();
    const token = links.issue();
    expect(isConsoleSecret(token)).toBe(true);
    expect(links.redeem(token)).toBe(true);
    expect(links.redeem(token)).toBe(false);
  });

  it('does not open when it is not ours', () => {
    const { links } = openLinks();
    links.issue();
    expect(links.redeem('x'.repeat(43))).toBe(false);
    expect(links.redeem('')).toBe(false);
  });

  it('does not open when it is too old', () => {
    const { clock, links } = openLinks();
    const token = links.issue();
    clock.advance(1_001);
    expect(links.redeem(token)).toBe(false);
  });

  it('gives way to newer ones', () => {
    const { links } = openLinks();
    const tokens = Array.from({ length: 5 }, () => links.issue());
    expect(tokens.map((token) => links.redeem(token))).toEqual([false, true, true, true, true]);
  });
});

describe('a session', () => {
  function openSessions() {
    const clock = fakeClock();
    const sessions = createSessions({
      now: () => clock.now(),
      random: countingRandom(),
      idleMs: 1_000,
    });
    return { clock, sessions };
  }

  it('is found by its secret only', () => {
    const { sessions } = openSessions();
    const secret = sessions.open();
    expect(sessions.find(secret)).not.toBeNull();
    expect(sessions.find('y'.repeat(43))).toBeNull();
  });

  it('ends when nobody uses it, and lives on while somebody does', () => {
    const { clock, sessions } = openSessions();
    const secret = sessions.open();
    const session = sessions.find(secret);
    clock.advance(900);
    if (session !== null) sessions.touch(session);
    clock.advance(900);
    expect(sessions.find(secret)).toBe(session);
    clock.advance(101);
    expect(sessions.find(secret)).toBeNull();
    expect(session === null || sessions.isOver(session)).toBe(true);
  });

  it('makes room by ending the one that rested longest', () => {
    const { clock, sessions } = openSessions();
    const secrets = Array.from({ length: 33 }, () => {
      clock.advance(1);
      return sessions.open();
    });
    expect(secrets.map((secret) => sessions.find(secret) !== null).indexOf(true)).toBe(1);
  });
});

describe('what travels', () => {
  const secret = 'A'.repeat(43);
  it('carries the session beside the subprotocol', () => {
    expect(sessionOf(subprotocolsFor(secret))).toBe(secret);
  });

  it.each([[[]], [['interlock.1']], [['interlock.1', 'session.x']], [[`session.${secret}`]]])(
    'finds no session in %j',
    (offered: string[]) => {
      expect(sessionOf(offered)).toBeNull();
    },
  );

  it('reads a token and a view from a fragment, and from nothing else', () => {
    expect(partsOfFragment(fragmentFor(secret))).toEqual({ token: secret, view: '' });
    const view = '/asks/a%2Fb';
    expect(partsOfFragment(fragmentFor(secret, view))).toEqual({ token: secret, view });
    // What has the form of no token is taken out of the address all the same.
    for (const wrong of [`${secret}&x`, `${secret}\n`, '', 'short'])
      expect(partsOfFragment(`#token=${wrong}`)).toEqual({ token: null, view: '' });
    expect(partsOfFragment('#/asks')).toBeNull();
    expect(partsOfFragment('')).toBeNull();
  });
});

describe('the rate of calls', () => {
  it('allows a burst, then so many a second', () => {
    const clock = fakeClock();
    const take = createTokenBucket(clock, { burst: 2, perSecond: 1 });
    expect([take(), take(), take()]).toEqual([true, true, false]);
    clock.advance(1_000);
    expect([take(), take()]).toEqual([true, false]);
    clock.jump(-60_000);
    expect(take()).toBe(false);
  });
});
