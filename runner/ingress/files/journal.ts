import { createHash } from 'node:crypto';
import { closeSync, constants, fdatasync, openSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { compile, readJson, refuse, s } from '../../../shared/base/index.ts';
import type { Static } from '../../../shared/base/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../../shared/home/index.ts';
import type { Descriptor } from '../../../shared/wire/index.ts';

const takenSchema = s.object({
  t: s.literal('taken'),
  id: s.string(),
  principal: s.string(),
  nonce: s.union(s.string(), s.integer()),
  /** The shared folder that it came through. */
  folder: s.string(),
  /** Until when it could be taken for a new one by its time, in milliseconds since the epoch. */
  until: s.number(),
});

export const rowSchema = s.union(
  takenSchema,
  s.object({ t: s.literal('answered'), id: s.string() }),
  /** Nothing that could be new until then counts as new: it was forgotten. */
  s.object({ t: s.literal('floor'), until: s.number() }),
);
const checkRow = compile(rowSchema);

/** A request that was taken up. */
type Taken = Omit<Static<typeof takenSchema>, 't'>;

/**
 * Which requests were taken up, on the disk before anything comes of it. A request is taken up once:
 * by its id, and by its nonce, also after a crash and a loss of power.
 */
export interface Journal {
  /** Whether this id was taken up. */
  has(id: string): boolean;
  /**
   * Takes it up; it is on the disk when this resolves. False where its id or its nonce was taken up
   * before, or may have been: then it must not be run. Rejects where it cannot be written down.
   */
  take(taken: Taken): Promise<boolean>;
  answered(id: string): void;
  /** Taken up and not answered, by an earlier runner. */
  open(): readonly Taken[];
  dispose(): void;
}

interface JournalOptions {
  readonly path: string;
  readonly uid: number;
  readonly now: () => number;
}

const maxBytes = 64 * 1024 * 1024;
const smallest = 2 * 1024 * 1024;
const syncFile = promisify(fdatasync);

interface Memory {
  readonly taken: Map<string, Taken>;
  readonly nonces: Map<string, number>;
  readonly answered: Set<string>;
  floor: number;
}

/** Opens the journal of a home. Throws `config-invalid` for a file that is not ours alone. */
export function openJournal({ path, uid, now }: JournalOptions): Journal {
  const memory = readMemory(path, uid);
  let written = 0;
  let compactAt = smallest;
  let file = -1;
  const compact = (): void => {
    forget(memory, now());
    if (file >= 0) closeSync(file);
    file = -1;
    const text = [...rowsOf(memory)].map((row) => `${JSON.stringify(row)}\n`).join('');
    writeFileAtomic(path, text);
    file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
    written = text.length;
    compactAt = Math.max(smallest, 2 * written);
  };
  const append = (row: object): void => {
    if (file < 0 || written > compactAt) compact();
    const line = `${JSON.stringify(row)}\n`;
    // A line that a full disk cut short is no row, and must not swallow the next one.
    if (writeSync(file, line) !== Buffer.byteLength(line)) {
      compact();
      throw new Error('the journal could not be written whole');
    }
    written += line.length;
  };
  compact();
  return {
    has: (id) => memory.taken.has(id),
    take: async (taken) => {
      const name = nonceName(taken);
      if (taken.until <= memory.floor) return false;
      if (memory.taken.has(taken.id) || memory.nonces.has(name)) return false;
      // Before the wait for the disk, so that a second one in the meantime is not new.
      memory.taken.set(taken.id, taken);
      memory.nonces.set(name, taken.until);
      try {
        append({ t: 'taken', ...taken });
        await syncFile(file);
      } catch (error) {
        throw refuse(
          'audit-unavailable',
          'The request could not be written down, so nothing was run.',
          'Have a person look at the disk that holds INTERLOCK_HOME.',
          { cause: error },
        );
      }
      return true;
    },
    answered: (id) => {
      if (!memory.taken.has(id) || memory.answered.has(id)) return;
      memory.answered.add(id);
      append({ t: 'answered', id });
    },
    open: () => [...memory.taken.values()].filter(({ id }) => !memory.answered.has(id)),
    dispose: () => {
      if (file >= 0) closeSync(file);
      file = -1;
    },
  };
}

/** Of one principal, so that none can use up the nonces of another. */
function nonceName({ principal, nonce }: Pick<Descriptor, 'principal' | 'nonce'>): string {
  return createHash('sha256')
    .update(`${principal} ${String(nonce)}`)
    .digest('base64url');
}

/** Forgets what its time alone keeps out, and raises the floor to it, for a clock that is set back. */
function forget(memory: Memory, moment: number): void {
  for (const [id, taken] of memory.taken) {
    if (taken.until >= moment || !memory.answered.has(id)) continue;
    memory.taken.delete(id);
    memory.answered.delete(id);
    memory.nonces.delete(nonceName(taken));
    memory.floor = Math.max(memory.floor, taken.until);
  }
}

function* rowsOf({ taken, answered, floor }: Memory): Generator<object> {
  yield { t: 'floor', until: floor };
  for (const one of taken.values()) yield { t: 'taken', ...one };
  for (const id of answered) yield { t: 'answered', id };
}

function readMemory(path: string, uid: number): Memory {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'unsafe')
    throw refuse(
      'config-invalid',
      `${path} ${file.why}.`,
      'Nothing that comes through shared folders is taken up. Remove it, wait an hour, and start the runner again.',
    );
  const memory: Memory = { taken: new Map(), nonces: new Map(), answered: new Set(), floor: 0 };
  if (file.kind === 'missing') return memory;
  for (const line of file.text.split('\n')) {
    // The last line of a crash may be cut short: it was not synced, so nothing came of it.
    const checked = readJson(checkRow, line);
    if (!checked.ok) continue;
    const row = checked.value;
    if (row.t === 'floor') memory.floor = Math.max(memory.floor, row.until);
    else if (row.t === 'answered') memory.answered.add(row.id);
    else {
      const { t: _, ...taken } = row;
      memory.taken.set(taken.id, taken);
      memory.nonces.set(nonceName(taken), taken.until);
    }
  }
  return memory;
}
