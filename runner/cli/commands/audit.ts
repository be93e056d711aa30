import { Command, Option } from 'commander';
import { displayPlain, refusalOf } from '../../../shared/base/index.ts';
import { archiveMonths } from '../../audit/archive.ts';
import type { LoggedRow } from '../../audit/rows.ts';
import { scanRows, searchLog, wordsOf } from '../../audit/search.ts';
import { followRows, lastRows } from '../../audit/tail.ts';
import { verifyLog } from '../../audit/verify.ts';
import type { LogReport } from '../../audit/verify.ts';
import { auditFolder, auditSeal } from '../audit/folder.ts';
import type { AuditSeal } from '../../audit/key.ts';
import { csvHead, csvLine, hitLine, print, rowLine } from '../audit/rows.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { plainJson, say, sayJson } from '../io.ts';
import { parseCount, parseMoment } from '../options.ts';

/** `audit archive`: old months out of the log, so that it still verifies. */
const archiveCommand: CommandModule['declare'] = (io, done) =>
  new Command('archive')
    .summary('take old months out of the log')
    .description(
      'Moves the months before the given one to the folder "archive" below the log, and writes down where the log begins now, so that it still verifies. Only a log that verifies is archived; the newest month always stays. Works beside a runner.',
    )
    .requiredOption('--before <month>', 'YYYY-MM; this month stays')
    .addHelpText('after', '\nExample:\n  interlock audit archive --before 2026-01')
    .action(async ({ before }: { readonly before: string }) => {
      if (!/^\d{4}-(?:0[1-9]|1[0-2])$/u.test(before))
        throw new CliError(`"${before}" is not a month.`, 'Write it like 2026-01.');
      const directory = auditFolder(io);
      const seal = await auditSeal(io);
      const report = await verifyLog({ directory, seal });
      if (seal === null || !report.ok)
        throw new CliError(
          'Only a log that verifies is archived.',
          'See what is wrong with it: interlock audit verify',
        );
      const moved = await archiveMonths(directory, { key: seal.key, before });
      if (moved.length === 0) say(io.stdout, 'There is no month to move.');
      for (const name of moved) say(io.stdout, `moved ${name} to archive/${name}`);
      done(0);
    });

interface ExportOptions {
  readonly format: 'json' | 'csv';
  readonly since?: string;
  readonly until?: string;
}

/** `audit export`: every row of a time, for other programs. */
const exportCommand: CommandModule['declare'] = (io, done) =>
  new Command('export')
    .summary('print all rows for other programs')
    .description(
      'Prints every row of the given time, as a JSON array or as CSV (RFC 4180). In CSV, text that a spreadsheet would take for a formula begins with an apostrophe.',
    )
    .addOption(
      new Option('--format <format>', 'of the output').choices(['json', 'csv']).default('json'),
    )
    .option('--since <time>', 'from this time on: 2026-11-03, 2026-11-03T14:00, 2h, 7d')
    .option('--until <time>', 'up to this time; a day counts whole')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock audit export > audit.json\n  interlock audit export --format csv --since 2026-11-01 --until 2026-11-30 > november.csv',
    )
    .action(async ({ format, since, until }: ExportOptions) => {
      const now = io.now();
      const rows = scanRows(auditFolder(io), {
        ...(since === undefined ? {} : { since: parseMoment(since, { now }) }),
        ...(until === undefined ? {} : { until: parseMoment(until, { now, end: true }) }),
      });
      await print(io.stdout, format === 'csv' ? csvHead : '[');
      let isFirst = true;
      for await (const logged of rows) {
        const json = (): string => plainJson({ seq: logged.seq, ...logged.row });
        await print(
          io.stdout,
          format === 'csv' ? csvLine(logged) : `${isFirst ? '\n' : ',\n'}${json()}`,
        );
        isFirst = false;
      }
      if (format === 'json') await print(io.stdout, '\n]\n');
      done(0);
    });

