import { randomBytes } from 'node:crypto';
import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { setImmediate as yieldTurn } from 'node:timers/promises';
import { messageOf } from '../../../shared/base/index.ts';
import type { SharedFolderConfig } from '../../../shared/engine/index.ts';
import { openSharedFolder } from '../../../shared/home/index.ts';
import type { SharedPart } from '../../../shared/home/index.ts';
import { refusedAnswer, staleRefusal } from './answers.ts';
import { createIntake, settingsOf } from './intake.ts';
import type { OpenDoor } from './intake.ts';
import type { Door, TurnPorts } from './turns.ts';

/** The folders through which agents ask that have nothing else. */
export interface SharedFolders {
  /** Looks at all folders now; resolves when what was there has been read. */
  look(): Promise<void>;
  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void>;
  /** How many requests have had their turn. */
  taken(): number;
  /** Takes nothing up any more. What is under way is answered. */
  stop(): void;
}

const mostNames = 200_000;
/** A look takes at most this part of the time, however much lies in a folder. */
const dutyCycle = 50;
const longestPauseMs = 60_000;
const mostSorted = 4_096;
/** How soon a first folder in `config.json` is noticed. */
const idleMs = 3_000;
const cleanEveryMs = 30_000;

interface Open extends OpenDoor {
  readonly settings: string;
  readonly watchers: FSWatcher[];
}

/** Opens the folders that `config.json` names, and follows it from then on. */
export function openFolders(ports: TurnPorts): SharedFolders {
  const { clock, log, config, answers } = ports;
  const intake = createIntake(ports);
  const { read, start, tearDown } = intake;
  const report = (error: unknown): void => log.error('A shared folder could not be read', error);
  const { doors, reconcile, close } = createDoors(ports, (door, part, name) => {
    const looked =
      name === null ? look() : part === 'requests' ? read(door, name) : tearDown(door, name);
    void looked.then(start).catch(report);
  });
  let stopped = false;
  let cancel = (): void => undefined;
  let looking: Promise<void> | null = null;
  let again = false;
  let cleanedAt = -Infinity;

  const sweep = async (): Promise<void> => {
    reconcile();
    for (const door of doors.values()) {
      let count = 0;
      for (const name of door.folder.names('teardowns', mostNames)) await tearDown(door, name);
      for (const name of door.folder.names('requests', mostNames)) {
        if (stopped) return;
        await read(door, name);
        count += 1;
        if (count % 64 === 0) await yieldTurn();
        // Their order is known once they were read; of more than these it is as they come.
        if (count % mostSorted === 0) start();
      }
    }
    start();
    if (clock.elapsed() - cleanedAt < cleanEveryMs) return;
    cleanedAt = clock.elapsed();
    for (const { folder } of doors.values()) answers.clean(folder);
  };
  const look = async (): Promise<void> => {
    if (looking !== null) {
      again = true;
      return looking;
    }
    cancel();
    const since = clock.elapsed();
    looking = sweep().catch(report);
    await looking;
    looking = null;
    if (stopped) return;
    const took = clock.elapsed() - since;
    const pollMs = doors.size === 0 ? idleMs : (settingsOf(config)?.pollMs ?? idleMs);
    const rest = Math.min(longestPauseMs, Math.max(pollMs, took * dutyCycle));
    cancel = clock.after(
      again ? Math.min(rest, took * dutyCycle) : rest,
      () => void look().catch(report),
    );
    again = false;
  };
  reconcile();
  const recovered = recover(ports, doors).catch(report);
  void recovered.then(look).catch(report);
  return {
    look: async () => {
      await recovered;
      await look();
    },
    idle: intake.idle,
    taken: intake.taken,
    stop: () => {
      stopped = true;
      cancel();
      for (const door of doors.values()) close(door);
      intake.stop();
    },
  };
}

/** Something may have changed in a part of a folder: a name, or null where only a look can tell. */
type Changed = (door: Open, part: SharedPart, name: string | null) => void;

/** The folders that are open, by their paths. */
function createDoors({ uid, config, log }: TurnPorts, changed: Changed) {
  const doors = new Map<string, Open>();
  const problems = new Map<string, string>();
  const open = (wanted: SharedFolderConfig, settings: string): void => {
    try {
      const door = openDoor(wanted, { settings, uid });
      doors.set(wanted.path, door);
      problems.delete(wanted.path);
      for (const part of ['requests', 'teardowns'] as const) watchPart(door, part, changed);
    } catch (error) {
      const problem = messageOf(error);
      if (problems.get(wanted.path) !== problem) log.warn(problem);
      problems.set(wanted.path, problem);
    }
  };
  const close = ({ folder, watchers }: Open): void => {
    doors.delete(folder.path);
    for (const watcher of watchers) watcher.close();
    folder.close();
  };
  return {
    doors: doors as ReadonlyMap<string, Open>,
    close,
    /** Opens what is named and closes what is named no more, or is another folder by now. */
    reconcile: (): void => {
      const named = new Map(
        (settingsOf(config)?.folders ?? []).map((one) => [one.path, one] as const),
      );
      for (const [path, door] of doors) {
        const settings = JSON.stringify(named.get(path));
        if (settings !== door.settings || !door.folder.isCurrent()) close(door);
      }
      for (const [path, wanted] of named)
        if (!doors.has(path)) open(wanted, JSON.stringify(wanted));
    },
  };
}

/** Throws where the folder cannot be used. */
function openDoor(
  { path, agents, owners }: SharedFolderConfig,
  { settings, uid }: { readonly settings: string; readonly uid: number },
): Open {
  const folder = openSharedFolder(path, {
    owners: [uid, ...(owners ?? [])],
    // Another user of this machine's has to read what it is told.
    mode: owners === undefined ? 0o600 : 0o644,
    word: () => randomBytes(8).toString('hex'),
  });
  return {
    folder,
    settings,
    watchers: [],
    ignored: new Set(),
    admits: (principal) => agents === undefined || agents.includes(principal),
  };
}

function watchPart(door: Open, part: SharedPart, changed: Changed): void {
  try {
    const tell = (_: string, name: string | null): void => changed(door, part, name);
    const watcher = watch(door.folder.watched(part), { persistent: false }, tell);
    // A watch that fails leaves the poll.
    watcher.on('error', () => watcher.close());
    door.watchers.push(watcher);
  } catch {
    // No events here: the poll sees to it.
  }
}

/** Tells whoever asked an earlier runner, which ended in the middle of it, that nobody knows. */
async function recover(
  { journal, answers, principals, config, clock, note }: TurnPorts,
  doors: ReadonlyMap<string, Door>,
): Promise<void> {
  const named = new Set(settingsOf(config)?.folders.map(({ path }) => path));
  for (const taken of journal.open()) {
    const door = doors.get(taken.folder);
    // Of a folder that is not there now, it is told when it is.
    if (door === undefined && named.has(taken.folder)) continue;
    const key = await principals.key(taken.principal).catch(() => null);
    if (door !== undefined && (key === null || !answers.has(door.folder, taken, key)))
      await answers.write(door.folder, refusedAnswer(taken, staleRefusal(), clock.now()), key);
    journal.answered(taken.id);
    note('rpc-stale', `${taken.id} of ${taken.principal} was under way when the runner ended`);
  }
}
