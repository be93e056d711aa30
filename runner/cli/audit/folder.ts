import { messageOf } from '../../../shared/base/index.ts';
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths, openHome } from '../../../shared/home/index.ts';
import type { HomePaths } from '../../../shared/home/index.ts';
import { danger, ok, warning } from '../../../shared/operations/index.ts';
import type { HealthCheck } from '../../../shared/wire/index.ts';
import { readAuditSeal } from '../../audit/key.ts';
import type { AuditSeal } from '../../audit/key.ts';
import { verifyLog } from '../../audit/verify.ts';
import { readLevels } from '../../limits/state.ts';
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

/** What the secret store keeps of the log; null when it has nothing. Makes nothing. */
export async function auditSeal(io: Io): Promise<AuditSeal | null> {
  const home = openHome(io.env);
  if (!existsSync(join(home.keysDirectory, 'store.json'))) return null;
  return readAuditSeal(await home.openSecrets());
}

interface RecordOptions {
  readonly paths: Pick<HomePaths, 'limits' | 'auditDirectory'>;
  readonly uid: number;
  /** What the secret store keeps of the log; null when it has nothing. */
  readonly auditSeal: () => Promise<AuditSeal | null>;
}

/** What the runner has written down: is the record whole, and are the limits to be believed? */
export async function recordChecks(options: RecordOptions): Promise<readonly HealthCheck[]> {
  return [await auditCheck(options), limitsCheck(options)];
}

async function auditCheck({ paths, ...record }: RecordOptions): Promise<HealthCheck> {
  try {
    const {
      ok: isWhole,
      rows,
      problems,
      more,
    } = await verifyLog({
      directory: paths.auditDirectory,
      seal: await record.auditSeal(),
    });
    if (isWhole) return ok('audit', `The log is what was written (${rows} rows)`);
    return danger(
      'audit',
      'The log is not what was written',
      `${problems.length + more} problems; "interlock audit verify" says where.`,
    );
  } catch (error) {
    const why = messageOf(error);
    return danger('audit', 'The log cannot be checked', why);
  }
}

function limitsCheck({ paths, uid }: RecordOptions): HealthCheck {
  return readLevels(paths.limits, uid) === null
    ? warning(
        'limits',
        'What is left of the limits cannot be believed',
        `With the next start every bucket of ${paths.limits} is empty, and fills again in a minute.`,
      )
    : ok('limits', 'The limits are kept', paths.limits);
}
