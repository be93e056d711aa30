import type { HealthCheck } from '../../../shared/api/types.ts';
import { danger, ok, warning } from '../../../shared/node/health/judge.ts';
import type { HomePaths } from '../../../shared/node/home/paths.ts';
import { verifyLog } from '../../audit/verify-log.ts';
import { readLevels } from '../../limits/state.ts';

export interface RecordOptions {
  readonly paths: Pick<HomePaths, 'limits' | 'auditDirectory'>;
  readonly uid: number;
  /** The key of the log's chain; null when none was ever made. */
  readonly auditKey: () => Promise<Uint8Array | null>;
}

/** What the runner has written down: is the record whole, and are the limits to be believed? */
export async function recordChecks(options: RecordOptions): Promise<readonly HealthCheck[]> {
  return [await auditCheck(options), limitsCheck(options)];
}

async function auditCheck({ paths, auditKey }: RecordOptions): Promise<HealthCheck> {
  try {
    const {
      ok: isWhole,
      rows,
      problems,
      more,
    } = await verifyLog({
      directory: paths.auditDirectory,
      key: await auditKey(),
    });
    if (isWhole) return ok('audit', `The log is what was written (${rows} rows)`);
    return danger(
      'audit',
      'The log is not what was written',
      `${problems.length + more} problems; "interlock audit verify" says where.`,
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
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
