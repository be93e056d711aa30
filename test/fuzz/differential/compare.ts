import type { Analyser } from '../../../shared/engine/plan/analyse.ts';
import type { Plan, Stage } from '../../../shared/engine/plan/types.ts';
import { quoteWord } from '../../../shared/engine/parse/shell-quote.ts';
import { seeded } from '../random.ts';
import type { Farm } from './farm.ts';
import { difference, type Difference } from './difference.ts';
import { randomLine } from './lines.ts';
import { mayReachOthers } from './reach.ts';
import { runLines, type Line, type Trace } from './run.ts';
import { onlyBash } from './shells.ts';

/** What became of one chunk of lines. */
export interface Tally {
  generated: number;
  opaque: number;
  /** Understood, but not run here: they could write or reach outside of the folder for it. */
  skipped: number;
  bash: number;
  /** Compared under dash as well; the others mean something else there. */
  dash: number;
  programs: number;
  readonly reasons: Map<string, number>;
  /** Kinds of failures, each with how often it was seen and its first example. */
  readonly failures: Map<string, { count: number; readonly example: string }>;
}

export function emptyTally(): Tally {
  return {
    generated: 0,
    opaque: 0,
    skipped: 0,
    bash: 0,
    dash: 0,
    programs: 0,
    reasons: new Map(),
    failures: new Map(),
  };
}

interface Planned extends Line {
  readonly plan: Plan;
  readonly canonical: string;
}

/** Generates `count` lines from a seed, and compares text, rendering and plan of each. */
export async function compareChunk(options: {
  analyser: Analyser;
  farm: Farm;
  seed: number;
  count: number;
  tally: Tally;
}): Promise<void> {
  const { analyser, farm, seed, count, tally } = options;
  const random = seeded(seed);
  const planned: Planned[] = [];
  for (let id = 0; id < count; id++) {
    const text = randomLine(random);
    const analysis = analyser.analyse({ command: text, cwd: farm.work }, farm.surroundings);
    tally.generated++;
    if (!analysis.ok) {
      tally.opaque++;
      tally.reasons.set(analysis.reason, (tally.reasons.get(analysis.reason) ?? 0) + 1);
      continue;
    }
    const { plan } = analysis;
    const writes = plan.stages.flatMap((stage) => stage.writes);
    const strays = writes.some((path) => !path.startsWith(`${farm.work}/out/`));
    if (strays || mayReachOthers(text, plan, farm.root)) tally.skipped++;
    else
      planned.push({ id, text, plan, canonical: renderExecution(plan), writes: writes.length > 0 });
  }
  await compareUnder('bash', planned, { farm, tally });
  await compareUnder(
    'dash',
    planned.filter((line) => !onlyBash(line.text, line.plan)),
    { farm, tally },
  );
}

/** What the runner would run, as text for a shell. */
function renderExecution({ execution }: Plan): string {
  if (execution === null) throw new Error('a command always has something to run');
  return execution.kind === 'shell' ? execution.text : execution.argv.map(quoteWord).join(' ');
}

async function compareUnder(
  shell: 'bash' | 'dash',
  lines: readonly Planned[],
  at: { farm: Farm; tally: Tally },
): Promise<void> {
  const { farm, tally } = at;
  const path = `/bin/${shell}`;
  const original = await runLines(farm, path, lines);
  const canonical = await runLines(
    farm,
    path,
    lines.map((line) => ({ ...line, text: line.canonical })),
  );
  for (const line of lines) {
    tally[shell]++;
    const first = original.get(line.id);
    const second = canonical.get(line.id);
    if (first === undefined || second === undefined) throw new Error('a line was lost');
    tally.programs += first.calls.length;
    let differs = difference(line.text, first, second);
    for (let again = 0; differs !== null && again < 5; again++)
      differs = await compareOnce(line, path, farm);
    const problem = differs ?? strangers(first, line.plan) ?? strangers(second, line.plan);
    if (problem !== null) record(tally, shell, line, problem);
  }
}

function record(tally: Tally, shell: string, line: Planned, problem: Difference): void {
  const kind = `${shell}: ${problem.kind}`;
  const texts = `text      ${JSON.stringify(line.text)}\n  canonical ${JSON.stringify(line.canonical)}`;
  const example = `${problem.detail}\n  ${texts}`;
  const known = tally.failures.get(kind);
  if (known === undefined) tally.failures.set(kind, { count: 1, example });
  else known.count++;
}

/** All kinds of failures with their counts; nothing where there is none. */
export function describeFailures({ failures }: Tally): string {
  return [...failures]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(([kind, { count, example }]) => `${count} × ${kind}\n  ${example}`)
    .join('\n\n');
}

/**
 * Once more, by itself. What a pipeline does when its reader ends first depends on chance; two
 * texts that mean the same agree sooner or later, two that do not never do.
 */
async function compareOnce(line: Planned, path: string, farm: Farm): Promise<Difference | null> {
  const text = await runLines(farm, path, [line]);
  const canonical = await runLines(farm, path, [{ ...line, text: line.canonical }]);
  const [first, second] = [text.get(line.id), canonical.get(line.id)];
  if (first === undefined || second === undefined) throw new Error('a line was lost');
  return difference(line.text, first, second);
}

/** A program that ran and stands in no stage of the plan. */
function strangers(trace: Trace, plan: Plan): Difference | null {
  // The plan says of such a stage that it runs more than can be seen, and no rule allows that.
  const mayRunMore = plan.stages.some(({ trust }) => !/^(?:open|named)$/.test(trust.level));
  for (const call of trace.calls) {
    if (call.program === 'collect' || mayRunMore) continue;
    if (!plan.stages.some((stage) => fits(stage, call.program, call.args)))
      return {
        kind: `${call.program} is not in the plan`,
        detail: JSON.stringify([call.program, ...call.args]),
      };
  }
  return null;
}

function fits(stage: Stage, program: string, args: readonly string[]): boolean {
  const [name = '', ...words] = stage.argv;
  if (stage.executable.kind !== 'file' || name.slice(name.lastIndexOf('/') + 1) !== program)
    return false;
  if (stage.globs.length > 0) return true;
  // The stand-ins leave out a "./" at the start of a word.
  return JSON.stringify(words.map((word) => word.replace(/^\.\//, ''))) === JSON.stringify(args);
}
