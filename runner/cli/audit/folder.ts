import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readAuditKey } from '../../audit/key.ts';
import { systemClock } from '../../../shared/node/clock/system.ts';
import { homePaths } from '../../../shared/node/home/paths.ts';
import { openSecretStore } from '../../../shared/node/secrets/open.ts';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';

/** The folder of the log. Throws a sentence when there is no home or it belongs to someone else. */
export function auditFolder(io: Io): string {
  const { home, auditDirectory } = homePaths(io.env);
  if (!existsSync(home))
    throw new CliError(`There is no home at ${home}.`, 'Run "interlock init".');
  try {
    accessSync(auditDirectory, constants.R_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return auditDirectory;
    throw new CliError(
      `This user may not read ${auditDirectory}.`,
      'Run it as the user who runs Interlock.',
      { cause: error },
    );
  }
  return auditDirectory;
}

/** The key of the log's chain; null when none was ever made. Makes nothing. */
export async function auditKey(io: Io): Promise<Uint8Array | null> {
  const { home, keysDirectory } = homePaths(io.env);
  if (!existsSync(join(keysDirectory, 'store.json'))) return null;
  const uid = process.getuid?.() ?? -1;
  const store = { home, directory: keysDirectory, uid, clock: systemClock };
  return readAuditKey(await openSecretStore(store));
}
