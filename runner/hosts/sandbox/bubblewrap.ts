import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import { encodePlan } from './message.ts';
import type { Entry, LaunchPlan } from './message.ts';
import type { PathFacts } from './root.ts';

/** Where systems have it. The PATH is not asked: a program put there would build the box. */
const places = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap'];

/** Absolute path of bubblewrap; null where the system has none. */
export function findBubblewrap(): string | null {
  return places.find((path) => existsSync(path)) ?? null;
}

/** A launch by bubblewrap: what is started, and what it reads on its descriptors. */
interface BubblewrapLaunch {
  /** Our launcher, which becomes bubblewrap as the owner and in the groups. */
  readonly file: string;
  readonly args: readonly string[];
  /** On descriptor 3, for our launcher as the first process inside. */
  readonly plan: Uint8Array;
  /** On descriptors 6 and up without 7, where a channel stands: arguments, then the content of each file. */
  readonly more: readonly Uint8Array[];
}

interface BubblewrapOptions {
  readonly program: string;
  /** Absolute path of our launcher. */
  readonly launcher: string;
  readonly facts: (path: string) => PathFacts | null;
}

/** Where our launcher lies inside (`HELPER` in C). Nothing may read or run it there once the command has begun. */
const helperPath = '/.interlock-launcher';
const argumentsFd = 6;

/**
 * The same box as `plan` asks of our own launcher, built by bubblewrap, with our launcher as its
 * first process: it compares what was bound with what is here now, and adds the hold, the filter and
 * the limits. Layers over caches cannot be had so. Throws `binding-drift` for a source that is a link by
 * now.
 */
export function bubblewrapLaunch(
  plan: LaunchPlan,
  { program, launcher, facts }: BubblewrapOptions,
): BubblewrapLaunch {
  const entries = plan.entries
    .map(withoutLayer)
    .filter((entry) => !isLeftOut(entry, plan))
    .flatMap((entry) => known(entry, facts));
  const contents: string[] = [];
  const args = [
    ...apart,
    ...(plan.noNetwork ? ['--unshare-net'] : []),
    ...entries.flatMap((entry) => argumentsOf(entry, contents, plan.proxyPort !== undefined)),
    '--ro-bind',
    launcher,
    helperPath,
    ...own,
    '--remount-ro',
    '/',
    '--chdir',
    '/',
  ];
  return {
    file: launcher,
    args: ['--outside', ...[plan.uid, plan.gid, plan.parent].map(String), program, ...plan.groups],
    plan: encodePlan({ ...plan, mode: 'inside', parent: 0, entries }),
    more: [
      Buffer.from(args.map((word) => `${word}\0`).join('')),
      ...contents.map((text) => Buffer.from(text)),
    ],
  };
}

/** The first process is ours: it reaps, and outlives the command as long as something runs. */
const apart = (
  '--unshare-user --disable-userns --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try ' +
  '--as-pid-1 --die-with-parent --cap-drop ALL --hostname sandbox --clearenv'
).split(' ');

const own = (
  '--proc /proc --ro-bind /proc/sys /proc/sys --ro-bind-try /proc/fs /proc/fs ' +
  '--dev /dev --perms 1777 --size 67108864 --tmpfs /dev/shm --remount-ro /dev'
).split(' ');

/** Bubblewrap lays no layers, and what should have had one is not to be written without. */
function withoutLayer(entry: Entry): Entry {
  if (entry.kind !== 'overlay') return entry;
  return { kind: 'bind', target: entry.target, source: entry.lower };
}

/** What the owner cannot get to would not be seen inside either; bubblewrap would end over it. */
export function isLeftOut(entry: Entry, { uid, gid }: Pick<LaunchPlan, 'uid' | 'gid'>): boolean {
  if (entry.kind !== 'bind' || entry.ifPresent !== true || uid === 0) return false;
  for (let folder = dirname(entry.source); ; folder = dirname(folder)) {
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (stat === undefined) return true;
    const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001;
    if ((stat.mode & bit) === 0) return true;
    if (folder === '/') return false;
  }
}

/** What is bound, by its number: who binds follows a path, and the first process inside compares. */
export function known(entry: Entry, facts: (path: string) => PathFacts | null): readonly Entry[] {
  if (entry.kind !== 'bind') return [entry];
  const found = facts(entry.source);
  if (found === null) return entry.ifPresent === true ? [] : [entry];
  if (found.kind === 'link')
    throw refuse(
      'binding-drift',
      `${entry.source} was exchanged for a link between the decision and the start.`,
      'Nothing was run. Look at what changed, then ask again.',
    );
  const { device, inode } = found;
  return [{ ...entry, identity: entry.identity ?? { device, inode } }];
}

/** Contents of files are gathered in order, each for the next descriptor. */
function argumentsOf(entry: Entry, contents: string[], hasChannel: boolean): readonly string[] {
  switch (entry.kind) {
    case 'directory':
      return ['--dir', entry.target];
    case 'link':
      return ['--symlink', entry.to, entry.target];
    case 'file':
      contents.push(entry.content);
      return [
        '--perms',
        '0444',
        '--ro-bind-data',
        String(argumentsFd + contents.length + (hasChannel ? 1 : 0)),
        entry.target,
      ];
    case 'tmpfs':
      return tmpfs(entry.target, entry.options);
    case 'bind': {
      const how = entry.writable === true ? '--bind' : '--ro-bind';
      return [entry.ifPresent === true ? `${how}-try` : how, entry.source, entry.target];
    }
    default:
      throw new TypeError(`bubblewrap has no word for an entry of the kind "${entry.kind}"`);
  }
}

const units: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** It takes size and mode alone. */
function tmpfs(target: string, options: string): readonly string[] {
  const [, size = '', unit = ''] = /(?:^|,)size=(\d+)([kmg]?)/.exec(options) ?? [];
  const [, mode = '0755'] = /(?:^|,)mode=([0-7]+)/.exec(options) ?? [];
  const bytes = Number(size) * (units[unit] ?? 1);
  return ['--perms', mode, ...(size === '' ? [] : ['--size', String(bytes)]), '--tmpfs', target];
}
