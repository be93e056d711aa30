import { expect, test } from 'vitest';
import { createBreachReports } from '../../../app/host/breaches.ts';
import type { BreachReport, ReportedBreach } from '../../../shared/wire/requests.ts';
import { isSignedReport } from '../../../shared/ipc/macs.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const token = 'a-token-of-at-least-thirty-two-bytes';

function reporting() {
  const clock = fakeClock();
  const taken: (readonly ReportedBreach[])[] = [];
  const lines: string[] = [];
  const world = { runner: true, token: token as string | null };
  const reports = createBreachReports({
    clock,
    token: async () => world.token,
    send: async (report: BreachReport) => {
      if (!world.runner) throw new Error('nobody listens');
      expect(isSignedReport(token, report)).toBe(true);
      taken.push(report.breaches);
    },
    log: (line) => lines.push(line),
  });
  /** Lets time pass in steps, and what was sent meanwhile arrive. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) {
      clock.advance(100);
      await new Promise(setImmediate);
    }
  };
  return { clock, world, reports, taken, lines, pass };
}

test('breaches of one kind go out as one, with their number', async () => {
  const { clock, reports, taken, pass } = reporting();
  const start = clock.now();
  reports.add('bad-mac', 7);
  await pass(500);
  reports.add('bad-mac', 8);
  reports.add('bad-json', null);
  expect(taken).toEqual([]);
  await pass(60_000);
  expect(taken).toEqual([
    [
      { code: 'bad-mac', count: 2, firstAt: start, lastAt: start + 500, pid: 8 },
      { code: 'bad-json', count: 1, firstAt: start + 500, lastAt: start + 500, pid: null },
    ],
  ]);
});

test('a flood is one report in a while, and nothing of it is lost', async () => {
  const { reports, taken, pass } = reporting();
  for (let n = 0; n < 100; n++) {
    reports.add('rate-exceeded', 7);
    await pass(100);
  }
  await pass(60_000);
  expect(taken.length).toBeLessThanOrEqual(6);
  expect(taken.flat().reduce((sum, { count }) => sum + count, 0)).toBe(100);
});

test('with no runner they wait, and go out together when there is one', async () => {
  const { clock, world, reports, taken, pass } = reporting();
  world.runner = false;
  const start = clock.now();
  reports.add('bad-mac', 7);
  await pass(30_000);
  reports.add('bad-mac', 9);
  world.runner = true;
  await pass(30_000);
  expect(taken).toEqual([
    [{ code: 'bad-mac', count: 2, firstAt: start, lastAt: start + 30_000, pid: 9 }],
  ]);
});

test('without a token nothing is sent, and nothing is forgotten', async () => {
  const { world, reports, taken, pass } = reporting();
  world.token = null;
  reports.add('bad-mac', 7);
  await pass(30_000);
  expect(taken).toEqual([]);
  world.token = token;
  await pass(30_000);
  expect(taken).toHaveLength(1);
});

test('closing reports what is left, and says so when nobody took it', async () => {
  const there = reporting();
  there.reports.add('bad-mac', 7);
  await there.reports.dispose();
  expect(there.taken).toHaveLength(1);
  const gone = reporting();
  gone.world.runner = false;
  gone.reports.add('bad-mac', 7);
  await gone.reports.dispose();
  expect(gone.lines).toEqual(['no runner took the report of these breaches: bad-mac']);
});
