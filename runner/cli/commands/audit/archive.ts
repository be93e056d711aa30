import { Command } from 'commander';
import { archiveMonths } from '../../../audit/archive.ts';
import { verifyLog } from '../../../audit/verify-log.ts';
import { auditFolder, auditKey } from '../../audit/folder.ts';
import type { CommandModule } from '../../command-table.ts';
import { CliError } from '../../failure.ts';
import { say } from '../../io.ts';

/** `audit archive`: old months out of the log, so that it still verifies. */
export const archiveCommand: CommandModule['declare'] = (io, done) =>
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
      const key = await auditKey(io);
      const report = await verifyLog({ directory, key });
      if (key === null || !report.ok)
        throw new CliError(
          'Only a log that verifies is archived.',
          'See what is wrong with it: interlock audit verify',
        );
      const moved = await archiveMonths(directory, { key, before });
      if (moved.length === 0) say(io.stdout, 'There is no month to move.');
      for (const name of moved) say(io.stdout, `moved ${name} to archive/${name}`);
      done(0);
    });
