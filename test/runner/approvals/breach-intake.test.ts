import { expect, test } from 'vitest';
import { createBreachIntake } from '../../../runner/approvals/breach-intake.ts';
import { answerWindowMs } from '../../../shared/wire/limits.ts';
import type { BreachReport, ReportedBreach } from '../../../shared/wire/requests.ts';
import { signReport } from '../../../shared/ipc/macs.ts';
import { refusalOf } from '../../../shared/base/refusal.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { token } from './support.ts';

const once: ReportedBreach = { code: 'bad-mac', count: 1, firstAt: 5, lastAt: 5, pid: 4711 };
const often: ReportedBreach = {
  code: 'nonce-used',
  count: 12,
  firstAt: 0,
  lastAt: 60_000,
  pid: null,
};

function intake(options: { readonly token?: string | null; readonly full?: boolean } = {}) {
  const clock = fakeClock();
  const rows: (readonly [code: string, text: string])[] = [];
  const take = createBreachIntake({
    clock,
    token: async () => (options.token === undefined ? token : options.token),
    note: (code, text) => {
      if (options.full === true) throw new Error('ENOSPC');
      rows.push([code, text]);
    },
  });
  const sign = (breaches: readonly ReportedBreach[] = [once], key = token): BreachReport =>
    signReport({ token: key, now: () => clock.now() }, breaches);
  const codeOf = async (report: BreachReport): Promise<string> => {
    try {
      return `wrote ${String(await take(report))}`;
    } catch (error) {
      return refusalOf(error)?.code ?? 'threw';
    }
  };
  return { clock, rows, sign, codeOf };
}

test('each kind of breach becomes one row, with its number, time and process', async () => {
  const { rows, sign, codeOf } = intake();
  expect(await codeOf(sign([once, often]))).toBe('wrote 2');
  expect(rows).toEqual([
    [
      'approver-saw-bad-mac',
      'The approver closed a connection at 1970-01-01T00:00:00.005Z (process 4711). It allowed nothing.',
    ],
    [
      'approver-saw-nonce-used',
      'The approver closed 12 connections since 1970-01-01T00:00:00.000Z, the last one at 1970-01-01T00:01:00.000Z. They allowed nothing.',
    ],
  ]);
});

test.each([
  ['another number', (report: BreachReport) => ({ ...report, breaches: [{ ...once, count: 2 }] })],
  ['another kind', (report: BreachReport) => ({ ...report, breaches: [{ ...once, code: 'x-y' }] })],
  [
    'another process',
    (report: BreachReport) => ({ ...report, breaches: [{ ...once, pid: null }] }),
  ],
  ['one more breach', (report: BreachReport) => ({ ...report, breaches: [once, often] })],
  ['another time', (report: BreachReport) => ({ ...report, ts: report.ts + 1 })],
  ['another nonce', (report: BreachReport) => ({ ...report, nonce: 'A'.repeat(43) })],
])('a report with %s than was signed writes nothing', async (_name, change) => {
  const { rows, sign, codeOf } = intake();
  expect(await codeOf(change(sign()))).toBe('hmac-fail');
  expect(rows).toEqual([]);
});

test('who does not know the token cannot report, nor can anybody while there is none', async () => {
  expect(await intake().codeOf(intake().sign([once], 'guessed'))).toBe('hmac-fail');
  const without = intake({ token: null });
  expect(await without.codeOf(without.sign())).toBe('hmac-fail');
});

test('a report counts once, and only while it is fresh', async () => {
  const { clock, rows, sign, codeOf } = intake();
  const report = sign();
  const old = sign();
  expect(await codeOf(report)).toBe('wrote 1');
  expect(await codeOf(report)).toBe('replay-detected');
  clock.advance(answerWindowMs + 1);
  expect(await codeOf(old)).toBe('replay-detected');
  expect(rows).toHaveLength(1);
});

test('what the log does not take is refused, so that the approver keeps it', async () => {
  const { sign, codeOf } = intake({ full: true });
  expect(await codeOf(sign())).toBe('audit-unavailable');
});
