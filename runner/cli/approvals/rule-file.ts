import { readFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { readRules } from '../../../shared/import/read.ts';
import type { Imported, ImportFormat } from '../../../shared/import/types.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import { CliError } from '../failure.ts';

export interface RuleFileOptions {
  readonly from?: ImportFormat | undefined;
  readonly agent?: string | undefined;
  readonly home: string | undefined;
}

/** The rules in a file that somebody names; owner and mode do not matter, its content does. */
export function readRuleFile(file: string, { from, agent, home }: RuleFileOptions): Imported {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`${file} cannot be read.`, 'Give the path of a file with rules.', {
      cause: error,
    });
  }
  const parsed = readRules(text, { format: from, agent, folder: projectOf(file, home) });
  if (parsed.ok) return parsed.imported;
  throw refuse(
    'config-invalid',
    `${file} was not imported. ${parsed.error}`,
    'Nothing was changed. Say which program wrote it with --from claude, codex or openclaw.',
  );
}

/** The rules of a project's own file hold in that project only; those of a person's hold everywhere. */
function projectOf(file: string, home: string | undefined): string | undefined {
  const folders = dirname(resolve(file)).split(sep);
  const at = folders.findLastIndex((name) => name === '.claude' || name === '.codex');
  if (at < 0) return undefined;
  const project = folders.slice(0, at).join(sep) || sep;
  return home !== undefined && resolve(home) === project ? undefined : project;
}
