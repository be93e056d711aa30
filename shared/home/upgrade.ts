import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compile, readJson, refuse, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { withFileLock } from './file-lock.ts';
import { ensurePrivateDirectory, hashOfText, readPrivateFile, writeFileAtomic } from './files.ts';
import { migrated, migrations, missingFrom, touchedBy, versionAfter } from './migrations.ts';
import type { Migration } from './migrations.ts';
import type { HomePaths } from './paths.ts';

/** `home.json`. Every later program has to keep to this shape, so that an earlier one can tell. */
export const stampSchema = s.file({
  version: s.integer({ minimum: 1 }),
  /** The program that made the home so. */
  program: s.string({ maxLength: 100 }),
  at: s.integer({ minimum: 0 }),
});
const checkStamp = compile(stampSchema);

/** `backup.json` of a backup: what the files were. Null: there was none. */
const backupSchema = s.file({
  from: s.integer({ minimum: 0 }),
  to: s.integer({ minimum: 0 }),
  program: s.string({ maxLength: 100 }),
  at: s.integer({ minimum: 0 }),
  files: s.record(s.nullable(s.string({ pattern: '^[0-9a-f]{64}$' })), { maxProperties: 10_000 }),
});
type Backup = Static<typeof backupSchema>;
const checkBackup = compile(backupSchema);

const maxBytes = 64 * 1024 * 1024;
const backupName = /^[0-9]{1,6}-to-[0-9]{1,6}-[0-9]{1,16}$/u;

/** Writes to the disk; tests put one in their place that ends at any step. */
export interface HomeDisk {
  readonly write: (path: string, text: string) => void;
  readonly rename: (from: string, to: string) => void;
  /** Also of folders; that there is none is no error. */
  readonly remove: (path: string) => void;
}

const realDisk: HomeDisk = {
  write: (path, text) => writeFileAtomic(path, text),
  rename: renameSync,
  remove: (path) => rmSync(path, { recursive: true, force: true }),
};

type HomeFacts = Pick<HomePaths, 'home' | 'stamp' | 'migration' | 'backups'> & {
  readonly uid: number;
};

/** How a home stands to the versions that a program knows. */
type HomeVersion =
  | { readonly state: 'current' | 'older' | 'newer'; readonly version: number; readonly by: string }
  /** A change of version began and did not end. */
  | { readonly state: 'half' }
  | { readonly state: 'damaged'; readonly why: string };

/** Reads which version a home has. One without a stamp is of version 0. Never throws. */
export function readHomeVersion(
  { stamp, migration, uid }: HomeFacts,
  table: readonly Migration[] = migrations,
): HomeVersion {
  if (existsSync(migration)) return { state: 'half' };
  const file = readPrivateFile(stamp, { uid, maxBytes: 64 * 1024 });
  if (file.kind === 'unsafe') return { state: 'damaged', why: `${stamp} ${file.why}.` };
  if (file.kind === 'missing') return { state: 'older', version: 0, by: 'a program before 0.1.0' };
  const read = readJson(checkStamp, file.text);
  if (!read.ok) return { state: 'damaged', why: `${stamp} is not valid: ${read.error}` };
  const { version, program } = read.value;
  const known = versionAfter(table);
  const state = version === known ? 'current' : version < known ? 'older' : 'newer';
  return { state, version, by: program };
}

/**
 * Throws a `config-invalid` refusal for a home that this program may not work on: a newer one, one half
 * way between two versions, and one that does not say. An older one may pass: it can be upgraded.
 */
export function requireHomeVersion(facts: HomeFacts, table?: readonly Migration[]): void {
  const found = readHomeVersion(facts, table);
  if (found.state === 'newer')
    throw refuse(
      'config-invalid',
      `${facts.home} has version ${String(found.version)}, which this program does not know: ${found.by} made it so.`,
      'Update this program; or, with the newer one, run "interlock home rollback", and start this one then.',
    );
  if (found.state === 'half')
    throw refuse(
      'config-invalid',
      `${facts.home} stands half way between two versions: a change of version was cut off.`,
      'Run "interlock home upgrade" to begin it anew, or "interlock home rollback" to have the old version back.',
    );
  if (found.state === 'damaged')
    throw refuse(
      'config-invalid',
      found.why,
      'Put home.json back as it was; its backups name the version they lead to.',
    );
}

