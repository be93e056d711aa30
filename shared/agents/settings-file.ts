import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { refuse } from '../base/index.ts';
import { fileIdentity } from '../engine/index.ts';
import type { KnownPlace } from '../engine/index.ts';
import type { Env } from './host.ts';
import type { AgentHost } from './list.ts';
import { hosts, recordOf } from './registry.ts';

interface Surroundings {
  readonly env: Env;
  /** Absolute folder of a project; null for the settings that hold for the person everywhere. */
  readonly project: string | null;
}

/** The file in which a host keeps its hooks, or that is our plugin. An absolute path. */
export function hookFile(host: AgentHost, { env, project }: Surroundings): string {
  const { places } = recordOf(host);
  return project === null
    ? join(places.folder(env), places.personal)
    : join(project, places.project);
}

/**
 * The files that hold the person's hooks, where they really are: people link to settings that they
 * keep elsewhere, and the hosts' own variables move whole folders. The same list comes back while
 * they lie where they lay.
 */
export function hookPlaces(env: Env): readonly KnownPlace[] {
  const found = filesOf(env).flatMap(lookForHooks);
  const key = found.map(({ path, identities }) => `${path}\0${String(identities)}`).join('\0');
  if (looked?.key !== key) looked = { key, places: found };
  return looked.places;
}

const filesByEnv = new WeakMap<Env, readonly string[]>();

/** Variables of a process stay as they are. */
function filesOf(env: Env): readonly string[] {
  const made = filesByEnv.get(env) ?? hosts.map((host) => hookFile(host, { env, project: null }));
  filesByEnv.set(env, made);
  return made;
}

let looked: { readonly key: string; readonly places: readonly KnownPlace[] } | null = null;

function lookForHooks(file: string): readonly KnownPlace[] {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return [];
    const real = realpathSync.native(file);
    const { ino, dev } = statSync(real);
    const place = { place: 'steers', reason: 'holds the hooks that ask Interlock' } as const;
    const identities = [fileIdentity({ inode: ino, device: dev })];
    return [{ ...place, path: real, disarms: true, identities }];
  } catch {
    return [];
  }
}

/** Settings of a host, as they lie on the disk. */
export interface SettingsFile {
  /** Where it really is: links are followed. */
  readonly path: string;
  /** Null where there is no such file yet. */
  readonly text: string | null;
  /** Permission bits; those of a new file where there is none. */
  readonly mode: number;
}

interface SettingsFileOptions {
  readonly uid: number;
  /** The folder that a link must not lead out of; null where links may lead anywhere of the person's. */
  readonly project: string | null;
}

const maxBytes = 4 * 1024 * 1024;
const modeOfNew = 0o600;

/**
 * Reads settings that belong to the person. People keep such files elsewhere and link to them, so
 * links are followed, as far as they lead to a file of their own that nobody else can replace.
 * Throws a `config-invalid` refusal for everything else.
 */
export function readSettings(path: string, options: SettingsFileOptions): SettingsFile {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const real = realPath(path, isLink);
  const leadsOut = options.project !== null && leavesFolder(realpathSync(options.project), real);
  if (leadsOut) throw untouchable(path, 'is a link that leads out of the project');
  const stats = statSync(real, { throwIfNoEntry: false });
  if (stats === undefined) return { path: real, text: null, mode: modeOfNew };
  const why = objection(stats, options) ?? (isLink ? looseFolder(dirname(real)) : null);
  if (why !== null) throw untouchable(path, why);
  return { path: real, text: textOf(path, readFileSync(real)), mode: stats.mode & 0o777 };
}

/** The refusal to touch a file; `why` goes on from its path. */
export function untouchable(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `${path} ${why}.`,
    'Nothing was changed. See to it, then try again.',
  );
}

function realPath(path: string, isLink: boolean): string {
  if (!isLink) return join(realFolder(dirname(path)), basename(path));
  try {
    return realpathSync(path);
  } catch {
    throw untouchable(path, 'is a link that leads nowhere');
  }
}

/** The real path of a folder, whose last parts need not exist yet. */
function realFolder(folder: string): string {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) {
    try {
      return realpathSync(folder);
    } catch {
      throw untouchable(folder, 'is a link that leads nowhere');
    }
  }
  return join(realFolder(dirname(folder)), basename(folder));
}

function leavesFolder(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '..' || way.startsWith('../');
}

function objection(stats: Stats, { uid }: SettingsFileOptions): string | null {
  if (!stats.isFile()) return 'is not a regular file';
  if (stats.uid !== uid) return `belongs to another user (uid ${String(stats.uid)})`;
  if (stats.nlink !== 1) return 'has a second name (hard link)';
  return stats.size > maxBytes ? `is larger than ${String(maxBytes)} bytes` : null;
}

/** In a folder that others can write to, they could put another file there in the meantime. */
function looseFolder(folder: string): string | null {
  return (statSync(folder).mode & 0o002) === 0
    ? null
    : 'leads into a folder that others can change';
}

function textOf(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw untouchable(path, 'is not UTF-8 text');
  }
}
