import { dirname } from 'node:path';
import { RefusalError } from '../../shared/base/index.ts';
import { parseConfig } from '../../shared/engine/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import {
  ensurePrivateDirectory,
  readConfigFile,
  writeFileAtomic,
} from '../../shared/home/index.ts';
import { CliError } from './failure.ts';

type Raw = Readonly<Record<string, unknown>>;

/**
 * Writes what `change` makes of `config.json`; all that it does not touch stays as it was written.
 * Throws, and writes nothing, when the file is not there, or not valid before or after.
 */
export function editConfig(
  { configPath, owner }: { readonly configPath: string; readonly owner: number },
  change: (raw: Raw, config: Config) => Raw,
): void {
  ensurePrivateDirectory(dirname(configPath), { uid: owner });
  const file = readConfigFile(configPath, { uid: owner });
  if (!file.ok) throw new RefusalError(file.problem);
  if (file.text === null)
    throw new CliError(
      `${configPath} is not there.`,
      'Run "interlock init" as the user of the runner first.',
    );
  const text = `${JSON.stringify(change(JSON.parse(file.text) as Raw, file.config), null, 2)}\n`;
  const after = parseConfig(text);
  if (!after.ok) throw new RefusalError(after.problem);
  if (text !== file.text) writeFileAtomic(configPath, text);
}
