import { Command, Option } from 'commander';
import { randomUUID } from 'node:crypto';
import { dirname, resolve, sep } from 'node:path';
import {
  alternatives,
  changesOf,
  previewOf,
  readRules,
  ruleFiles,
} from '../../../shared/agents/index.ts';
import { displayPlain, refuse } from '../../../shared/base/index.ts';
import { importFormats } from '../../../shared/wire/index.ts';
import type { ImportFormat, ImportPreview, Imported } from '../../../shared/wire/index.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { say, sayJson } from '../io.ts';
import { engineOf } from '../check/bench.ts';
import { editPolicyFile, openPolicy, textOf, yesFlag } from './file.ts';
import type { YesOption } from './file.ts';

interface RuleFileOptions {
  readonly from?: ImportFormat | undefined;
  readonly agent?: string | undefined;
  readonly home: string | undefined;
}

/** The rules in a file that somebody names; owner and mode do not matter, its content does. */
function readRuleFile(file: string, { from, agent, home }: RuleFileOptions): Imported {
  const text = textOf(file, 'Give the path of a file with rules.');
  const parsed = readRules(text, { format: from, agent, folder: projectOf(file, home) });
  if (parsed.ok) return parsed.imported;
  throw refuse(
    'config-invalid',
    `${file} was not imported. ${parsed.error}`,
    `Nothing was changed. Say which program wrote it with --from ${alternatives([...ruleFiles().map(({ format }) => format), 'openclaw'])}.`,
  );
}

/** The rules of a project's own file hold in that project only; those of a person's hold everywhere. */
function projectOf(file: string, home: string | undefined): string | undefined {
  const folders = dirname(resolve(file)).split(sep);
  const at = folders.findLastIndex((name) => ruleFiles().some(({ folder }) => folder === name));
  if (at < 0) return undefined;
  const project = folders.slice(0, at).join(sep) || sep;
  return home !== undefined && resolve(home) === project ? undefined : project;
}

/** Whose rules can be taken over. */
function sources(): string {
  const theirs = ruleFiles().map(({ file, title }) => `of ${file} of ${title}`);
  return alternatives(['of a policy', 'of an approvals file of OpenClaw up to 2026.7', ...theirs]);
}

/** What an import would add and what it leaves out, one line each. The file's own words are untrusted. */
function previewLines({ rules, skipped }: ImportPreview): readonly string[] {
  return [
    ...rules.map(({ agent, rule, sentence, duplicate, note, from }) => {
      const mark = duplicate ? '=' : '+';
      const more = note === null ? '' : ` (${note})`;
      return `${mark} ${agent}: ${rule.effect ?? 'allow'} ${sentence}   from ${from}${more}`;
    }),
    ...skipped.map(
      ({ from, why, holdsBack }) => `- ${from}: not carried over. ${why}${holdsBack ? ' (!)' : ''}`,
    ),
  ].map(displayPlain);
}

interface ImportOptions extends YesOption {
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
      `Adds the command rules ${sources()}. They never allow more than they did there. The modes of the present policy stay as they are, and so does the other file.`,
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
    .option(...yesFlag)
    .option('--json', 'the preview as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  interlock approvals import ~/.claude/settings.json --dry-run',
    )
    .action(async (file: string, options: ImportOptions) => {
      const policy = openPolicy(io);
      const check = await engineOf({}, io).checkRules();
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
      if (fresh.length > 0)
        await editPolicyFile(policy, changesOf(preview.rules, randomUUID), io, options);
      if (options.json !== true)
        say(
          io.stdout,
          `Added ${String(fresh.length)} rules; ${String(preview.rules.length - fresh.length)} were there already. Modes were not changed.`,
        );
      done(0);
    });
