import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { surroundingsOf } from '../../shared/home/machine.ts';
import { loadAnalyser } from '../support/analyser.ts';
import { measureAdmission } from './admission.bench.ts';
import { measureAudit } from './audit.bench.ts';
import { commandTable, ruleTable } from './command-tables.ts';
import { measureDecisions } from './decisions.ts';
import { measureEgress } from './egress.bench.ts';
import { filesTable } from './files.bench.ts';
import { measureHook } from './hook.bench.ts';
import { measureLockout } from './lockout.bench.ts';
import type { LockoutFigures } from './lockout.bench.ts';
import { measurePrompts } from './prompt.bench.ts';
import { measureRoundTrips } from './protocol.bench.ts';
import { residentMiB, startRunnerProcess } from './runner-process.ts';
import { soak } from './soak.bench.ts';
import type { SoakSample } from './soak.bench.ts';
import { measureSandboxRuntime } from './sandbox-runtime.bench.ts';
import { measureSandbox } from './sandbox.bench.ts';
import { measureSpawns } from './spawn.ts';
import { measureThroughput } from './throughput.bench.ts';
import { measureUndo } from './undo.bench.ts';
import { table } from '../support/table.ts';

const dist = resolve(import.meta.dirname, '../..');
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

say(
  `Node ${process.versions.node}, ${process.platform}, ${String(cpus().length)} × ${cpus()[0]?.model ?? 'CPU'}\n`,
);
const { values: flags } = parseArgs({
  options: {
    soak: { type: 'boolean', default: false },
    egress: { type: 'boolean', default: false },
    files: { type: 'boolean', default: false },
    throughput: { type: 'boolean', default: false },
    'sandbox-runtime': { type: 'boolean', default: false },
    decisions: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '10000' },
  },
});
if (flags.soak) await soaked();
else if (flags.egress) await egress();
else if (flags.files) say(await filesTable(dist));
else if (flags.throughput) await throughput();
else if (flags['sandbox-runtime']) {
  await sandboxes();
  sandboxRuntime();
} else {
  await decisions();
  say(ruleTable());
  say(await commandTable(resolve(dist, '..')));
  await approvals();
  await prompts();
  await admission();
  await audit();
  say(await filesTable(dist));
  await processes();
  await throughput();
  await sandboxes();
  undo();
  await lockouts();
}

/** The proxy beside the straight way, a gigabyte at a time. */
async function egress(): Promise<void> {
  const figures = await measureEgress(dist, { seconds: 3, bytes: 1_000_000_000, rounds: 3 });
  const [direct] = figures;
  const ratio = (value: number, base: number | undefined): string =>
    `${value.toFixed(0)} (${(value / (base ?? NaN)).toFixed(2)})`;
  say('The egress proxy, all encrypted; in brackets the ratio to the straight way');
  say(
    table(
      ['way', 'requests/s', 'CPU µs/request', 'first ms', 'MB/s', 'grown MiB'],
      figures.map((each) => [
        each.way,
        ratio(each.requestsPerSecond, direct?.requestsPerSecond),
        `${each.processorUs.toFixed(0)} (${((direct?.processorUs ?? NaN) / each.processorUs).toFixed(2)})`,
        each.firstMs.toFixed(1),
        ratio(each.megabytesPerSecond, direct?.megabytesPerSecond),
        each.grownMiB === null ? '' : each.grownMiB.toFixed(0),
      ]),
    ),
  );
}

/** Analysis and decision, with few, many and very many rules. */
async function decisions(): Promise<void> {
  const analyser = await loadAnalyser();
  const uid = process.getuid?.() ?? -1;
  const surroundings = surroundingsOf({ env: process.env, uid, platform: process.platform });
  const cwd = mkdtempSync(join(tmpdir(), 'il-bench-'));
  const rows: string[][] = [];
  // Once for the compiler of the engine: a service that has been up for a minute is what counts.
  measureDecisions({ analyser, surroundings, cwd, rules: 1000, commands: 'mixed' });
  let first: number | null = null;
  for (const commands of ['simple', 'mixed'] as const)
    for (const rules of [10, 1000, 10_000]) {
      const figures = measureDecisions({ analyser, surroundings, cwd, rules, commands });
      first ??= figures.decideMicros;
      rows.push([
        `${commands}, ${rules.toLocaleString('en')} rules`,
        micros(figures.analyseMicros),
        micros(figures.decideMicros),
        `${(figures.decideMicros / first).toFixed(2)} ×`,
        Math.round(figures.perSecond).toLocaleString('en'),
      ]);
    }
  rmSync(cwd, { recursive: true, force: true });
  say(
    table(['decision', 'analyse', 'decide', 'decide, against the first', 'both, a second'], rows),
  );
}