/** The stamp of a home that is made now. */
export function stampText(stamp: { readonly program: string; readonly at: number }): string {
  return textOf({ version: versionAfter(migrations), ...stamp });
}

interface ChangeOptions extends HomeFacts {
  /** The program that does it, with its version. */
  readonly program: string;
  readonly now: () => number;
  readonly table?: readonly Migration[];
  readonly disk?: HomeDisk;
}

/** What a change of version did. */
export interface VersionChange {
  readonly from: number;
  readonly to: number;
  /** The folder with the files as they were. */
  readonly backup: string;
  /** Paths below the home that are others now. */
  readonly changed: readonly string[];
}

/**
 * Brings a home to the version of this program; null where it has it. All files that may change are
 * copied first; from then on until all is done the home counts as half migrated. What was cut off
 * before is begun anew from its backup. The caller sees to it that no runner works on it. Throws
 * `config-invalid` where the home is newer, or a file cannot be brought on; nothing is changed then.
 */
export async function upgradeHome(options: ChangeOptions): Promise<VersionChange | null> {
  const { table = migrations } = options;
  const { state } = readHomeVersion(options, table);
  if (state === 'current') return null;
  if (state !== 'half') requireHomeVersion(options, table);
  return withFileLock(`${options.stamp}.lock`, () => {
    // Another process may have been faster.
    if (readHomeVersion(options, table).state === 'half') restore(options, cutOff(options));
    const found = readHomeVersion(options, table);
    if (found.state === 'current') return null;
    requireHomeVersion(options, table);
    const from = found.state === 'older' ? found.version : 0;
    return bringOn(options, from, table);
  });
}

/** Whatever throws before the mark of a change is written has changed nothing. */
function bringOn(options: ChangeOptions, from: number, table: readonly Migration[]): VersionChange {
  const { home, stamp, migration, program, disk = realDisk, now } = options;
  const steps = missingFrom(from, table);
  const to = versionAfter(table);
  const before = textsOf(options, touchedBy(steps));
  const after = migrated(before, steps);
  const backup = keep(options, { from, to, texts: before, touched: touchedBy(steps) });
  const changed = touchedBy(steps).filter((path) => before.get(path) !== after.get(path));
  disk.write(migration, textOf({ backup }));
  for (const path of changed) put(options, path, after.get(path));
  disk.write(stamp, textOf({ version: to, program, at: now() }));
  disk.remove(migration);
  return { from, to, backup: join(home, 'backups', backup), changed };
}

/**
 * Puts back what the last upgrade changed, from its backup, and what one that was cut off did. What
 * stands there now is kept beside it. Throws `config-invalid` where there is no backup that leads to
 * the version of the home, or where it is not as it was written.
 */
export async function rollbackHome(options: ChangeOptions): Promise<VersionChange> {
  return withFileLock(`${options.stamp}.lock`, () => {
    const found = readHomeVersion(options, options.table);
    if (found.state === 'half') return restore(options, cutOff(options));
    requireHomeVersion(options, options.table);
    const version = found.state === 'damaged' ? 0 : found.version;
    const name = backupsOf(options).find((one) => toOf(one) === version && fromOf(one) < version);
    if (name === undefined)
      throw refuse(
        'config-invalid',
        `There is no backup of what ${options.home} was before version ${String(version)}.`,
        'It has had this version from the start, or its backup was taken away. Nothing was changed.',
      );
    return restore(options, name);
  });
}

function restore(options: ChangeOptions, name: string): VersionChange {
  const { home, stamp, migration, backups, now, disk = realDisk } = options;
  const folder = join(backups, name);
  const { from, to, files, program: by } = readBackup(options, folder);
  const kept = new Map<string, string>();
  for (const [path, digest] of Object.entries(files)) {
    const text = digest === null ? undefined : readCopy(options, folder, path);
    if (text !== undefined && hashOfText(text) !== digest) throw damagedBackup(folder, path);
    if (text !== undefined) kept.set(path, text);
  }
  const touched = Object.keys(files);
  const present = textsOf(options, touched);
  const changed = touched.filter((path) => present.get(path) !== kept.get(path));
  if (!existsSync(migration)) keep(options, { from: to, to: from, texts: present, touched });
  disk.write(migration, textOf({ backup: name }));
  for (const path of changed) put(options, path, kept.get(path));
  if (from === 0) disk.remove(stamp);
  else disk.write(stamp, textOf({ version: from, program: by, at: now() }));
  disk.remove(migration);
  return { from: to, to: from, backup: join(home, 'backups', name), changed };
}

