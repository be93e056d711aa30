import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { unitName } from '../../shared/operations/index.ts';
import type { Log } from './log.ts';

interface OwnGroupOptions {
  readonly pid: number;
  readonly log: Pick<Log, 'warn'>;
  /** Where control groups of version 2 are; for tests. */
  readonly root?: string;
  /** `/proc/self/cgroup`; for tests. */
  readonly own?: string;
}

/** What commands can be held by, one group each. */
const handedDown = ['memory', 'pids'];

/**
 * Makes room for groups of commands. systemd hands the unit's control group to its user
 * (`Delegate=yes`), but a group with processes in it cannot hand controllers to groups below (the
 * kernel's rule of no inner processes): so the runner goes into a leaf, `runner`, and memory and
 * pids are handed down. Does nothing outside of our unit. A failure is told, and stops nothing: it
 * only means that commands cannot have groups.
 */
export function enterOwnLeaf(options: OwnGroupOptions): void {
  const { pid, log, root = '/sys/fs/cgroup' } = options;
  try {
    const path = unifiedPath(options.own ?? readFileSync('/proc/self/cgroup', 'utf8'));
    if (path === null || basename(path) !== unitName) return;
    const group = join(root, path);
    const inside = words(join(group, 'cgroup.procs'));
    if (inside.some((other) => other !== String(pid)))
      throw new Error('another process is in the group of the unit');
    const leaf = join(group, 'runner');
    mkdirSync(leaf, { recursive: true });
    writeFileSync(join(leaf, 'cgroup.procs'), String(pid));
    const there = words(join(group, 'cgroup.controllers'));
    const wanted = handedDown.filter((name) => there.includes(name)).map((name) => `+${name}`);
    if (wanted.length > 0) writeFileSync(join(group, 'cgroup.subtree_control'), wanted.join(' '));
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    log.warn(`Commands cannot have control groups of their own: ${why}`);
  }
}

/** The path of version 2, which stands in the line of hierarchy 0; null where there is none. */
function unifiedPath(text: string): string | null {
  return /^0::(\/.*)$/mu.exec(text)?.[1] ?? null;
}

function words(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split(/\s+/u)
    .filter((word) => word !== '');
}
