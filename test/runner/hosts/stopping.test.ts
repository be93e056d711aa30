import { describe, expect, test } from 'vitest';
import { createProcessGroups } from '../../../runner/hosts/process-group.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { isAlive, run, shell, ways } from './support.ts';

describe.each(ways)('a gateway that starts commands %s', (_, gateway) => {
  test('a command that takes too long is told to end', async () => {
    const clock = fakeClock();
    const command = run(gateway(clock), shell('sleep 300'), { timeoutMs: 1_000 });
    await command.started;
    clock.advance(999);
    expect(isAlive(await command.started)).toBe(true);
    clock.advance(1);
    expect(await command.ended).toEqual({ ending: 'timed-out', exitCode: null, signal: 'SIGTERM' });
  });

  test('one that ignores being told is killed five seconds later', async () => {
    const clock = fakeClock();
    const command = run(
      gateway(clock),
      shell("trap '' TERM; echo deaf; while :; do sleep 1; done"),
    );
    await command.says('deaf');
    command.stop();
    clock.advance(4_999);
    expect(isAlive(await command.started)).toBe(true);
    clock.advance(1);
    expect(await command.ended).toEqual({ ending: 'stopped', exitCode: null, signal: 'SIGKILL' });
  });

  test('the whole group is stopped, not only its leader', async () => {
    const command = run(gateway(), shell('sleep 300 & echo "child $!"; wait'));
    await command.says('child ');
    const child = Number(/child (\d+)/.exec(command.output().stdout)?.[1]);
    expect(isAlive(child)).toBe(true);
    command.stop();
    expect((await command.ended).ending).toBe('stopped');
    await expect.poll(() => isAlive(child)).toBe(false);
  });

  test('a command that is stopped before it starts never starts', async () => {
    const command = run(gateway(), shell('echo ran'), { stopped: true });
    await expect(command.ended).rejects.toMatchObject({ refusal: { code: 'host-unavailable' } });
    expect(command.output().stdout).toBe('');
  });

  test('a background process that holds the pipes open does not hold the result', async () => {
    const host = gateway();
    const command = run(host, shell('sleep 300 & echo "left $!"'));
    expect((await command.ended).exitCode).toBe(0);
    const left = Number(/left (\d+)/.exec(command.output().stdout)?.[1]);
    expect(isAlive(left)).toBe(true);
    expect(host.groups()).toEqual([await command.started]);
    expect(host.stopStrays()).toBe(1);
    await expect.poll(() => isAlive(left)).toBe(false);
  });

  test('a background process that never stops talking does not hold the result either', async () => {
    const host = gateway();
    const command = run(host, shell('yes & exit 4'));
    expect((await command.ended).exitCode).toBe(4);
    expect(host.stopStrays()).toBe(1);
  });

  test('all that was written before the end is read, however slowly it is taken', async () => {
    let taken = 0;
    const command = run(gateway(), shell('head -c 3000000 /dev/zero'), {
      output: async (_stream, bytes) => {
        await new Promise((resolve) => setImmediate(resolve));
        taken += bytes.length;
      },
    });
    await command.ended;
    expect(taken).toBe(3_000_000);
  });

  test('output without end waits for its reader instead of piling up', async () => {
    let chunks = 0;
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const command = run(gateway(), shell('yes'), {
      output: async () => {
        chunks += 1;
        await held;
      },
    });
    await expect.poll(() => chunks).toBe(1);
    // Long enough for an unbounded reader to have taken thousands of chunks.
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(chunks).toBe(1);
    command.stop();
    release();
    expect((await command.ended).ending).toBe('stopped');
  });

  test('a number is forgotten once its group is empty, since the system may reuse it', async () => {
    const clock = fakeClock();
    const host = gateway(clock);
    const command = run(host, shell('exit 0'));
    await command.ended;
    expect(host.groups()).toEqual([]);
    expect(host.stopStrays()).toBe(0);
  });

  test('all groups are told to end at once, and none is told twice when its own stop follows', () => {
    const sent: string[] = [];
    const groups = createProcessGroups(fakeClock(), (pid, signal) =>
      sent.push(`${String(signal)} ${pid}`),
    );
    for (const pid of [5, 6]) groups.add(pid);
    groups.signalAll();
    for (const pid of [5, 6]) groups.stop(pid, 1_000);
    expect(sent).toEqual(['SIGTERM -5', 'SIGTERM -6']);
    groups.stop(5, 1_000);
    expect(sent.at(-1)).toBe('SIGTERM -5');
  });
});
