import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashFile } from '../../shared/home/index.ts';

/** What makes a file this file. Two identities are the same when every field is. */
export interface FileIdentity {
  readonly path: string;
  /** Null for a path that leads nowhere. */
  readonly realPath: string | null;
  readonly device: string;
  readonly inode: string;
  readonly size: string;
  /** Nanoseconds. The change time cannot be set back by whoever edits a file. */
  readonly modified: string;
  readonly changed: string;
  /** Digest of the symbolic links on the way to it: one that is turned away and back is a new one. */
  readonly links: string | null;
  /** Hex; null where the content was not looked at. */
  readonly sha256: string | null;
}

const absent = {
  device: '',
  inode: '',
  size: '',
  modified: '',
  changed: '',
  links: null,
  sha256: null,
};

/** The identity of what `path` leads to now; with its content's digest where `hashed`. */
export function fileIdentity(path: string, hashed: boolean): FileIdentity {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return { path, realPath: null, ...absent };
  const realPath = realpathSync.native(path);
  return {
    path,
    realPath,
    device: String(stat.dev),
    inode: String(stat.ino),
    size: String(stat.size),
    modified: String(stat.mtimeNs),
    changed: String(stat.ctimeNs),
    links: linksOn(path),
    sha256: hashed ? hashFile(realPath) : null,
  };
}

const mostLinks = 40;

/** Null where there is no link on the way, as for most files. */
function linksOn(path: string): string | null {
  const seen: string[] = [];
  let waiting = path.split('/').filter(Boolean);
  let real = '';
  while (waiting.length > 0 && seen.length <= mostLinks) {
    const [part = '', ...rest] = waiting;
    const at = part === '..' ? dirname(real || '/') : join(real || '/', part);
    const stat = lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stat?.isSymbolicLink() !== true) {
      real = at;
      waiting = rest;
      continue;
    }
    const target = readlinkSync(at);
    seen.push(`${at} ${String(stat.ino)} ${String(stat.ctimeNs)} ${target}`);
    waiting = [...target.split('/').filter(Boolean), ...rest];
    if (target.startsWith('/')) real = '';
  }
  return seen.length === 0 ? null : createHash('sha256').update(seen.join('\n')).digest('hex');
}
