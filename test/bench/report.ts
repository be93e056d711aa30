import { compile, readJson, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { table } from '../support/table.ts';

/** One line of a table of figures. */
export interface Measured {
  readonly name: string;
  /** What stands in the columns after the name, as people read it. */
  readonly cells: readonly string[];
  /** How it stands to the limit of its table, both of one run, so that machines can be compared. */
  readonly ratio?: number;
  /** Length of its bar in the chart, in the unit of the table. */
  readonly bar?: number;
}

/** A table of figures. */
export interface Figures {
  /** Name of the chart's file; with a line's name, what its ratio is kept under. */
  readonly id: string;
  readonly columns: readonly string[];
  readonly rows: readonly Measured[];
  /** Whether a greater ratio is worse, as with times, or better, as with rates. */
  readonly greaterIs?: 'worse' | 'better';
  /** Of the bars. */
  readonly unit?: string;
  /** A sentence below the table. */
  readonly note?: string;
}

const runSchema = s.object({
  day: s.string(),
  machine: s.string(),
  node: s.string(),
  /** Of the machine in the minute before, at the start and at the end. */
  load: s.tuple(s.number(), s.number()),
  ratios: s.record(s.number()),
});
/** What is kept of a run, for the next one to be held to. */
export type Run = Static<typeof runSchema>;
const checkRun = compile(runSchema);

/** The run in a file's text; null where it is none. */
export function readRun(text: string): Run | null {
  const checked = readJson(checkRun, text);
  return checked.ok ? checked.value : null;
}

/** A line that has become slower than it was. */
export interface Slower {
  readonly name: string;
  readonly was: number;
  readonly is: number;
}

/** By more than this a line is called slower: machines that others use differ by less from run to run. */
export const slowerBy = 4 / 3;

/** The ratios of some tables, each by the name of its table and its line. */
export function ratiosOf(figures: readonly Figures[]): Readonly<Record<string, number>> {
  const named = figures.flatMap(({ id, rows }) =>
    rows.flatMap(({ name, ratio }) =>
      ratio === undefined ? [] : [[`${id}/${name}`, Number(ratio.toPrecision(3))] as const],
    ),
  );
  return Object.fromEntries(named);
}

/** What is slower than in the last run, by more than a third. A line that was not there is not. */
export function slowerThan(last: Run['ratios'], figures: readonly Figures[]): readonly Slower[] {
  return figures.flatMap(({ id, rows, greaterIs = 'worse' }) =>
    rows.flatMap(({ name, ratio }) => {
      const was = Object.hasOwn(last, `${id}/${name}`) ? last[`${id}/${name}`] : undefined;
      if (was === undefined || ratio === undefined) return [];
      const change = greaterIs === 'worse' ? ratio / was : was / ratio;
      return change > slowerBy ? [{ name: `${id}/${name}`, was, is: ratio }] : [];
    }),
  );
}

/** The table, for a terminal and for the documentation alike. */
export function tableOf({ columns, rows, note }: Figures): string {
  const text = table(
    columns,
    rows.map(({ name, cells }) => [name, ...cells]),
  );
  return note === undefined ? text : `${text}\n${note}\n`;
}

const bar = { width: 300, height: 14, gap: 8 };
/** About as wide as a letter of the text is. */
const letter = 6.7;

/** The bars of a table as a drawing for light and dark pages; null where it has none. */
export function chartOf({ rows, unit = '', columns }: Figures): string | null {
  const drawn = rows.flatMap(({ name, bar: length }) =>
    length === undefined ? [] : [{ name, length }],
  );
  if (drawn.length < 2) return null;
  const most = Math.max(...drawn.map(({ length }) => length));
  const step = bar.height + bar.gap;
  const left = Math.ceil(Math.max(...drawn.map(({ name }) => name.length)) * letter) + 12;
  const lines = drawn.map(({ name, length }, at) => {
    const top = bar.gap + at * step;
    const width = Math.max(1, Math.round((length / most) * bar.width));
    const base = top + bar.height - 3;
    const said = `${roundly(length)}${unit === '' ? '' : ` ${unit}`}`;
    return [
      `<text x="${left - 8}" y="${base}" text-anchor="end">${escaped(name)}</text>`,
      `<rect x="${left}" y="${top}" width="${width}" height="${bar.height}" rx="2"/>`,
      `<text x="${left + width + 6}" y="${base}">${escaped(said)}</text>`,
    ].join('\n');
  });
  const [width, height] = [left + bar.width + 120, bar.gap + drawn.length * step];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(columns[0] ?? '')}">
<style>
text { font: 12px system-ui, sans-serif; fill: #24292f }
rect { fill: #3b6fb6 }
@media (prefers-color-scheme: dark) { text { fill: #d0d7de } rect { fill: #6ea3e8 } }
</style>
${lines.join('\n')}
</svg>
`;
}

const beginOf = (flags: string): string =>
  `<!-- what follows is written by "npm run bench -- ${flags}" -->`;
const end = '<!-- up to here -->';

/** A page with the tables of this run in the place of those of the last with these flags. Throws where it has no place. */
export function documented(
  page: string,
  run: Omit<Run, 'ratios'>,
  figures: readonly Figures[],
  flags = '--docs',
): string {
  const begin = beginOf(flags);
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < from) throw new Error('The page has no place for the tables.');
  const [before, after] = run.load.map((load) => load.toFixed(1));
  const parts = figures.map((each) => {
    const chart = chartOf(each) === null ? '' : `\n![${each.columns[0]}](images/${each.id}.svg)\n`;
    return `${tableOf(each).trimEnd()}\n${chart}`;
  });
  const about = `Measured on ${run.day} with Node ${run.node} on ${run.machine}, at a load of ${before} at the start and ${after} at the end.`;
  return `${page.slice(0, from)}${begin}\n\n${about}\n\n${parts.join('\n')}\n${page.slice(to)}`;
}

function roundly(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(0) : value.toPrecision(2);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