interface SearchOptions {
  readonly agent?: string;
  readonly code?: string;
  readonly decision?: 'allow' | 'deny';
  readonly since?: string;
  readonly until?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `audit search`: decisions and notes by words, agent, code and time. */
const searchCommand: CommandModule['declare'] = (io, done) =>
  new Command('search')
    .summary('find decisions and notes')
    .description(
      'Finds decisions and notes, the newest last. Every word has to be in the command, folder, agent, code or reason; upper and lower case count the same.',
    )
    .argument('[text...]', 'words to look for')
    .option('--agent <name>', 'of this agent')
    .option('--code <code>', 'with this code, as rule-allow, policy-deny, lockout-active')
    .addOption(new Option('--decision <decision>', 'only these').choices(['allow', 'deny']))
    .option('--since <time>', 'from this time on: 2026-11-03, 2026-11-03T14:00, 2h, 7d')
    .option('--until <time>', 'up to this time; a day counts whole')
    .option('--limit <count>', 'how many at most, the newest', parseCount, 50)
    .option('--json', 'the rows as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock audit search git push --since 7d\n  interlock audit search --agent claude --decision deny\n  interlock audit search --code lockout-active --json',
    )
    .action(async (text: string[], options: SearchOptions) => {
      const { agent, code, decision, since, until, limit } = options;
      const now = io.now();
      const { total, hits } = await searchLog(auditFolder(io), {
        words: wordsOf(text.join(' ')),
        limit,
        ...(agent === undefined ? {} : { agent }),
        ...(code === undefined ? {} : { code }),
        ...(decision === undefined ? {} : { decision }),
        ...(since === undefined ? {} : { since: parseMoment(since, { now }) }),
        ...(until === undefined ? {} : { until: parseMoment(until, { now, end: true }) }),
      });
      if (options.json === true) {
        const rows = hits.map(({ seq, row, outcome }) => ({ seq, ...row, outcome }));
        sayJson(io.stdout, { total, rows });
      } else {
        for (const hit of hits) await print(io.stdout, `${hitLine(hit)}\n`);
        if (total > hits.length)
          say(
            io.stderr,
            `The newest ${String(hits.length)} of ${String(total)}; --limit shows more.`,
          );
        if (total === 0) say(io.stderr, 'Nothing matches.');
      }
      done(0);
    });

interface TailOptions {
  readonly follow?: boolean;
  readonly lines: number;
  readonly json?: boolean;
}

/** `audit tail`: the newest rows, and with `-f` those that come. */
const tailCommand: CommandModule['declare'] = (io, done) =>
  new Command('tail')
    .summary('show the newest rows')
    .description('Shows the newest rows, oldest first.')
    .option('-f, --follow', 'go on with rows as they come, until Ctrl-C')
    .option('-n, --lines <count>', 'how many', parseCount, 20)
    .option('--json', 'one row a line as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock audit tail\n  interlock audit tail -f -n 5\n  interlock audit tail -f --json | jq .command',
    )
    .action(async (options: TailOptions) => {
      const folder = auditFolder(io);
      const show = async (logged: LoggedRow): Promise<void> =>
        print(io.stdout, `${options.json === true ? jsonOf(logged) : rowLine(logged)}\n`);
      const { rows, end } = lastRows(folder, options.lines);
      for (const row of rows) await show(row);
      if (options.follow === true) {
        const stop = new AbortController();
        const off = io.onSignal(() => stop.abort());
        for await (const row of followRows(folder, end, stop.signal)) await show(row);
        off();
      }
      done(0);
    });

function jsonOf({ seq, row }: LoggedRow): string {
  return plainJson({ seq, ...row });
}

/** `audit verify`: is the record still what was written? */
const verifyCommand: CommandModule['declare'] = (io, done) =>
  new Command('verify')
    .summary('check that nothing was changed or cut')
    .description(
      'Checks the chain over all rows: finds rows that were changed, taken out, moved or cut from the end, and says where. Exits with 0 when all is well and with 1 when it is not.',
    )
    .option('--json', 'the report as JSON')
    .addHelpText('after', '\nExamples:\n  interlock audit verify\n  interlock audit verify --json')
    .action(async (options: { readonly json?: boolean }) => {
      const report = await reportOf(auditFolder(io), async () => auditSeal(io));
      if (options.json === true) sayJson(io.stdout, report);
      else for (const line of linesOf(report)) say(io.stdout, line);
      done(report.ok ? 0 : 1);
    });

async function reportOf(
  directory: string,
  seal: () => Promise<AuditSeal | null>,
): Promise<LogReport> {
  try {
    return await verifyLog({ directory, seal: await seal() });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    throw new CliError(refusal.message, refusal.hint, { cause: error });
  }
}

function linesOf({ ok, rows, files, head, problems, more }: LogReport): readonly string[] {
  const size = `${String(rows)} rows in ${String(files.length)} ${files.length === 1 ? 'file' : 'files'}`;
  if (rows === 0 && ok) return ['The log is empty.'];
  return [
    ...problems.map(({ kind, file, line, text }) => {
      const where = line === 0 ? file : `${file}:${String(line)}`;
      return `${where}  ${kind.toUpperCase()}  ${displayPlain(text)}`;
    }),
    ...(more === 0 ? [] : [`and ${String(more)} more`]),
    ok
      ? `The log is what was written: ${size}.`
      : `THE LOG IS NOT WHAT WAS WRITTEN: ${String(problems.length + more)} problems in ${size}.`,
    `head  row ${String(head.seq)}  ${head.mac}`,
  ];
}

/** `interlock audit`: the record, read and checked. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('audit')
    .enablePositionalOptions()
    .description(
      'Reads and checks the record of what was decided and what ran. Works with the runner running or stopped. Times are UTC.',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock audit tail -f
  interlock audit search git push --since 7d
  interlock audit export --format csv > audit.csv
  interlock audit verify`,
    );
  for (const declareChild of [
    tailCommand,
    searchCommand,
    exportCommand,
    verifyCommand,
    archiveCommand,
  ])
    command.addCommand(declareChild(io, done));
  return command;
};
