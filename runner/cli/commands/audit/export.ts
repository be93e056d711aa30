import { Command, Option } from 'commander';
import { csvHead, csvLine } from '../../../audit/csv.ts';
import { scanRows } from '../../../audit/reading/scan.ts';
import { auditFolder } from '../../audit/folder.ts';
import { parseMoment } from '../../audit/moment.ts';
import { print } from '../../audit/print.ts';
import type { CommandModule } from '../../command-table.ts';

interface ExportOptions {
  readonly format: 'json' | 'csv';
  readonly since?: string;
  readonly until?: string;
}

/** `audit export`: every row of a time, for other programs. */
export const exportCommand: CommandModule['declare'] = (io, done) =>
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
        const json = (): string => JSON.stringify({ seq: logged.seq, ...logged.row });
        await print(
          io.stdout,
          format === 'csv' ? csvLine(logged) : `${isFirst ? '\n' : ',\n'}${json()}`,
        );
        isFirst = false;
      }
      if (format === 'json') await print(io.stdout, '\n]\n');
      done(0);
    });
