import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { table } from '../support/table.ts';
import { measureEgress } from './egress.bench.ts';
import { filesFigures } from './files.bench.ts';
import { chartOf, documented, ratiosOf, readRun, slowerThan, tableOf } from './report.ts';
import type { Figures, Run } from './report.ts';
import { soak } from './soak.bench.ts';
import type { SoakSample } from './soak.bench.ts';
import { fleetFigures, nodeFigures } from './nodes-tables.ts';
import { measureBoxes } from './boxes.bench.ts';
import { measureSandboxRuntime } from './sandbox-runtime.bench.ts';
import { measures, sandboxes, throughput } from './tables.ts';

const dist = resolve(import.meta.dirname, '../..');
const docs = resolve(dist, '..', 'docs');
const lastRun = join(docs, 'performance.json');
const machine = `${process.platform}, ${String(cpus().length)} × ${cpus()[0]?.model ?? 'CPU'}`;
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

say(`Node ${process.versions.node}, ${machine}\n`);
const { values: flags } = parseArgs({
  options: {
    docs: { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    egress: { type: 'boolean', default: false },
    others: { type: 'boolean', default: false },
    files: { type: 'boolean', default: false },
    throughput: { type: 'boolean', default: false },
    'sandbox-runtime': { type: 'boolean', default: false },
    boxes: { type: 'boolean', default: false },
    nodes: { type: 'boolean', default: false },
    decisions: { type: 'string', default: '1000000' },
    runs: { type: 'string', default: '10000' },
  },
});
if (flags.soak) await soaked();
else if (flags.egress) await egress();
else if (flags.files) show([await filesFigures(dist)]);
else if (flags.boxes) await boxes();
else if (flags.nodes) await nodes();
else if (flags.throughput) show(await throughput(dist));
else if (flags['sandbox-runtime']) {
  show(await sandboxes(dist));
  sandboxRuntime();
} else await everything();

/** All tables, held to the last run; with `--docs` they are written into the documentation. */
async function everything(): Promise<void> {
  const [loadBefore = 0] = loadavg();
  const all: Figures[] = [];
  for (const measure of measures) all.push(...show(await measure(dist)));
  if (!flags.docs) return;
  writeTables(all, loadBefore, '--docs');
  const run: Run = { ...circumstances(loadBefore), ratios: ratiosOf(all) };
  writeFileSync(lastRun, `${JSON.stringify(run, null, 2)}\n`);
  format(lastRun);
}

/** `--nodes`: runs on other machines, fleets, and their lockouts. Takes minutes. */
async function nodes(): Promise<void> {
  const [loadBefore = 0] = loadavg();
  const all = [...show(await nodeFigures(dist)), ...show(await fleetFigures(dist))];
  if (flags.docs) writeTables(all, loadBefore, '--nodes --docs');
}

/** Of a run that ends now. */
function circumstances(loadBefore: number): Omit<Run, 'ratios'> {
  const [loadAfter = 0] = loadavg();
  const day = new Date().toISOString().slice(0, 10);
  return { day, machine, node: process.versions.node, load: [loadBefore, loadAfter] };
}

/** Puts tables and charts where the documentation has those of the last run with these flags. */
function writeTables(all: readonly Figures[], loadBefore: number, given: string): void {
  const page = join(docs, 'performance.md');
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, documented(text, circumstances(loadBefore), all, given));
  for (const figures of all) {
    const chart = chartOf(figures);
    if (chart !== null) writeFileSync(join(docs, 'images', `${figures.id}.svg`), chart);
  }
  format(page);
}

function format(path: string): void {
  spawnSync(process.execPath, ['node_modules/prettier/bin/prettier.cjs', '--write', path], {
    cwd: resolve(dist, '..'),
  });
}

/** Prints tables, and in red what has become slower than in the run that the documentation shows. */
function show(figures: readonly Figures[] | string): readonly Figures[] {
  if (typeof figures === 'string') {
    say(`NOT MEASURED: ${figures}\n`);
    return [];
  }
  const last = existsSync(lastRun) ? readRun(readFileSync(lastRun, 'utf8')) : null;
  for (const each of figures) {
    say(tableOf(each));
    for (const { name, was, is } of slowerThan(last?.ratios ?? {}, [each]))
      say(styleText('red', `SLOWER: ${name}, ${is.toFixed(2)} after ${was.toFixed(2)}\n`));
  }
  return figures;
}

/** The proxy beside the straight way, a gigabyte at a time; with `--others` beside other proxies, with less. */
async function egress(): Promise<void> {
  const amounts = flags.others
    ? { seconds: 1, bytes: 100_000_000, rounds: 6, others: say }
    : { seconds: 3, bytes: 1_000_000_000, rounds: 3, others: null };
  const [before = 0] = loadavg();
  const figures = await measureEgress(dist, amounts);
  const [after = 0] = loadavg();
  const [direct] = figures;
  const ratio = (value: number, base: number | undefined): string =>
    `${value.toFixed(0)} (${(value / (base ?? NaN)).toFixed(2)})`;
  say('The egress proxy, all encrypted; in brackets the ratio to the straight way');
  say(`Load before ${before.toFixed(1)}, after ${after.toFixed(1)}`);
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

/** `--boxes`: from nothing to a prompt, and what idle boxes hold. */
async function boxes(): Promise<void> {
  const [loadBefore = 0] = loadavg();
  const { starts, idle } = await measureBoxes(15);
  const missing = starts.filter(({ ms }) => typeof ms === 'string');
  for (const { way, ms } of missing) say(`NOT MEASURED: ${way}: ${String(ms)}`);
  const figures: Figures = {
    id: 'boxes',
    columns: ['until it is ready', 'median'],
    rows: starts.flatMap(({ way, ms }) =>
      typeof ms === 'string' ? [] : [{ name: way, cells: [millis(ms)] }],
    ),
    note: `${String(idle.boxes)} idle boxes hold ${mib(idle.bytes / 1024 / 1024)} in all.`,
  };
  const all = show([figures]);
  if (flags.docs) writeTables(all, loadBefore, '--boxes --docs');
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

function millis(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function mib(value: number | null): string {
  return value === null ? 'not told here' : `${value.toFixed(0)} MiB`;
}
