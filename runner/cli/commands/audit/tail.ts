import { Command } from 'commander';
import { followRows, lastRows } from '../../../audit/reading/tail.ts';
import type { LoggedRow } from '../../../audit/reading/rows.ts';
import { auditFolder } from '../../audit/folder.ts';
import { parseCount } from '../../audit/moment.ts';
import { print } from '../../audit/print.ts';
import { rowLine } from '../../audit/row-line.ts';
import type { CommandModule } from '../../command-table.ts';

interface TailOptions {
  readonly follow?: boolean;
  readonly lines: number;
  readonly json?: boolean;
}

/** `audit tail`: the newest rows, and with `-f` those that come. */
export const tailCommand: CommandModule['declare'] = (io, done) =>
  new Command('tail')
    .summary('the newest rows')
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
  return JSON.stringify({ seq, ...row });
}
