import { expect, test } from 'vitest';
import { meaningOf } from '../../../runner/service/reload.ts';

const file = {};
const terminal = { isTTY: true };

test.each([
  ['SIGHUP', [file, file, file], 'reload'],
  ['SIGHUP', [file, file, terminal], 'stop'],
  ['SIGTERM', [file, file, file], 'stop'],
  ['SIGINT', [terminal, terminal, terminal], 'stop'],
] as const)('%s with the streams %j means %s', (signal, streams, meaning) => {
  expect(meaningOf(signal, streams)).toBe(meaning);
});
