import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { heard } from '../../../runner/boxes/tmux.ts';
import type { BoxExec } from '../../../runner/boxes/runtime.ts';
import { fakeClock } from '../../support/fake-clock.ts';

/** A command in a box that does as it is told here. */
function command() {
  const signals: string[] = [];
  const told = new EventEmitter();
  const stdout = new PassThrough();
  const on = async <T>(event: string): Promise<T> =>
    new Promise((resolve) => void told.once(event, resolve));
  let closed = 0;
  const exec = {
    report: {
      begun: Promise.resolve({ ok: true, held: [] }),
      ended: on('ended'),
      closed: on('closed'),
    },
    stdin: null,
    told: null,
    stdout,
    stderr: null,
    signal: (signal: string) => void signals.push(signal),
    close: () => void (closed += 1),
  } as unknown as BoxExec;
  const end = (): void => {
    told.emit('ended', { exitCode: 0, signal: null });
    told.emit('closed');
  };
  return { exec, stdout, signals, end, closed: () => closed };
}

it('says what the command says, and how it ended', async () => {
  const { exec, stdout, end, signals, closed } = command();
  const result = heard(exec, fakeClock());
  stdout.write('0 0 1 shell\n');
  await new Promise((resolve) => setImmediate(resolve));
  end();
  expect(await result).toEqual({ code: 0, text: '0 0 1 shell\n' });
  expect([signals, closed()]).toEqual([[], 1]);
});

it('waits for none that somebody in the box has stopped', async () => {
  const { exec, signals, closed } = command();
  const clock = fakeClock();
  const result = heard(exec, clock);
  clock.advance(5_000);
  expect((await result).code).toBe(1);
  expect([signals, closed()]).toEqual([['SIGKILL'], 1]);
});

it('keeps nothing of one that says without end', async () => {
  const { exec, stdout, signals } = command();
  const result = heard(exec, fakeClock());
  for (let count = 0; count < 4; count += 1) stdout.write('x'.repeat(32 * 1024));
  expect(await result).toEqual({ code: 1, text: 'it took too long or said too much' });
  expect(signals).toEqual(['SIGKILL']);
});
