import { expect, test } from 'vitest';
import { parseLogLine } from '../../../../runner/service/log.ts';
import { createLog } from '../../../../runner/service/log.ts';

test('what the log writes is read back, level and words', () => {
  const lines: string[] = [];
  const log = createLog(
    (text) => lines.push(text.trimEnd()),
    () => 0,
  );
  log.info('Listening on /home/a/runner.sock');
  log.warn('two\nlines');
  log.error('no space left', new Error('ENOSPC'));
  expect(lines.map(parseLogLine)).toEqual([
    { level: 'info', message: 'Listening on /home/a/runner.sock' },
    { level: 'warn', message: 'two lines' },
    { level: 'error', message: expect.stringContaining('no space left: Error: ENOSPC') },
  ]);
});

test.each(['', 'interlock: the runner failed', 'info: no time before it'])(
  'a line that is not the log’s is none: %j',
  (line) => {
    expect(parseLogLine(line)).toBeNull();
  },
);

test('a line of the log tells no secret', () => {
  const lines: string[] = [];
  const log = createLog(
    (text) => lines.push(text.trimEnd()),
    () => 0,
  );
  log.error('It failed', new Error('connect postgres://app:hunter2S3@db.example refused'));
  expect(lines.join('')).toContain('postgres://app:[redacted]@db.example');
});
