import { Duplex, PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { boxTerminals } from '../../../runner/boxes/terminals.ts';
import type { TerminalsOptions } from '../../../runner/boxes/terminals.ts';
import { refuse } from '../../../shared/base/index.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const size = { columns: 80, rows: 24 };
const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Terminals over streams of this test, by turns of a clock that stands still. */
function rig(more: Partial<TerminalsOptions> = {}) {
  const clock = fakeClock();
  const noted: string[] = [];
  const made: { shown: PassThrough; typed: string; size: object; closed: boolean }[] = [];
  let locked: 'locked' | 'lockout' | null = null;
  let next = 0;
  const terminals = boxTerminals({
    clock,
    id: () => `id-${String((next += 1))}`,
    requireOpen: () => {
      if (locked !== null) throw refuse('lockout-active', 'It is locked.', 'Wait.');
    },
    locked: () => locked,
    why: () => locked ?? 'detached',
    attached: (name) => void noted.push(`attached ${name}`),
    detached: (name, why) => void noted.push(`detached ${name}: ${why}`),
    start: async () => {
      const one = { shown: new PassThrough(), typed: '', size: {}, closed: false };
      made.push(one);
      const stream = Duplex.from({
        readable: one.shown,
        writable: new (class extends PassThrough {
          override _write(chunk: Buffer, _: string, done: () => void): void {
            one.typed += chunk.toString('utf8');
            done();
          }
        })(),
      });
      stream.on('error', () => stream.destroy());
      return Promise.resolve({
        stream,
        resize: (to) => void (one.size = to),
        ended: new Promise<null>(() => undefined),
        close: () => {
          one.closed = true;
          stream.destroy();
        },
      });
    },
    ...more,
  });
  /** What is read once the clock has gone on for so long. */
  const read = async (id: string, ms = 5, reader = 7) => {
    const answer = terminals.read(id, reader);
    await settled();
    clock.advance(ms);
    const { output, ended } = await answer;
    return { text: Buffer.from(output, 'base64').toString('latin1'), ended };
  };
  return {
    clock,
    noted,
    made,
    terminals,
    read,
    lock: (how: 'locked' | 'lockout') => void (locked = how),
  };
}

it('gives what a box wrote byte for byte, and nothing after a while without any', async () => {
  const { terminals, made, read } = rig();
  const id = await terminals.open('fix', size, 7);
  made[0]?.shown.write(Buffer.from([0x1b, 0xff, 0x00, 0xc3]));
  await settled();
  expect(await read(id)).toEqual({ text: '\u001b\u00ff\u0000\u00c3', ended: null });
  expect(await read(id, 5_000)).toEqual({ text: '', ended: null });
});

it('types into that box alone, for whoever opened it alone', async () => {
  const { terminals, made } = rig();
  const one = await terminals.open('one', size, 7);
  await terminals.open('two', size, 7);
  terminals.type(one, 'echo hi\n', 7);
  terminals.resize(one, { columns: 90, rows: 30 }, 7);
  await settled();
  expect(made.map(({ typed }) => typed)).toEqual(['echo hi\n', '']);
  expect(made[0]?.size).toEqual({ columns: 90, rows: 30 });
  for (const reader of [8, null]) {
    expect(() => terminals.type(one, 'x', reader)).toThrow('not open any more');
    expect(() => terminals.resize(one, size, reader)).toThrow('not open any more');
    expect(() => terminals.leave(one, reader)).toThrow('not open any more');
    await expect(terminals.read(one, reader)).rejects.toThrow('not open any more');
  }
});

it('has a box wait that writes more than anybody reads', async () => {
  const { terminals, made, read } = rig();
  const id = await terminals.open('fix', size, 7);
  const shown = made[0]?.shown;
  let pushed = 0;
  while (pushed < 1_000 && shown?.write(Buffer.alloc(4_096, 0x61)) !== false) pushed += 1;
  for (let turn = 0; turn < 200; turn += 1) {
    shown?.write(Buffer.alloc(4_096, 0x61));
    await settled();
  }
  expect(shown?.writableLength).toBeGreaterThan(256 * 1024);
  const { text } = await read(id);
  expect(text).toBe('a'.repeat(64 * 1024));
});

it('lets go of a terminal that nobody reads, and says so in the record', async () => {
  const { terminals, made, noted, clock, read } = rig();
  const id = await terminals.open('fix', size, 7);
  await read(id, 5_000);
  clock.advance(9_999);
  expect(made[0]?.closed).toBe(false);
  clock.advance(1);
  expect(made[0]?.closed).toBe(true);
  expect(noted).toEqual(['attached fix', 'detached fix: unread']);
  await expect(terminals.read(id, 7)).rejects.toThrow('not open any more');
  expect(clock.pending).toBe(0);
});

it('types nothing into a box that is locked by now, and ends its terminal', async () => {
  const { terminals, made, noted, lock, read } = rig();
  const id = await terminals.open('fix', size, 7);
  lock('locked');
  expect(() => terminals.type(id, 'rm -r .\n', 7)).toThrow('nothing was typed');
  await settled();
  expect(made[0]).toMatchObject({ typed: '', closed: true });
  expect(await read(id)).toEqual({ text: '', ended: 'locked' });
  await expect(terminals.open('fix', size, 7)).rejects.toThrow('It is locked.');
  expect(noted).toEqual(['attached fix', 'detached fix: locked']);
});

it('opens none that was locked meanwhile, or that the record does not take', async () => {
  const broken = rig({
    attached: () => {
      throw refuse('audit-unavailable', 'The disk is full.', 'Make room.');
    },
  });
  await expect(broken.terminals.open('fix', size, 7)).rejects.toThrow('The disk is full.');
  expect(broken.made[0]?.closed).toBe(true);
  expect(broken.noted).toEqual([]);
});

it('opens so many and no more, and again once one was left', async () => {
  const { terminals } = rig();
  const ids = await Promise.all(
    Array.from({ length: 16 }, async () => terminals.open('fix', size, 7)),
  );
  await expect(terminals.open('fix', size, 7)).rejects.toMatchObject({
    refusal: { code: 'concurrency-busy' },
  });
  terminals.leave(ids[0] ?? '', 7);
  // Left already is left.
  terminals.leave(ids[0] ?? '', 7);
  await terminals.open('fix', size, 7);
});

it('tells each reader that the runner ends', async () => {
  const { terminals, noted } = rig();
  const id = await terminals.open('fix', size, 7);
  const answer = terminals.read(id, 7);
  terminals.dispose();
  expect(await answer).toEqual({ output: '', ended: 'runner' });
  expect(noted.at(-1)).toBe('detached fix: runner');
});
