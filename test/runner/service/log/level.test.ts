import { fstatSync, openSync, closeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { goesToJournal } from '../../../../runner/service/log.ts';
import { createLog } from '../../../../runner/service/log.ts';
import type { LogOptions } from '../../../../runner/service/log.ts';

function written(options: LogOptions): readonly string[] {
  const lines: string[] = [];
  const log = createLog(
    (text) => lines.push(text.trimEnd()),
    () => 0,
    options,
  );
  log.info('one');
  log.warn('two\nlines');
  log.error('three');
  return lines;
}

test.each([
  ['info', 3],
  ['warn', 2],
  ['error', 1],
] as const)('at the level %s, %i of three lines are written', (level, count) => {
  expect(written({ level: () => level })).toHaveLength(count);
});

test('the journal gets the weight as a number and no time, one line a message', () => {
  expect(written({ isJournal: true })).toEqual(['<6>one', '<4>two lines', '<3>three']);
});

test('a stream goes to the journal only when systemd names it', () => {
  const fd = openSync('/dev/null', 'r');
  const { dev, ino } = fstatSync(fd, { bigint: true });
  expect(goesToJournal({ JOURNAL_STREAM: `${dev}:${ino}` }, fd)).toBe(true);
  expect(goesToJournal({ JOURNAL_STREAM: '1:2' }, fd)).toBe(false);
  expect(goesToJournal({}, fd)).toBe(false);
  closeSync(fd);
});
