import type { Clock, Disposable } from '../../shared/base/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { exportAudit, openReceivers } from '../audit/export.ts';
import type { Log } from './log.ts';
import type { ConfigStore } from './policy-store.ts';

interface ReceiversOptions {
  readonly config: ConfigStore;
  readonly paths: HomePaths;
  readonly uid: number;
  /** Of this program. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** Sends the record on to where `audit` says, for as long as it says so. */
export function joinReceivers({
  config,
  paths,
  uid,
  clock,
  log,
  version,
}: ReceiversOptions): Disposable {
  return exportAudit({
    directory: paths.auditDirectory,
    path: paths.auditExport,
    uid,
    clock,
    settings: () => (config.problem() === null ? config.current().audit : null),
    open: openReceivers(uid, version),
    told: (sentence) => log.warn(sentence),
  });
}
