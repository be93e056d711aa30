import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { surroundingsOf } from '../../shared/home/machine.ts';
import { loadAnalyser } from '../support/analyser.ts';
import { measureAdmission } from './admission.bench.ts';
import { measureAudit } from './audit.bench.ts';
import { commandFigures, ruleFigures } from './command-tables.ts';
import { measureDecisions } from './decisions.ts';
import { filesFigures } from './files.bench.ts';
import { measureHook } from './hook.bench.ts';
import { measureLockout } from './lockout.bench.ts';
import type { LockoutFigures } from './lockout.bench.ts';
import { measurePrompts } from './prompt.bench.ts';
import { measureRoundTrips } from './protocol.bench.ts';
import type { Figures, Measured } from './report.ts';
import { residentMiB, startRunnerProcess } from './runner-process.ts';
import { measureSandbox } from './sandbox.bench.ts';
import { measureSpawns } from './spawn.ts';
import { measureThroughput } from './throughput.bench.ts';
import { measureUndo } from './undo.bench.ts';

/** Measures some tables of the product that was built in `dist`; a sentence where this machine lacks what it takes. */
export type Measure = (dist: string) => Promise<readonly Figures[] | string>;

/** Everything that `npm run bench` measures, in the order in which it is shown. */
export const measures: readonly Measure[] = [
  decisions,
  processes,
  throughput,
  sandboxes,
  async (dist) => [await filesFigures(dist)],
  approvals,
  prompts,
  admission,
  audit,
  undo,
  lockouts,
];

/** Microseconds for a fixed piece of work: what other machines and other loads are told by. */
function yardstick(): number {
  const value = Array.from({ length: 40 }, (_, at) => ({ at, text: `value ${String(at)}` }));
  const taken = Array.from({ length: 400 }, () => {
    const from = performance.now();
    for (let round = 0; round < 10; round += 1) JSON.parse(JSON.stringify(value));
    return (performance.now() - from) * 100;
  });
  return taken.toSorted((a, b) => a - b)[200] ?? NaN;
}

/** Analysis and decision, with few, many and very many rules. */
async function decisions(dist: string): Promise<readonly Figures[]> {
  const analyser = await loadAnalyser();
  const uid = process.getuid?.() ?? -1;
  const surroundings = surroundingsOf({ env: process.env, uid, platform: process.platform });
  const cwd = mkdtempSync(join(tmpdir(), 'il-bench-'));
  const rows: Measured[] = [];
  const unit = yardstick();
  // Once for the compiler of the engine: a service that has been up for a minute is what counts.
  measureDecisions({ analyser, surroundings, cwd, rules: 1000, commands: 'mixed' });
  for (const commands of ['simple', 'mixed'] as const)
    for (const rules of [10, 1000, 10_000]) {
      const measured = measureDecisions({ analyser, surroundings, cwd, rules, commands });
      const { analyseMicros, decideMicros, perSecond } = measured;
      rows.push({
        name: `${commands}, ${rules.toLocaleString('en')} rules`,
        cells: [
          micros(analyseMicros),
          micros(decideMicros),
          `${((analyseMicros + decideMicros) / unit).toFixed(1)} ×`,
          Math.round(perSecond).toLocaleString('en'),
        ],
        ratio: (analyseMicros + decideMicros) / unit,
        bar: analyseMicros + decideMicros,
      });
    }
  rmSync(cwd, { recursive: true, force: true });
  const figures: Figures = {
    id: 'decisions',
    columns: ['decision', 'analyse', 'decide', 'both, against a yardstick', 'both, a second'],
    rows,
    unit: 'µs',
    note: `The yardstick is one \`JSON.stringify\` and \`JSON.parse\` of forty small objects: ${micros(unit)} here.`,
  };
  return [figures, ruleFigures(unit), await commandFigures(resolve(dist, '..'), unit)];
}

/** Ask and answer over the real socket, with an approver that answers at once. */
async function approvals(): Promise<readonly Figures[]> {
  const trips = await measureRoundTrips();
  const cells = [
    Math.round(trips.perSecond).toLocaleString('en'),
    millis(trips.medianMs),
    millis(trips.p99Ms),
    millis(trips.openMs),
  ];
  const name = `${trips.rounds.toLocaleString('en')} asks, one at a time`;
  const columns = [
    'approval round trip',
    'a second',
    'median',
    '99th percentile',
    'opening a session',
  ];
  return [{ id: 'approvals', columns, rows: [{ name, cells }] }];
}

