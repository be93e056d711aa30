import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { gdbus } from '../../../../runner/lockout/session-watch.ts';
import { watchSession } from '../../../../runner/lockout/session-watch.ts';
import { defaultConfig } from '../../../../shared/engine/config.ts';
import { systemClock } from '../../../../shared/home/clock.ts';
import { probeLogind } from '../../../../shared/operations/health/probes.ts';
import { startBus, whyNoBus } from './dbus/bus.ts';
import type { PrivateBus } from './dbus/bus.ts';
import { connectToBus } from './dbus/connection.ts';
import type { BusConnection } from './dbus/connection.ts';
import { b, o, s, struct, u, v } from './dbus/message.ts';
import type { Value } from './dbus/message.ts';

const whyNot = whyNoBus();
if (whyNot !== null)
  process.stderr.write(`NOT TESTED: locks by logind over a real bus, because ${whyNot}.\n`);

vi.setConfig({ testTimeout: 90_000 });
const patient = { timeout: 60_000, interval: 100 };

const name = 'org.freedesktop.login1';
const ours = '/org/freedesktop/login1/session/_31';
const theirs = '/org/freedesktop/login1/session/_32';
const uid = 7;

/** logind as far as anybody here asks it: whose a session is. */
async function startLogind(bus: PrivateBus) {
  const asked: string[] = [];
  const logind = await connectToBus(bus.socket, {
    onCall: ({ path, member }) => {
      if (member === 'Ping') return [];
      if (member !== 'Get') return null;
      asked.push(path);
      const owner = path === ours ? uid : 8;
      return [v(struct(u(owner), o(`/org/freedesktop/login1/user/_${owner}`)))];
    },
  });
  onTestFinished(logind.close);
  await logind.own(name);
  return { logind, asked };
}

/** The watch of a runner, as it is started, on such a bus; says when it hears. */
async function watch(bus: PrivateBus, settings: { onScreenLock?: boolean; onSleep?: boolean }) {
  const locked: string[] = [];
  const lines: string[] = [];
  const monitor = gdbus(bus.env);
  const log: string[] = [];
  const stop = watchSession({
    clock: systemClock,
    uid,
    config: () => ({ ...defaultConfig, lockout: { ...defaultConfig.lockout, ...settings } }),
    logind: {
      ...monitor,
      listen: (hear, ended) =>
        monitor.listen((line) => {
          lines.push(line);
          hear(line);
        }, ended),
    },
    stops: {
      lockout: async (reason) => {
        locked.push(reason ?? '');
        return { mode: 'locked', stopped: 0, withdrawn: 0, keysRotated: 0 } as never;
      },
    },
    log: { info: (text) => log.push(text), warn: (text) => log.push(text), error: () => {} },
  });
  onTestFinished(stop);
  await vi.waitFor(() => expect(lines.join('\n')).toContain('is owned by'), patient);
  return { locked, log, lines };
}

const sleeps = (from: BusConnection, begins: boolean): void =>
  from.emit('/org/freedesktop/login1', `${name}.Manager.PrepareForSleep`, b(begins));
const changed = (of: string, property: string, value: Value): readonly Value[] => [
  s(of),
  { type: 'array', of: '{sv}', value: [struct(s(property), v(value))] },
  { type: 'array', of: 's', value: [] },
];

describe.skipIf(whyNot !== null)('logind on a real bus', () => {
  it('locks when the machine goes to sleep, not when it wakes', async () => {
    const bus = await startBus();
    const { logind } = await startLogind(bus);
    const { locked, lines } = await watch(bus, { onSleep: true });
    sleeps(logind, false);
    await vi.waitFor(() => expect(lines.join('\n')).toContain('PrepareForSleep (false,)'), patient);
    expect(locked).toEqual([]);
    sleeps(logind, true);
    await vi.waitFor(() => expect(locked).toEqual(['the machine goes to sleep']), patient);
  });

  it('locks when a session of ours is locked, in both ways of saying so, and not for others', async () => {
    const bus = await startBus();
    const { logind, asked } = await startLogind(bus);
    const { locked } = await watch(bus, { onScreenLock: true });
    logind.emit(theirs, `${name}.Session.Lock`);
    await vi.waitFor(() => expect(asked).toEqual([theirs]), patient);
    logind.emit(ours, `${name}.Session.Lock`);
    await vi.waitFor(() => expect(locked).toEqual(['the screen was locked']), patient);
    logind.emit(
      ours,
      'org.freedesktop.DBus.Properties.PropertiesChanged',
      ...changed(`${name}.Session`, 'LockedHint', b(true)),
    );
    await vi.waitFor(() => expect(locked).toHaveLength(2), patient);
    expect(asked).toEqual([theirs, ours, ours]);
  });

  it('does not listen to somebody else who says the same', async () => {
    const bus = await startBus();
    const { logind } = await startLogind(bus);
    const { locked, lines } = await watch(bus, { onScreenLock: true, onSleep: true });
    const impostor = await connectToBus(bus.socket);
    onTestFinished(impostor.close);
    sleeps(impostor, true);
    impostor.emit(ours, `${name}.Session.Lock`);
    // Its words were carried before these, had they been carried at all.
    await impostor.own('org.example.After');
    sleeps(logind, false);
    await vi.waitFor(() => expect(lines.join('\n')).toContain('PrepareForSleep (false,)'), patient);
    expect(locked).toEqual([]);
  });

  it('tells once that the bus is gone', async () => {
    const bus = await startBus();
    await startLogind(bus);
    const { log } = await watch(bus, { onSleep: true });
    await bus.stop();
    await vi.waitFor(() => expect(log.join('\n')).toContain('logind cannot be heard'), patient);
    expect(log).toHaveLength(1);
  });

  it('answers a doctor, and is missed when it is gone', async () => {
    const bus = await startBus();
    expect(await probeLogind(bus.env)).toContain('Error');
    await startLogind(bus);
    expect(await probeLogind(bus.env)).toBeNull();
    await bus.stop();
    expect(await probeLogind(bus.env)).toContain('Error');
  });
});
