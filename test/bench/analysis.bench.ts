import { readFileSync } from 'node:fs';
import { loadAnalyser } from '../../shared/node/grammar/load.ts';
import { surroundingsOf } from '../../shared/node/lookup/surroundings.ts';

/** One measured case; times are of one analysis, in microseconds. */
export interface AnalysisBench {
  readonly name: string;
  readonly commands: number;
  readonly median: number;
  readonly slowest: number;
  readonly perSecond: number;
}

const everyday = readFileSync(
  new URL('../fixtures/analysis/everyday-open.txt', import.meta.url),
  'utf8',
)
  .split('\n')
  .filter((line) => line !== '');

const cases: Readonly<Record<string, readonly string[]>> = {
  'everyday commands': everyday,
  'chains of five': everyday.map((_, at) => everyday.slice(at, at + 5).join(' && ')),
  'opaque commands': everyday.map((line) => `for x in a b; do ${line} "$x" $(id); done`),
  'worst case: 64 KB of words': [`ls ${'a '.repeat(32_000)}`],
  'worst case: 64 KB of pipes': [`ls${'|ls'.repeat(21_000)}`],
  'worst case: 64 KB of open quotes': [`ls ${"'".repeat(64_001)}`],
};

/** Analyses real commands on this machine; `milliseconds` bounds the time for each case. */
export async function benchAnalysis(milliseconds = 500): Promise<readonly AnalysisBench[]> {
  const analyser = await loadAnalyser();
  const cwd = process.cwd();
  const surroundings = surroundingsOf({
    env: process.env,
    uid: process.getuid?.() ?? 0,
    platform: process.platform,
  });
  return Object.entries(cases).map(([name, commands]) => {
    const times: number[] = [];
    const run = (until: number): void => {
      do {
        for (const command of commands) {
          const start = performance.now();
          analyser.analyse({ command, cwd }, surroundings);
          times.push((performance.now() - start) * 1000);
        }
      } while (performance.now() < until);
    };
    run(performance.now() + milliseconds / 3);
    times.length = 0;
    run(performance.now() + milliseconds);
    times.sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)] ?? 0;
    const sum = times.reduce((total, one) => total + one, 0);
    return {
      name,
      commands: commands.length,
      median,
      slowest: times.at(-1) ?? 0,
      perSecond: Math.round((times.length / sum) * 1e6),
    };
  });
}