/** What a person waits for: the start of everything, and a prompt on screen. */
async function prompts(dist: string): Promise<readonly Figures[] | string> {
  const figures = await measurePrompts(dist);
  if (figures === null) return 'prompts, because there is no Chromium here.';
  const { rounds, startMs, firstMs, medianMs, mostMs } = figures;
  const columns = [
    'prompt',
    'start to page',
    'first ask to screen',
    'ask to screen, median',
    'most',
  ];
  const cells = [startMs, firstMs, medianMs, mostMs].map(millis);
  return [
    { id: 'prompts', columns, rows: [{ name: `${String(rounds)} asks, one at a time`, cells }] },
  ];
}

/** What a request costs at the door, beside what it is for. */
async function admission(): Promise<readonly Figures[]> {
  const unit = yardstick();
  const rows = (await measureAdmission()).map(({ name, micros: value }) => ({
    name,
    cells: [micros(value)],
    ratio: value / unit,
  }));
  return [{ id: 'admission', columns: ['at the door', 'median'], rows }];
}

/** The record beside a plain file: with a sync for each row, shared by many, and without. */
async function audit(): Promise<readonly Figures[]> {
  const figures = await measureAudit();
  const row = (name: string, value: number, against: number): Measured => ({
    name,
    cells: [micros(value), times(value / against)],
    ratio: value / against,
  });
  const { plainSyncedMicros, plainMicros } = figures;
  const rows = [
    row('plain line, synced', plainSyncedMicros, plainSyncedMicros),
    row('decision, on the disk, one at a time', figures.durableMicros, plainSyncedMicros),
    row('decision, on the disk, 32 at once', figures.sharedMicros, plainSyncedMicros),
    row('plain line, not synced', plainMicros, plainMicros),
    row('row that is only written', figures.appendMicros, plainMicros),
  ];
  return [{ id: 'audit', columns: ['audit row', 'mean', 'against plain'], rows }];
}

/** What only tells a program how, and makes a line long. */
const options = / (?:-[cm] \S+|--\S+)/gu;

/** What it costs to start a command held by the kernel, or in a sandbox, beside a bare start. */
export async function sandboxes(dist: string): Promise<readonly Figures[]> {
  const measured = await measureSandbox(join(dist, 'native', 'interlock-launcher'), 60);
  const rows = measured.flatMap(({ line, bareMs, heldMs, boxMs, sessionMs, bubblewrapMs }) => {
    const ways = [
      ['bare', bareMs],
      ['held to a rule', heldMs],
      ['in a sandbox', boxMs],
      ['in one of its session', sessionMs],
      ['in bubblewrap', bubblewrapMs],
    ] as const;
    return ways.flatMap(([way, ms]): Measured[] =>
      ms === null
        ? []
        : [
            {
              name: `${line.replaceAll(options, '')}, ${way}`,
              cells: [millis(ms), `+${millis(ms - bareMs)}`, times(ms / bareMs)],
              ratio: ms / bareMs,
              bar: ms,
            },
          ],
    );
  });
  const columns = ['one command', 'median', 'added', 'against bare'];
  return [{ id: 'sandboxes', columns, rows, unit: 'ms' }];
}

/** What keeping a workspace of 50,000 files costs around one command. */
async function undo(): Promise<readonly Figures[]> {
  const rows = measureUndo(50_000).map(
    ({ name, waitMs, waitCpuMs, afterMs, afterCpuMs, keptBytes }): Measured => ({
      name,
      cells: [
        ...[waitMs, waitCpuMs, afterMs, afterCpuMs].map(millis),
        `${(keptBytes / 1_000).toFixed(0)} kB`,
      ],
    }),
  );
  const columns = [
    'undo, 50,000 files',
    'waits',
    'of it processor',
    'beside it, after',
    'of it processor',
    'kept',
  ];
  return [{ id: 'undo', columns, rows }];
}

