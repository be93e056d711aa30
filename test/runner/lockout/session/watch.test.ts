import { expect, onTestFinished, test } from 'vitest';
import type { LogindMonitor } from '../../../../runner/lockout/session-watch.ts';
import { watchSession } from '../../../../runner/lockout/session-watch.ts';
import { defaultConfig } from '../../../../shared/engine/config.ts';
import { fakeClock } from '../../../support/fake-clock.ts';

const session = '/org/freedesktop/login1/session/_31';
const lockLine = `${session}: org.freedesktop.login1.Session.Lock ()`;
const sleepLine = '/org/freedesktop/login1: org.freedesktop.login1.Manager.PrepareForSleep (true,)';

function setUp(settings: { onScreenLock?: boolean; onSleep?: boolean }, owner: number | null = 7) {
  const clock = fakeClock();
  const locked: string[] = [];
  let hear: (line: string) => void = () => {};
  let end: (why: string) => void = () => {};
  let listening = 0;
  let starts = 0;
  const logind: LogindMonitor = {
    listen: (onLine, onEnd) => {
      [hear, end] = [onLine, onEnd];
      listening += 1;
      starts += 1;
      return () => {
        listening -= 1;
      };
    },
    ownerOf: async () => owner,
  };
  const config = { ...defaultConfig, lockout: { ...defaultConfig.lockout, ...settings } };
  const stop = watchSession({
    clock,
    uid: 7,
    logind,
    config: () => config,
    stops: {
      lockout: async (reason) => {
        locked.push(reason ?? '');
        return {
          mode: 'locked',
          stopped: 0,
          withdrawn: 0,
          keysRotated: 0,
          tokenRotated: true,
          left: 0,
          signalledAt: 0,
          problems: [],
        } as const;
      },
    },
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  onTestFinished(stop);
  const say = async (line: string): Promise<void> => {
    hear(line);
    await new Promise((resolve) => void setImmediate(resolve));
  };
  return {
    clock,
    locked,
    say,
    stop,
    end: () => end('gone'),
    counts: () => ({ listening, starts }),
  };
}

test('a screen lock and the way to sleep lock everything, where so configured', async () => {
  const both = setUp({ onScreenLock: true, onSleep: true });
  await both.say(lockLine);
  await both.say(sleepLine);
  expect(both.locked).toEqual(['the screen was locked', 'the machine goes to sleep']);
  const one = setUp({ onScreenLock: false, onSleep: true });
  await one.say(lockLine);
  expect(one.locked).toEqual([]);
});

test('a locked screen is listened for by default, and nothing where both are off', () => {
  expect(setUp({}).counts()).toEqual({ listening: 1, starts: 1 });
  const off = setUp({ onScreenLock: false, onSleep: false });
  expect(off.counts()).toEqual({ listening: 0, starts: 0 });
});

test.each([
  [7, 1],
  [null, 1],
  [8, 0],
])('a session of user %s locks ours %i times', async (owner, times) => {
  const world = setUp({ onScreenLock: true }, owner);
  await world.say(lockLine);
  expect(world.locked).toHaveLength(times);
});

test('a monitor that ends is started again after a while, and stopped at the end', () => {
  const { clock, end, counts, stop } = setUp({ onScreenLock: true });
  end();
  expect(counts().starts).toBe(1);
  clock.advance(20_000);
  expect(counts().starts).toBe(2);
  stop();
  clock.advance(60_000);
  expect(counts()).toEqual({ listening: 1, starts: 2 });
});
