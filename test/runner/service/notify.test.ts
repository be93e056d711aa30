import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serviceNotices } from '../../../runner/service/notify.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { listenForNotices } from './notify-socket.ts';

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'il-notify-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'notify');
}

function setUp(path: string, env: Readonly<Record<string, string>> = {}) {
  const socket = listenForNotices(path);
  onTestFinished(socket.close);
  const problems: string[] = [];
  const notices = serviceNotices({
    env: { NOTIFY_SOCKET: path, ...env },
    pid: 42,
    monotonicMicros: () => 7_000_000n,
    problem: (why) => problems.push(why),
  });
  return { notices, heard: socket.heard, problems, clock: fakeClock() };
}

describe.runIf(process.platform === 'linux')('what systemd is told', () => {
  it.each([
    ['a path', place],
    ['an abstract name', () => `@interlock-test-${process.pid}`],
  ])('arrives at %s', (_what, at) => {
    const { notices, heard } = setUp(at());
    notices.ready();
    notices.reloading();
    notices.stopping();
    expect(heard()).toEqual(['READY=1', 'RELOADING=1\nMONOTONIC_USEC=7000000', 'STOPPING=1']);
  });

  it('is a sign of life at half the time that it waits for one, until the end', () => {
    const { notices, heard, clock } = setUp(place(), { WATCHDOG_USEC: '30000000' });
    const stop = notices.keepAlive(clock);
    expect(heard()).toEqual(['WATCHDOG=1']);
    clock.advance(14_999);
    expect(heard()).toEqual([]);
    clock.advance(15_001);
    expect(heard()).toEqual(['WATCHDOG=1', 'WATCHDOG=1']);
    stop();
    clock.advance(60_000);
    expect(heard()).toEqual([]);
  });

  it.each([
    ['nobody waits', {}],
    ['another process is meant', { WATCHDOG_USEC: '1000000', WATCHDOG_PID: '43' }],
    ['the time is none', { WATCHDOG_USEC: 'soon' }],
  ])('is not a sign of life where %s', (_why, env) => {
    const { notices, heard, clock } = setUp(place(), env);
    notices.keepAlive(clock);
    clock.advance(60_000);
    expect(heard()).toEqual([]);
  });

  it('is told once that it cannot arrive, and goes on', () => {
    const problems: string[] = [];
    const notices = serviceNotices({
      env: { NOTIFY_SOCKET: place() },
      pid: 42,
      monotonicMicros: () => 0n,
      problem: (why) => problems.push(why),
    });
    notices.ready();
    notices.stopping();
    expect(problems).toEqual(['its socket does not take them']);
  });

  it('never waits for a manager that has stopped to listen', () => {
    const { notices, problems } = setUp(place());
    for (let n = 0; n < 10_000; n += 1) notices.ready();
    expect(problems).toEqual(['its socket does not take them']);
  });

  it.each([undefined, '', 'relative', `/${'x'.repeat(200)}`])(
    'goes nowhere when NOTIFY_SOCKET is %s',
    (path) => {
      const problems: string[] = [];
      serviceNotices({
        env: { NOTIFY_SOCKET: path },
        pid: 42,
        monotonicMicros: () => 0n,
        problem: (why) => problems.push(why),
      }).ready();
      expect(problems).toEqual([]);
    },
  );
});
