import { commandCases, judgeOn, measureCommands } from './commands.bench.ts';
import type { Figures } from './report.ts';
import { ruleRates } from './rules.bench.ts';

/**
 * Analysis and decision of everyday and of hostile commands; `root` is the project's folder.
 * `yardstick` is microseconds of a fixed piece of work in the same run.
 */
export async function commandFigures(root: string, yardstick: number): Promise<Figures> {
  const judge = await judgeOn(root);
  const figures = commandCases(root).map((one) => measureCommands(one, judge));
  const first = figures[0]?.median ?? NaN;
  return {
    id: 'commands',
    columns: ['analysis and decision', 'median', 'against everyday', 'slowest', 'a second'],
    rows: figures.map(({ name, median, slowest, perSecond }) => ({
      name,
      cells: [
        millis(median),
        `${(median / first).toFixed(1)} ×`,
        millis(slowest),
        perSecond.toLocaleString('en'),
      ],
      ratio: median / yardstick,
    })),
  };
}

/** Decisions on plans that are there already: exact rules alone, and with subcommands and globs. */
export function ruleFigures(yardstick: number): Figures {
  return {
    id: 'rules',
    columns: ['decision on a plan', 'mean', 'a second'],
    rows: ruleRates().map(({ mix, rules, microseconds, perSecond }) => ({
      name: `${rules.toLocaleString('en')} rules, ${mix === 'exact' ? 'all exact' : 'a third of them globs'}`,
      cells: [`${microseconds.toFixed(1)} µs`, Math.round(perSecond).toLocaleString('en')],
      ratio: microseconds / yardstick,
      bar: microseconds,
    })),
    unit: 'µs',
  };
}

function millis(microseconds: number): string {
  return `${(microseconds / 1000).toFixed(2)} ms`;
}