interface Kept {
  readonly from: number;
  readonly to: number;
  readonly texts: ReadonlyMap<string, string>;
  readonly touched: readonly string[];
}

/** Copies files into a folder of their own, which gets its name when it is whole. Returns the name. */
function keep(options: ChangeOptions, { from, to, texts, touched }: Kept): string {
  const { backups, uid, program, now, disk = realDisk } = options;
  const at = now();
  const name = `${String(from)}-to-${String(to)}-${String(at)}`;
  const unfinished = join(backups, `.${name}`);
  disk.remove(unfinished);
  ensurePrivateDirectory(backups, { uid });
  ensurePrivateDirectory(unfinished, { uid });
  for (const [path, text] of texts) {
    const copy = join(unfinished, 'files', path);
    ensurePrivateDirectory(dirname(copy), { uid });
    disk.write(copy, text);
  }
  const digests = touched.map((path) => {
    const text = texts.get(path);
    return [path, text === undefined ? null : hashOfText(text)] as const;
  });
  const manifest: Backup = { from, to, program, at, files: Object.fromEntries(digests) };
  disk.write(join(unfinished, 'backup.json'), textOf(manifest));
  disk.remove(join(backups, name));
  disk.rename(unfinished, join(backups, name));
  return name;
}

function put({ home, uid, disk = realDisk }: ChangeOptions, path: string, text?: string): void {
  if (text === undefined) return disk.remove(join(home, path));
  ensurePrivateDirectory(dirname(join(home, path)), { uid });
  disk.write(join(home, path), text);
}

/** A file that others could have written, or that cannot be read, is not brought on. */
function textsOf(
  { home, uid }: HomeFacts,
  touched: readonly string[],
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const path of touched) {
    const file = readPrivateFile(join(home, path), { uid, maxBytes });
    if (file.kind === 'text') texts.set(path, file.text);
    if (file.kind === 'unsafe')
      throw refuse(
        'config-invalid',
        `${join(home, path)} ${file.why}.`,
        'Put a regular file of your own there, with mode 600. Nothing was changed.',
      );
  }
  return texts;
}

/** The names of whole backups, the newest first. */
function backupsOf({ backups }: HomeFacts): readonly string[] {
  if (!existsSync(backups)) return [];
  return readdirSync(backups)
    .filter((name) => backupName.test(name))
    .toSorted((one, other) => Number(other.split('-')[3]) - Number(one.split('-')[3]));
}

const fromOf = (name: string): number => Number(name.split('-')[0]);
const toOf = (name: string): number => Number(name.split('-')[2]);

const checkMark = compile(s.object({ backup: s.string({ pattern: backupName.source }) }));

/** The backup of the change that was cut off. */
function cutOff({ migration, uid }: HomeFacts): string {
  const file = readPrivateFile(migration, { uid, maxBytes: 4_096 });
  const mark = file.kind === 'text' ? readJson(checkMark, file.text) : null;
  if (mark?.ok === true) return mark.value.backup;
  throw refuse(
    'config-invalid',
    `${migration} does not say what was under way.`,
    'Put the files of the newest folder in "backups" of the home back by hand, and then remove it.',
  );
}

function readBackup({ uid }: HomeFacts, folder: string): Backup {
  const file = readPrivateFile(join(folder, 'backup.json'), { uid, maxBytes });
  const read = file.kind === 'text' ? readJson(checkBackup, file.text) : null;
  if (read?.ok === true && Object.keys(read.value.files).every(isBelow)) return read.value;
  throw damagedBackup(folder, 'backup.json');
}

function isBelow(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function readCopy({ uid }: HomeFacts, folder: string, path: string): string {
  const file = readPrivateFile(join(folder, 'files', path), { uid, maxBytes });
  if (file.kind === 'text') return file.text;
  throw damagedBackup(folder, path);
}

function damagedBackup(folder: string, path: string): Error {
  return refuse(
    'config-invalid',
    `The backup in ${folder} is not as it was written: ${path}.`,
    'Nothing was changed by it. Put the files back from a backup of your own.',
  );
}

function textOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
