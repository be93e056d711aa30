import { lstatSync, rmSync, symlinkSync } from 'node:fs';
import { compile, messageOf, readJson, refuse, s } from '../../shared/base/index.ts';
import { boxOfAgent } from '../../shared/engine/index.ts';
import { boxKeepers, readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import type { BoxKeeper } from '../../shared/home/index.ts';
import type { BoxRecords } from './record.ts';
import type { BoxRuntime } from './runtime.ts';

/** `state/boxes/NAME.locked`: that a person has locked this one box. That it is there is what counts. */
const mark = s.object({
  version: s.literal(1),
  /** Milliseconds since the epoch. */
  at: s.number(),
  reason: s.nullable(s.string()),
  by: s.string(),
});
const check = compile(mark);

/** The locks of boxes. They stand outside of their records, and outlive them. */
export interface BoxLocks {
  /** Null for a box that is not locked. A lock that cannot be read is one, without a reason. */
  readonly of: (name: string) => { readonly reason: string | null } | null;
  /** Throws `lockout-active` for a box that is locked. */
  readonly check: (name: string) => void;
  /** The same for an agent, where it is a box. */
  readonly checkAgent: (agent: string) => void;
  /** Durable once it returns. Throws where no lock could be had. */
  readonly close: (name: string, lock: BoxLock) => void;
  /** Whether there was one. */
  readonly open: (name: string) => boolean;
}

interface BoxLock {
  readonly at: number;
  readonly reason: string | null;
  readonly by: string;
}

export function boxLocks(records: Pick<BoxRecords, 'lockedOf' | 'tell'>, uid: number): BoxLocks {
  const { lockedOf: at } = records;
  const of: BoxLocks['of'] = (name) => {
    if (lstatSync(at(name), { throwIfNoEntry: false }) === undefined) return null;
    const file = readPrivateFile(at(name), { uid, maxBytes: 16 * 1024 });
    const checked = file.kind === 'text' ? readJson(check, file.text) : null;
    return { reason: checked?.ok === true ? checked.value.reason : null };
  };
  const requireOpen: BoxLocks['check'] = (name) => {
    const lock = of(name);
    if (lock === null) return;
    const why = lock.reason === null ? '' : `: ${lock.reason}`;
    throw refuse(
      'lockout-active',
      `The box "${name}" is locked${why}.`,
      `Stop and wait: only a person can unlock it, with "interlock unlock --box ${name}".`,
    );
  };
  return {
    of,
    check: requireOpen,
    checkAgent: (agent) => {
      const name = boxOfAgent(agent);
      if (name !== null) requireOpen(name);
    },
    close: (name, lock) => {
      try {
        writeFileAtomic(at(name), `${JSON.stringify({ version: 1, ...lock })}\n`);
      } catch (error) {
        if (of(name) === null) emptyLock(at(name), error);
      }
      records.tell();
    },
    open: (name) => {
      const there = of(name) !== null;
      rmSync(at(name), { force: true, recursive: true });
      records.tell();
      return there;
    },
  };
}

/** A link that leads nowhere needs no room on the disk. */
function emptyLock(path: string, cause: unknown): void {
  try {
    symlinkSync('locked', path);
  } catch {
    throw cause;
  }
}

/** What the lockout of one box has done. */
interface BoxLockout {
  readonly name: string;
  /** Whether it ran, and all in it was ended. */
  readonly ended: boolean;
  /** Sentences about what could not be done. */
  readonly problems: readonly string[];
}

interface BoxLockoutOptions {
  readonly records: BoxRecords;
  readonly runtime: Pick<BoxRuntime, 'runs' | 'destroy'>;
  readonly uid: number;
  readonly lock: BoxLock;
}

/**
 * The emergency stop of one box: nothing of it starts any more, and all in it is killed, whoever else
 * is doing something with it. It ends what runs also where no lock could be had, and throws then.
 */
export async function lockBoxOut(
  name: string,
  { records, runtime, uid, lock }: BoxLockoutOptions,
): Promise<BoxLockout> {
  const problems: string[] = [];
  let failure: unknown = null;
  try {
    boxLocks(records, uid).close(name, lock);
  } catch (error) {
    failure = error;
  }
  const keeper = keeperOf(name, { records, uid });
  const ran = runtime.runs(name, keeper);
  try {
    // Also where nothing seems to run: what is being started just now answers on the same socket.
    const isGone = await runtime.destroy(name, keeper, 0);
    if (!isGone) problems.push(`Something in the box "${name}" could not be ended.`);
  } catch (error) {
    problems.push(`The box "${name}" could not be ended: ${messageOf(error)}`);
  }
  if (failure === null) return { name, ended: ran && problems.length === 0, problems };
  throw refuse(
    'audit-unavailable',
    `The box "${name}" was ended, but its lock could not be written to the disk.`,
    'Make room on the disk and lock it again.',
    { cause: failure },
  );
}

/** By its record as far as that can be read: a damaged one may still say who keeps the box. */
function keeperOf(
  name: string,
  { records, uid }: Pick<BoxLockoutOptions, 'records' | 'uid'>,
): BoxKeeper | null {
  const found = boxKeepers(records.directory, uid).find(({ id }) => id === `box-${name}`);
  if (found === undefined) return null;
  const { pid, startTicks, bootId } = found;
  if (pid === null || startTicks === null || bootId === null) return null;
  return { pid, startTicks, bootId };
}
