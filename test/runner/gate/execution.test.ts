import { expect, test } from 'vitest';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { bench, codeOf, fullPolicy } from './support.ts';

test('a command that ran out of time is told as command-timeout, with its output', async () => {
  const { exec, rows, ports } = bench({
    policy: fullPolicy,
    run: async (io) => {
      io.started(1);
      await io.output('stdout', Buffer.from('half'));
      return { ending: 'timed-out', exitCode: null, signal: 'SIGTERM' };
    },
  });
  const { result, events } = await exec({ argv: ['ls'], session: 's' });
  expect(result).toMatchObject({ refusal: { code: 'command-timeout' } });
  expect(events.map(({ type }) => type)).toEqual(['started', 'stdout', 'refused']);
  expect(rows.at(-1)).toMatchObject({ outcome: 'executed', code: 'command-timeout' });
  expect(ports.events.drain('s').events[1]).toBe(
    'Exec finished (node=gateway, id=id-1, code=timeout)\nhalf',
  );
});

test('the timeout is the request’s, within the ceiling', async () => {
  const { exec, ran } = bench({
    policy: fullPolicy,
    config: { exec: { ...defaultConfig.exec, timeoutMs: 100, maxTimeoutMs: 500 } },
  });
  await exec({ argv: ['ls'] });
  await exec({ argv: ['ls'], timeoutMs: 300 });
  await exec({ argv: ['ls'], timeoutMs: 9_999 });
  expect(ran.map(({ limits }) => limits.timeoutMs)).toEqual([100, 300, 500]);
});

test('a lockout while it runs stops the command and says so', async () => {
  const { exec, ports } = bench({
    policy: fullPolicy,
    run: async (io) => {
      io.started(1);
      expect(ports.inFlight.running()).toMatchObject([{ id: 'id-1', pid: 1, command: 'ls' }]);
      expect(ports.inFlight.stopAll('lockout')).toBe(1);
      expect(io.signal.aborted).toBe(true);
      return { ending: 'stopped', exitCode: null, signal: 'SIGTERM' };
    },
  });
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('lockout-active');
  expect(ports.inFlight.running()).toEqual([]);
});

test('a result keeps what fits, and the event the end; cuts are marked', async () => {
  const exec = { ...defaultConfig.exec, outputCap: 10, eventTail: 5 };
  const gate = bench({
    policy: fullPolicy,
    config: { exec },
    run: async (io) => {
      io.started(1);
      await io.output('stdout', Buffer.from('0123456'));
      await io.output('stderr', Buffer.from('789abc'));
      return { ending: 'exited', exitCode: 0, signal: null };
    },
  });
  const { result, events } = await gate.exec({ argv: ['ls'], session: 's' });
  expect(result).toMatchObject({
    output: { stdout: '0123456', stderr: '789… (truncated)', truncated: true },
  });
  expect(events.at(-1)).toMatchObject({ type: 'finished', truncated: true });
  expect(events.filter(({ type }) => type === 'stderr')).toMatchObject([{ data: '789abc' }]);
  expect(gate.ports.events.drain('s').events[1]).toMatch(/\n… \(truncated\) 89abc$/);
});

test('bytes that are not text come as base64, and characters are never torn apart', async () => {
  const euro = Buffer.from('€');
  const { exec } = bench({
    policy: fullPolicy,
    run: async (io) => {
      io.started(1);
      await io.output('stdout', euro.subarray(0, 1));
      await io.output('stdout', euro.subarray(1));
      await io.output('stdout', Buffer.from([0xff, 0xfe]));
      await io.output('stdout', Buffer.from([0xe2]));
      return { ending: 'exited', exitCode: 0, signal: null };
    },
  });
  const { events } = await exec({ argv: ['ls'] });
  expect(events.filter(({ type }) => type === 'stdout')).toMatchObject([
    { data: '€', encoding: 'utf8' },
    { data: '//4=', encoding: 'base64' },
    { data: '4g==', encoding: 'base64' },
  ]);
});

test('standard input is handed over decoded', async () => {
  let stdin = '';
  const { exec } = bench({
    policy: fullPolicy,
    run: async (io) => {
      stdin = Buffer.from(io.stdin ?? []).toString();
      return { ending: 'exited', exitCode: 0, signal: null };
    },
  });
  await exec({ argv: ['cat'], stdin: Buffer.from('hello').toString('base64') });
  expect(stdin).toBe('hello');
});

