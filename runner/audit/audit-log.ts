import { existsSync } from 'node:fs';
import type { Clock } from '../../shared/base/index.ts';
import { ensurePrivateDirectory } from '../../shared/home/index.ts';
import type { SecretStore } from '../../shared/home/index.ts';
import { checkpointPath, openCheckpoint } from './chain.ts';
import type { ChainHead } from './chain.ts';
import { findEnd } from './find-end.ts';
import { createHistory, createLogIndex } from './history.ts';
import type { LogIndex } from './history.ts';
import { keepAnchor, openAuditKey } from './key.ts';
import { lockWriter, monthFiles, openLogFile } from './log-files.ts';
import type { OpenLogFile } from './log-files.ts';
import { readOpenDecisions } from './recover.ts';
import { redactRow } from './rows.ts';
import { loadRuleSet } from './rule-set.ts';
import type { AuditLog, DecisionRow } from './rows.ts';
import { readStats } from './stats.ts';
import { createChainedWriter } from './writer.ts';

const perAgent = 200;
const agents = 64;

interface PastCommands {
  add(row: DecisionRow): void;
  of(agent: string): readonly { readonly command: string; readonly cwd: string }[];
}

/** The last allowed commands of the agents seen since the start, newest first; bounded both ways. */
function createPastCommands(): PastCommands {
  const byAgent = new Map<string, { readonly command: string; readonly cwd: string }[]>();
  return {
    add: ({ agent, decision, command, cwd, kind }) => {
      // Where a command connected to is not a command.
      if (decision !== 'allow' || kind === 'egress') return;
      const known = byAgent.get(agent) ?? [];
      byAgent.delete(agent);
      byAgent.set(
        agent,
        [
          { command, cwd },
          ...known.filter((past) => past.command !== command || past.cwd !== cwd),
        ].slice(0, perAgent),
      );
      const oldest = byAgent.keys().next().value;
      if (byAgent.size > agents && oldest !== undefined) byAgent.delete(oldest);
    },
    of: (agent) => byAgent.get(agent) ?? [],
  };
}

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
  // Before the first row, so that none is kept by fewer rules than the next.
  await loadRuleSet();
  const unlock = await lockWriter(directory);
  try {
    const { writer, key } = await openWriter(options);
    const anchor = keepingAnchor(options.secrets, { key, from: writer.durableHead() });
    const past = createPastCommands();
    const index = createLogIndex(directory);
    const indexed = keepingIndex(index);
    const history = createHistory(index, () => options.clock.elapsed());
    return {
      durable: async (row) => {
        const written = writer.write(redactRow(row));
        await writer.flush();
        anchor.reached(writer.durableHead());
        if (written.withdrawn) throw new Error('The disk did not take the row.');
        if (row.type !== 'decision') return;
        past.add(row);
        indexed.reached();
      },
      append: (row) => void writer.write(redactRow(row)),
      openDecisions: async () => readOpenDecisions(directory),
      history: async (query) => history.read(query),
      stats: async (query) => readStats(index, query, options.clock.now()),
      pastCommands: (agent) => past.of(agent),
      dispose: async () => {
        try {
          await writer.dispose();
          await anchor.keep(writer.durableHead());
        } finally {
          index.close();
          unlock();
        }
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** After so many decisions the index takes them in, so that the next question has little left to do. */
const decisionsPerLook = 1_000;

function keepingIndex(index: LogIndex): { readonly reached: () => void } {
  let count = 0;
  return {
    reached: () => {
      count += 1;
      // Whoever asks is told what is wrong with it.
      if (count % decisionsPerLook === 0) void index.current().catch(() => undefined);
    },
  };
}

/** After so many rows the secret store is told anew: it may be a keychain, which is slow. */
const rowsPerAnchor = 500;

/** Tells the secret store now and then how far the log has come. */
function keepingAnchor(
  secrets: SecretStore,
  { key, from }: { readonly key: Uint8Array; readonly from: ChainHead },
): {
  readonly reached: (head: ChainHead) => void;
  readonly keep: (head: ChainHead) => Promise<void>;
} {
  let kept = from.seq;
  const keep = async (head: ChainHead): Promise<void> => {
    if (head.seq <= kept) return;
    kept = head.seq;
    // What it keeps is then a little older; the checkpoint and the rows themselves stand.
    await keepAnchor(secrets, key, head).catch(() => undefined);
  };
  return {
    reached: (head) => {
      if (head.seq - kept >= rowsPerAnchor) void keep(head);
    },
    keep,
  };
}

async function openWriter(options: OpenAuditLogOptions) {
  const { directory, clock, secrets } = options;
  const path = checkpointPath(directory);
  const hasLog = existsSync(path) || monthFiles(directory).length > 0;
  const { key, anchor, isNew } = await openAuditKey(secrets, { hasLog, directory });
  const checkpoint = openCheckpoint(path, key);
  try {
    const end = findEnd({
      directory,
      checkpoint: checkpoint.found,
      anchor,
      isNew,
      at: clock.now(),
    });
    const openFile = options.openFile ?? openLogFile;
    const writer = createChainedWriter({ directory, key, end, checkpoint, clock, openFile });
    // A disk that fails now is met again at the first row, and told then.
    await writer.flush().catch(() => undefined);
    await keepAnchor(secrets, key, writer.durableHead()).catch(() => undefined);
    return { writer, key };
  } catch (error) {
    checkpoint.close();
    throw error;
  }
}