/** Ask and answer over the real socket, with an approver that answers at once. */
async function approvals(): Promise<void> {
  const trips = await measureRoundTrips();
  say(
    table(
      ['approval round trip', 'a second', 'median', '99th percentile', 'opening a session'],
      [
        [
          `${trips.rounds.toLocaleString('en')} asks, one at a time`,
          Math.round(trips.perSecond).toLocaleString('en'),
          millis(trips.medianMs),
          millis(trips.p99Ms),
          millis(trips.openMs),
        ],
      ],
    ),
  );
}

/** What a person waits for: the start of everything, and a prompt on screen. */
async function prompts(): Promise<void> {
  const figures = await measurePrompts(dist);
  if (figures === null) {
    say('NOT MEASURED: prompts, because there is no Chromium here.\n');
    return;
  }
  say(
    table(
      ['prompt', 'start to page', 'first ask to screen', 'ask to screen, median', 'most'],
      [
        [
          `${String(figures.rounds)} asks, one at a time`,
          millis(figures.startMs),
          millis(figures.firstMs),
          millis(figures.medianMs),
          millis(figures.mostMs),
        ],
      ],
    ),
  );
}

/** What a request costs at the door, beside what it is for. */
async function admission(): Promise<void> {
  const figures = await measureAdmission();
  say(
    table(
      ['at the door', 'median'],
      figures.map(({ name, micros: value }) => [name, micros(value)]),
    ),
  );
}

/** The record beside a plain file: with a sync for each row, shared by many, and without. */
async function audit(): Promise<void> {
  const figures = await measureAudit();
  const row = (name: string, value: number, against: number): string[] => [
    name,
    micros(value),
    `${(value / against).toFixed(2)} ×`,
  ];
  const { plainSyncedMicros, plainMicros } = figures;
  say(
    table(
      ['audit row', 'mean', 'against plain'],
      [
        row('plain line, synced', plainSyncedMicros, plainSyncedMicros),
        row('decision, on the disk, one at a time', figures.durableMicros, plainSyncedMicros),
        row('decision, on the disk, 32 at once', figures.sharedMicros, plainSyncedMicros),
        row('plain line, not synced', plainMicros, plainMicros),
        row('row that is only written', figures.appendMicros, plainMicros),
      ],
    ),
  );
}

/** What it costs to start a command held by the kernel, or in a sandbox. */
async function sandboxes(): Promise<void> {
  const figures = await measureSandbox(join(dist, 'native', 'interlock-launcher'), 60);
  const cell = (ms: number | null, bare: number): string =>
    ms === null ? 'not here' : `${millis(ms)} (+${millis(ms - bare)})`;
  say(
    table(
      [
        'one command',
        'bare',
        'held to a rule',
        'in a sandbox',
        'in one of its session',
        'in bubblewrap',
      ],
      figures.map(({ line, bareMs, heldMs, boxMs, sessionMs, bubblewrapMs }) => [
        line,
        millis(bareMs),
        ...[heldMs, boxMs, sessionMs, bubblewrapMs].map((ms) => cell(ms, bareMs)),
      ]),
    ),
  );
}