test('a place is given back when a command has ended, however it ended', async () => {
  const { exec, ports } = bench({
    policy: fullPolicy,
    run: async () => {
      throw new Error('broken');
    },
  });
  for (let turn = 0; turn < 20; turn += 1) await exec({ argv: ['ls'] });
  await expect(ports.inFlight.idle()).resolves.toBeUndefined();
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('host-unavailable');
});

test('who asks too often is told to wait, and for how long', async () => {
  const { exec, clock } = bench({ policy: fullPolicy });
  for (let turn = 0; turn < 60; turn += 1) await exec({ argv: ['ls'] });
  const refused = await exec({ argv: ['ls'] });
  expect(refused.result).toMatchObject({
    refusal: { code: 'rate-limit', hint: 'Wait 1 s and ask again.' },
  });
  expect(codeOf(await exec({ argv: ['ls'], agent: 'another' }))).toBe('ran 0');
  clock.advance(1_000);
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('ran 0');
  clock.jump(-3_600_000);
  expect(codeOf(await exec({ argv: ['ls'] }))).toBe('rate-limit');
});

test.each([-3_600_000, 3_600_000])(
  'how long a command ran is right although the clock was set by %d ms meanwhile',
  async (step) => {
    const { exec, clock, rows } = bench({
      policy: fullPolicy,
      run: async () => {
        clock.jump(step);
        clock.advance(250);
        return { ending: 'exited', exitCode: 0, signal: null };
      },
    });
    const { events } = await exec({ argv: ['ls'] });
    expect(events.at(-1)).toMatchObject({ type: 'finished', durationMs: 250 });
    expect(rows.at(-1)).toMatchObject({ type: 'outcome', durationMs: 250 });
  },
);

test('a command ended by the lock of another process, before that lock is seen, is told as locked', async () => {
  let locked = false;
  const gate = bench({
    policy: fullPolicy,
    run: async (io) => {
      io.started(1);
      return { ending: 'exited', exitCode: null, signal: 'SIGTERM' };
    },
  });
  Object.assign(gate.ports.stops, {
    look: () => {
      if (locked) gate.ports.inFlight.stopAll('lockout');
    },
  });
  const told = gate.exec({ argv: ['ls'] });
  await expect.poll(() => gate.clock.pending).toBe(1);
  locked = true;
  gate.clock.advance(100);
  expect(codeOf(await told)).toBe('lockout-active');
});

test('a command that a signal has ended while nothing is locked is told with that signal', async () => {
  const gate = bench({
    policy: fullPolicy,
    run: async () => ({ ending: 'exited', exitCode: 137, signal: null }),
  });
  const told = gate.exec({ argv: ['ls'] });
  await expect.poll(() => gate.clock.pending).toBe(1);
  gate.clock.advance(100);
  expect((await told).result).toMatchObject({ ok: true, outcome: { exitCode: 137 } });
});

test('a broken shell is told once a session, and each time as an event', async () => {
  let output = '/bin/bash: /proc/self/fd/3: Permission denied\n';
  let exitCode = 126;
  const { exec, rows, ports } = bench({
    policy: fullPolicy,
    run: async (io) => {
      io.started(1);
      await io.output('stderr', Buffer.from(output));
      return { ending: 'exited', exitCode, signal: null };
    },
  });
  const advice = async (session: string): Promise<boolean> => {
    const { events } = await exec({ argv: ['ls'], session });
    return events.some((event) => event.type === 'stderr' && event.data.includes('is broken'));
  };
  expect([await advice('s'), await advice('s'), await advice('t')]).toEqual([true, false, true]);
  expect(ports.events.drain('s').events.filter((line) => line.startsWith('Shell'))).toEqual([
    'Shell broken (node=gateway, id=id-1, firstHit: true)',
    'Shell broken (node=gateway, id=id-2, firstHit: false)',
  ]);
  expect(rows.filter((row) => row.type === 'note')).toHaveLength(2);
  // Neither half of it alone is a sign.
  exitCode = 1;
  expect(await advice('u')).toBe(false);
  [exitCode, output] = [126, 'cat: /proc/self/fd/3: No such file\n'];
  expect(await advice('u')).toBe(false);
  expect(ports.events.drain('u').events.join()).not.toContain('Shell');
});
