import { commandCases, judgeOn, measureCommands } from './commands.bench.ts';
import { ruleRates } from './rules.bench.ts';
import { table } from '../support/table.ts';

/** Analysis and decision of everyday and of hostile commands; `root` is the project's folder. */
export async function commandTable(root: string): Promise<string> {
  const judge = await judgeOn(root);
  const figures = commandCases(root).map((one) => measureCommands(one, judge));
  const first = figures[0]?.median ?? NaN;
  return table(
    ['analysis and decision', 'median', 'against everyday', 'slowest', 'a second'],
    figures.map(({ name, median, slowest, perSecond }) => [
      name,
      millis(median),
      `${(median / first).toFixed(1)} ×`,
      millis(slowest),
      perSecond.toLocaleString('en'),
    ]),
  );
}

/** Decisions on plans that are there already: exact rules alone, and with subcommands and globs. */
export function ruleTable(): string {
  return table(
    ['decision on a plan', 'mean', 'a second'],
    ruleRates().map(({ mix, rules, microseconds, perSecond }) => [
      `${rules.toLocaleString('en')} rules, ${mix === 'exact' ? 'all exact' : 'a third of them globs'}`,
      `${microseconds.toFixed(1)} µs`,
      Math.round(perSecond).toLocaleString('en'),
    ]),
  );
}

function millis(microseconds: number): string {
  return `${(microseconds / 1000).toFixed(2)} ms`;
}
