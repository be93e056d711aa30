import { randomUUID } from 'node:crypto';
import { Command, Option } from 'commander';
import { addImported } from '../../../../shared/import/add.ts';
import { previewOf } from '../../../../shared/import/preview.ts';
import { importFormats } from '../../../../shared/import/types.ts';
import type { ImportFormat } from '../../../../shared/import/types.ts';
import { exampleCheck } from '../../approvals/examples.ts';
import { openPolicy, savePolicy } from '../../approvals/file.ts';
import { readRuleFile } from '../../approvals/rule-file.ts';
import type { CommandModule } from '../../command-table.ts';
import { CliError } from '../../failure.ts';
import { say, sayJson } from '../../io.ts';
import { previewLines } from '../../text/import.ts';

interface ImportOptions {
  readonly from?: ImportFormat;
  readonly agent?: string;
  readonly dryRun?: boolean;
  readonly partial?: boolean;
  readonly json?: boolean;
}

/** `approvals import FILE`: adds the rules of another program's file. */
export const importCommand: CommandModule['declare'] = (io, done) =>
  new Command('import')
    .summary('add the rules of another policy or program')
    .description(
      'Adds the command rules of a policy, of an approvals file of OpenClaw up to 2026.7, of settings.json of Claude Code or of a .rules file of Codex. They never allow more than they did there. The modes of the present policy stay as they are, and so does the other file.',
    )
    .argument('<file>', 'the file with the rules')
    .addOption(
      new Option('--from <program>', 'which program wrote it; else told from the file').choices(
        importFormats,
      ),
    )
    .option('--agent <name>', 'for this agent, or "*" for all; else as the file says')
    .option('--dry-run', 'show what would be added, and add nothing')
    .option('--partial', 'go on although rules that deny or ask cannot be carried over')
    .option('--json', 'the preview as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  interlock approvals import ~/.claude/settings.json --dry-run',
    )
    .action(async (file: string, options: ImportOptions) => {
      const policy = openPolicy(io);
      const check = await exampleCheck(io);
      const imported = readRuleFile(file, { ...options, home: io.env['HOME'] });
      const preview = previewOf(imported, { document: policy.document, check });
      if (options.json === true) sayJson(io.stdout, preview);
      else for (const line of previewLines(preview)) say(io.stdout, line);
      const lost = preview.skipped.filter(({ holdsBack }) => holdsBack);
      if (options.dryRun === true) {
        done(0);
        return;
      }
      if (lost.length > 0 && options.partial !== true)
        throw new CliError(
          `Nothing was added: ${String(lost.length)} rules that deny or ask cannot be carried over.`,
          'Add them by hand with "interlock approvals deny", then import with --partial.',
        );
      const fresh = preview.rules.filter(({ duplicate }) => !duplicate);
      const edited = addImported(policy.document, {
        rules: preview.rules,
        newId: randomUUID,
        check,
      });
      if (fresh.length > 0) await savePolicy(edited, policy);
      if (options.json !== true)
        say(
          io.stdout,
          `Added ${String(fresh.length)} rules; ${String(preview.rules.length - fresh.length)} were there already. Modes were not changed.`,
        );
      done(0);
    });
