import { existsSync } from 'node:fs';
import type { Clock } from '../../shared/clock/types.ts';
import { ensurePrivateDirectory } from '../../shared/node/files/private-directory.ts';
import type { SecretStore } from '../../shared/node/secrets/types.ts';
import { openCheckpoint } from './chain/checkpoint.ts';
import { openAuditKey } from './key.ts';
import { createPastCommands } from './past-commands.ts';
import { checkpointPath } from './paths.ts';
import { readHistory } from './reading/history.ts';
import { createLogIndex } from './reading/log-index.ts';
import { monthFiles } from './reading/month-files.ts';
import { readOpenDecisions } from './reading/open-decisions.ts';
import { redactRow } from './redact-row.ts';
import type { AuditLog } from './types.ts';
import { createChainedWriter } from './writer/chained-writer.ts';
import { findEnd } from './writer/find-end.ts';
import { lockWriter } from './writer/lock.ts';
import type { OpenLogFile } from './writer/log-file.ts';
import { openLogFile } from './writer/log-file.ts';

export interface OpenAuditLogOptions {
  /** `audit` below the home. */
  readonly directory: string;
  readonly uid: number;
  readonly clock: Clock;
  /** Where the key of the chain is, or is to be put. */
  readonly secrets: SecretStore;
  /** How the files are opened; for tests with a disk that fails. */
  readonly openFile?: OpenLogFile;
}

/**
 * The record as one chained JSON line per row, one file a month, below `directory`. Rejects with
 * `concurrency-busy` while another process writes to it, and with `audit-unavailable` when there are
 * rows and no key to go on with.
 */
export async function openAuditLog(options: OpenAuditLogOptions): Promise<AuditLog> {
  const { directory } = options;
  ensurePrivateDirectory(directory, options);
  const unlock = await lockWriter(directory);
  try {
    const writer = await openWriter(options);
    const past = createPastCommands();
    const index = createLogIndex(directory);
    return {
      durable: async (row) => {
        const written = writer.write(redactRow(row));
        await writer.flush();
        if (written.withdrawn) throw new Error('The disk did not take the row.');
        if (row.type === 'decision') past.add(row);
      },
      append: (row) => void writer.write(redactRow(row)),
      openDecisions: async () => readOpenDecisions(directory),
      history: async (query) => readHistory(index, query),
      pastCommands: (agent) => past.of(agent),
      close: async () => writer.close().finally(unlock),
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openWriter(options: OpenAuditLogOptions) {
  const { directory, clock, secrets } = options;
  const path = checkpointPath(directory);
  const hasLog = existsSync(path) || monthFiles(directory).length > 0;
  const { key, isNew } = await openAuditKey(secrets, { hasLog, directory });
  const checkpoint = openCheckpoint(path, key);
  try {
    const end = findEnd({ directory, checkpoint: checkpoint.found, isNew, at: clock.now() });
    const openFile = options.openFile ?? openLogFile;
    return createChainedWriter({ directory, key, end, checkpoint, clock, openFile });
  } catch (error) {
    checkpoint.close();
    throw error;
  }
}
