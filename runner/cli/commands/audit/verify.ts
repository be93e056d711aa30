import { Command } from 'commander';
import type { LogReport } from '../../../audit/verify-log.ts';
import { verifyLog } from '../../../audit/verify-log.ts';
import { displayPlain } from '../../../../shared/display/display.ts';
import { refusalOf } from '../../../../shared/refusal/refusal.ts';
import { auditFolder, auditKey } from '../../audit/folder.ts';
import type { CommandModule } from '../../command-table.ts';
import { CliError } from '../../failure.ts';
import { say, sayJson } from '../../io.ts';

/** `audit verify`: is the record still what was written? */
export const verifyCommand: CommandModule['declare'] = (io, done) =>
  new Command('verify')
    .summary('is the record what was written?')
    .description(
      'Checks the chain over all rows: finds rows that were changed, taken out, moved or cut from the end, and says where. Exits with 0 when all is well and with 1 when it is not.',
    )
    .option('--json', 'the report as JSON')
    .addHelpText('after', '\nExamples:\n  interlock audit verify\n  interlock audit verify --json')
    .action(async (options: { readonly json?: boolean }) => {
      const report = await reportOf(auditFolder(io), async () => auditKey(io));
      if (options.json === true) sayJson(io.stdout, report);
      else for (const line of linesOf(report)) say(io.stdout, line);
      done(report.ok ? 0 : 1);
    });

async function reportOf(
  directory: string,
  key: () => Promise<Uint8Array | null>,
): Promise<LogReport> {
  try {
    return await verifyLog({ directory, key: await key() });
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