/** The same in Anthropic's sandbox-runtime, which wants a newer Node: beside its own bare start. */
function sandboxRuntime(): void {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-bench-')));
  try {
    spawnSync('git', ['init', '-q', folder]);
    const figures = measureSandboxRuntime(folder, ['/usr/bin/true', 'git status --short'], 30);
    if (typeof figures === 'string') say(`sandbox-runtime was not measured: ${figures}`);
    else
      say(
        table(
          ['one command, by a shell', 'bare', 'in sandbox-runtime'],
          figures.map(({ line, bareMs, wrappedMs }) => [
            line,
            millis(bareMs),
            `${millis(wrappedMs)} (+${millis(wrappedMs - bareMs)})`,
          ]),
        ),
      );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What keeping a workspace of 50,000 files costs around one command. */
function undo(): void {
  say(
    table(
      [
        'undo, 50,000 files',
        'waits',
        'of it processor',
        'beside it, after',
        'of it processor',
        'kept',
      ],
      measureUndo(50_000).map(({ name, waitMs, waitCpuMs, afterMs, afterCpuMs, keptBytes }) => [
        name,
        ...[waitMs, waitCpuMs, afterMs, afterCpuMs].map(millis),
        `${(keptBytes / 1_000).toFixed(0)} kB`,
      ]),
    ),
  );
}

/** What a command pays for the gate, and what the runner weighs. */
async function processes(): Promise<void> {
  const runner = await startRunnerProcess(dist);
  try {
    await delay(2000);
    const idle = residentMiB(runner.pid);
    const cli = join(dist, 'runner', 'cli', 'main.js');
    const spawns = measureSpawns({ cli, env: runner.env, rounds: 25 });
    const against = (ms: number): string => `${(ms / spawns.nodeMs).toFixed(2)} ×`;
    const after = residentMiB(runner.pid);
    say(
      table(
        ['one process', 'median', 'against an empty Node'],
        [
          ['true', millis(spawns.bareMs), against(spawns.bareMs)],
          ['node -e 0', millis(spawns.nodeMs), '1.00 ×'],
          ['interlock run -- true', millis(spawns.runMs), against(spawns.runMs)],
          [
            'added by interlock run',
            millis(spawns.runMs - spawns.bareMs),
            against(spawns.runMs - spawns.bareMs),
          ],
        ],
      ),
    );
    const hook = measureHook(dist, runner);
    const row = (name: string, ms: number): string[] => [
      name,
      millis(ms),
      `${(ms / hook.nodeMs).toFixed(2)} ×`,
    ];
    say(
      table(
        ['the hook of an agent host', 'median', 'against an empty Node'],
        [
          row('true', hook.trueMs),
          row('node -e 0', hook.nodeMs),
          row('hook, without a key', hook.plainMs),
          row('hook, signing', hook.signedMs),
          row('hook, not bundled', hook.modulesMs),
        ],
      ),
    );
    say(
      table(
        ['runner, resident memory', 'idle', 'after 25 commands'],
        [['', mib(idle), mib(after)]],
      ),
    );
  } finally {
    await runner.stop();
  }
}

/** Decisions and commands a second, beside what the machine can start at all. */
async function throughput(): Promise<void> {
  const figures = await measureThroughput(dist, { seconds: 5, callers: [1, 8, 64] });
  const spawns = new Map(
    figures.flatMap((each) =>
      each.runnerMicros === null ? [[each.callers, each.perSecond] as const] : [],
    ),
  );
  say(
    table(
      ['asked by', 'callers', 'a second', 'against spawns', 'median', 'p99', 'runner, each'],
      figures.map(({ what, callers, perSecond, medianMs, p99Ms, runnerMicros }) => [
        what,
        String(callers),
        perSecond.toFixed(0),
        `${(perSecond / (spawns.get(callers) ?? NaN)).toFixed(2)} ×`,
        millis(medianMs),
        millis(p99Ms),
        runnerMicros === null ? '' : micros(runnerMicros),
      ]),
    ),
  );
}

/** From the click to the last signal and the last trap, with many commands and more on their way. */
async function lockouts(): Promise<void> {
  const rounds: LockoutFigures[] = [];
  for (let round = 0; round < 5; round += 1) rounds.push(await measureLockout(dist));
  const loads = rounds.map(({ load }) => load.toFixed(1)).join(', ');
  const row = (name: string, pick: (figures: LockoutFigures) => number): string[] => {
    const times = rounds.map(pick).toSorted((a, b) => a - b);
    return [name, millis(times[0] ?? NaN), millis(times[Math.floor(times.length / 2)] ?? NaN)];
  };
  const counts = rounds.map(({ stopped, late, startedAfter }) => [stopped, late, startedAfter]);
  const sum = (at: number): string =>
    counts.reduce((total, one) => total + (one[at] ?? 0), 0).toLocaleString('en');
  say(
    table(
      ['lockout, 200 commands, from the click', 'best of 5', 'median'],
      [
        row('every command has been sent its signal', ({ signalledMs }) => signalledMs),
        row('half of their traps have run', ({ medianTrapMs }) => medianTrapMs),
        row('all of their traps have run', ({ lastTrapMs }) => lastTrapMs),
        row('confirmed, with nothing left', ({ confirmedMs }) => confirmedMs),
      ],
    ),
  );
  say(`${sum(0)} stopped; of ${sum(1)} sent during it, ${sum(2)} started. Load: ${loads}.\n`);
}

/** `--soak`: a runner at work for long, and whether it grows. Tells each tenth as it comes. */
async function soaked(): Promise<void> {
  const line = (sample: SoakSample): string[] => [
    `${sample.done.toLocaleString('en')} ${sample.part}`,
    mib(sample.medianMib),
    mib(sample.mostMib),
    sample.descriptors === null ? 'not told here' : String(sample.descriptors),
    Math.round(sample.perSecond).toLocaleString('en'),
  ];
  const samples = await soak(dist, {
    decisions: Number(flags.decisions),
    runs: Number(flags.runs),
    onLook: (sample) => say(line(sample).join('   ')),
  });
  say(table(['after', 'resident, median', 'most', 'descriptors', 'a second'], samples.map(line)));
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
