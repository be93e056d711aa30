import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the processes of one command may use together. */
export interface GroupLimits {
  /** Bytes; memory that was swapped out counts too. */
  readonly memory: number;
  readonly processes: number;
  /** Where they need too much, one of them is ended; absent: all are, as they are one command. */
  readonly apart?: true;
}

/** A control group of one command, or of a box. */
export interface ControlGroup {
  /** Files into which the command's first process writes itself, as `0`. */
  readonly files: readonly string[];
  /** Removes the group once it is empty; false while it is not. */
  readonly remove: () => boolean;
}

/** Makes control groups, or says why there are none. */
export type Groups =
  | {
      readonly ok: true;
      readonly kind: 'v1' | 'v2';
      readonly open: (id: string, limits: GroupLimits) => ControlGroup;
      /** One that was opened before under that id, by whoever it was; it need not be there. */
      readonly known: (id: string) => ControlGroup;
    }
  | { readonly ok: false; readonly problem: string };

interface Controller {
  /** Below it groups are made. */
  readonly folder: string;
  readonly settings: (limits: GroupLimits) => readonly (readonly [file: string, value: string])[];
}

const root = '/sys/fs/cgroup';

const memoryV1 = ({ memory }: GroupLimits) =>
  [
    ['memory.limit_in_bytes', String(memory)],
    // There only where swap is counted.
    ['memory.memsw.limit_in_bytes', String(memory)],
  ] as const;
const processes = ({ processes: most }: GroupLimits) => [['pids.max', String(most)]] as const;
const both = (limits: GroupLimits) =>
  [
    ['memory.max', String(limits.memory)],
    ['memory.swap.max', '0'],
    ['memory.oom.group', limits.apart === true ? '0' : '1'],
    ...processes(limits),
  ] as const;

/**
 * Control groups as this process may use them: those of version 2 below a folder that was handed to
 * us (`Delegate=` of systemd), or those of version 1 as root.
 */
export function findGroups(uid: number, platform: NodeJS.Platform = process.platform): Groups {
  if (platform !== 'linux') return { ok: false, problem: 'only Linux has control groups' };
  const own = ownGroups();
  const v2 = delegated(own.get(''));
  if (v2 !== null) return groupsIn('v2', [{ folder: v2, settings: both }]);
  if (uid !== 0) return { ok: false, problem: 'no control group was handed to this user' };
  const v1 = [
    { name: 'memory', settings: memoryV1 },
    { name: 'pids', settings: processes },
  ].flatMap(({ name, settings }): Controller[] => {
    const folder = join(root, name, own.get(name) ?? '');
    return own.has(name) && existsSync(join(folder, 'cgroup.procs')) ? [{ folder, settings }] : [];
  });
  if (v1.length < 2) return { ok: false, problem: 'memory and pids are not controlled here' };
  return groupsIn('v1', v1);
}

/** The groups of this process by controller; version 2 under the empty name. */
function ownGroups(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')) {
    const [, controllers = '', ...path] = line.split(':');
    for (const name of controllers.split(',')) found.set(name, path.join(':'));
  }
  return found;
}

/** The folder above the runner's own leaf, where its controllers are handed down to groups in it. */
function delegated(own: string | undefined): string | null {
  if (own === undefined) return null;
  const above = join(root, own, '..');
  try {
    const controllers = readFileSync(join(above, 'cgroup.subtree_control'), 'utf8').split(/\s+/);
    const isOurs = own.endsWith('/runner');
    return isOurs && controllers.includes('memory') && controllers.includes('pids') ? above : null;
  } catch {
    return null;
  }
}

/**
 * The process is alone in itself then, so a thread of version 1 is all of it; and one thread that moves
 * itself waits for nobody, where a whole process waits until all processors have seen it: some 10 ms.
 */
const memberFile = { v1: 'tasks', v2: 'cgroup.procs' } as const;

function groupsIn(kind: 'v1' | 'v2', controllers: readonly Controller[]): Groups {
  const known = (id: string): ControlGroup => {
    const folders = controllers.map(({ folder }) => join(folder, `interlock-${id}`));
    return {
      files: folders.map((folder) => join(folder, memberFile[kind])),
      remove: () => folders.map(removed).every(Boolean),
    };
  };
  return {
    ok: true,
    kind,
    open: (id, limits) => {
      for (const { folder, settings } of controllers) {
        const own = join(folder, `interlock-${id}`);
        mkdirSync(own);
        for (const [file, value] of settings(limits))
          if (existsSync(join(own, file))) writeFileSync(join(own, file), value);
      }
      return known(id);
    },
    known,
  };
}

function removed(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
