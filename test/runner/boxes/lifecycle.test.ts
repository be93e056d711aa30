import { describe, expect, it, test } from 'vitest';
import {
  begin,
  makes,
  mendOf,
  operations,
  recover,
  stepsOf,
} from '../../../runner/boxes/lifecycle.ts';
import type { BoxStep, Journal, Operation } from '../../../runner/boxes/lifecycle.ts';

/** An operation that was cut off as its step of that number began; 0: before the first. */
function cutOff(operation: Operation, count: number): Journal {
  return stepsOf(operation)
    .slice(0, count)
    .reduce<Journal>((journal, step) => begin(journal, step), { operation, begun: [] });
}

const everywhere = operations.flatMap((operation) =>
  Array.from({ length: stepsOf(operation).length + 1 }, (_, count) => [operation, count] as const),
);

/** What is there after a crash: each step that was begun may have been done, half done or not. */
const left: Readonly<Record<Operation, readonly BoxStep[]>> = {
  up: ['workspace', 'key', 'keeper', 'windows'],
  start: ['keeper', 'windows'],
  stop: ['keeper', 'windows'],
  down: ['workspace', 'key', 'keeper', 'windows'],
};

describe('what a crash leaves', () => {
  it.each(everywhere)('of "%s" cut off after %i steps is all undone', (operation, count) => {
    const { undo, leaves } = recover(cutOff(operation, count));
    const there = makes(operation) ? stepsOf(operation).slice(0, count) : left[operation];
    expect(new Set(undo)).toEqual(new Set(there));
    expect(leaves).toBe(operation === 'up' || operation === 'down' ? 'nothing' : 'stopped');
  });

  it.each(everywhere)(
    'of "%s" cut off after %i steps ends the box before its key, and gives the workspace back last',
    (operation, count) => {
      const { undo } = recover(cutOff(operation, count));
      const order = ['windows', 'keeper', 'key', 'workspace'] as const;
      expect(undo).toEqual(order.filter((step) => undo.includes(step)));
    },
  );
});

test('a step begins only when it is its turn', () => {
  expect(() => begin({ operation: 'up', begun: [] }, 'windows')).toThrow('not the next one');
  expect(() => begin(cutOff('up', 3), 'key')).toThrow('not the next one');
});

describe('gc', () => {
  const sound = { record: { journal: null }, runs: true, hasFiles: true } as const;
  it.each([
    ['leaves a box that runs alone', sound, null],
    ['leaves one that is stopped alone', { ...sound, runs: false, hasFiles: false }, null],
    ['settles one that has ended by itself', { ...sound, runs: false }, 'settle'],
    ['ends what runs without a record', { record: 'none', runs: true, hasFiles: false }, 'end'],
    [
      'clears what lies about without a record',
      { record: 'none', runs: false, hasFiles: true },
      'end',
    ],
    ['does nothing where nothing is', { record: 'none', runs: false, hasFiles: false }, null],
    [
      'ends what a damaged record is about',
      { record: 'damaged', runs: false, hasFiles: false },
      'end',
    ],
    [
      'goes on with what was left in the middle, whether it runs or not',
      { record: { journal: cutOff('down', 1) }, runs: true, hasFiles: true },
      'recover',
    ],
  ] as const)('%s', (_, found, kind) => {
    expect(mendOf(found)?.kind ?? null).toBe(kind);
  });
});