/** What a command pays for the gate, and what the runner weighs. */
async function processes(dist: string): Promise<readonly Figures[]> {
  const runner = await startRunnerProcess(dist);
  try {
    await delay(2000);
    const idle = residentMiB(runner.pid);
    const cli = join(dist, 'runner', 'cli', 'main.js');
    const spawns = measureSpawns({ cli, env: runner.env, rounds: 25 });
    const after = residentMiB(runner.pid);
    const hook = measureHook(dist, runner);
    const against =
      (node: number) =>
      (name: string, ms: number | null): Measured[] =>
        ms === null
          ? []
          : [{ name, cells: [millis(ms), times(ms / node)], ratio: ms / node, bar: ms }];
    const one = against(spawns.nodeMs);
    const call = against(hook.nodeMs);
    return [
      {
        id: 'processes',
        columns: ['one process', 'median', 'against an empty Node'],
        rows: [
          ...one('true', spawns.bareMs),
          ...one('node -e 0', spawns.nodeMs),
          ...one('interlock run -- true', spawns.runMs),
        ],
        unit: 'ms',
      },
      {
        id: 'hook',
        columns: ['the hook of an agent host', 'median', 'against an empty Node'],
        rows: [
          ...call('true', hook.trueMs),
          ...call('node -e 0', hook.nodeMs),
          ...call('hook, without a key', hook.plainMs),
          ...call('hook, signing', hook.signedMs),
          ...call('native client, without a key', hook.clientMs),
          ...call('native client, signing', hook.clientSignedMs),
          ...call('native client, what is typed', hook.clientPromptMs),
        ],
        unit: 'ms',
      },
      {
        id: 'memory',
        columns: ['resident memory', 'idle', 'after 25 commands'],
        rows: [{ name: 'the runner', cells: [mib(idle), mib(after)] }],
      },
    ];
  } finally {
    await runner.stop();
  }
}

/** Decisions and commands a second, beside what the machine can start at all. */
export async function throughput(dist: string): Promise<readonly Figures[]> {
  const measured = await measureThroughput(dist, { seconds: 5, callers: [1, 8, 64] });
  const spawns = new Map(
    measured.flatMap((each) =>
      each.runnerMicros === null ? [[each.callers, each.perSecond] as const] : [],
    ),
  );
  const rows = measured.map(
    ({ what, callers, perSecond, medianMs, p99Ms, runnerMicros }): Measured => {
      const ratio = perSecond / (spawns.get(callers) ?? NaN);
      return {
        name: `${what}, ${String(callers)} at once`,
        cells: [
          perSecond.toFixed(0),
          times(ratio),
          millis(medianMs),
          millis(p99Ms),
          runnerMicros === null ? '' : micros(runnerMicros),
        ],
        ratio,
        bar: perSecond,
      };
    },
  );
  const columns = ['asked by', 'a second', 'against spawns', 'median', 'p99', 'runner, each'];
  return [{ id: 'throughput', columns, rows, greaterIs: 'better', unit: 'a second' }];
}

/** From the click to the last signal and the last trap, with many commands and more on their way. */
async function lockouts(dist: string): Promise<readonly Figures[]> {
  const rounds: LockoutFigures[] = [];
  for (let round = 0; round < 5; round += 1) rounds.push(await measureLockout(dist));
  const row = (name: string, pick: (figures: LockoutFigures) => number): Measured => {
    const taken = rounds.map(pick).toSorted((a, b) => a - b);
    const [best = NaN, middle = NaN] = [taken[0], taken[Math.floor(taken.length / 2)]];
    return { name, cells: [millis(best), millis(middle)], bar: middle };
  };
  const sum = (pick: (figures: LockoutFigures) => number): string =>
    rounds.reduce((total, one) => total + pick(one), 0).toLocaleString('en');
  const stopped = sum((one) => one.stopped);
  const late = sum((one) => one.late);
  const started = sum((one) => one.startedAfter);
  return [
    {
      id: 'lockout',
      columns: ['lockout, 200 commands, from the click', 'best of 5', 'median'],
      rows: [
        row('every command has been sent its signal', ({ signalledMs }) => signalledMs),
        row('half of their traps have run', ({ medianTrapMs }) => medianTrapMs),
        row('all of their traps have run', ({ lastTrapMs }) => lastTrapMs),
        row('confirmed, with nothing left', ({ confirmedMs }) => confirmedMs),
      ],
      unit: 'ms',
      note: `${stopped} were stopped; of ${late} sent during it, ${started} started.`,
    },
  ];
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)} ×`;
}

function micros(value: number): string {
  return `${value.toFixed(1)} µs`;
}

function millis(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function mib(value: number | null): string {
  return value === null ? 'not told here' : `${value.toFixed(0)} MiB`;
}
