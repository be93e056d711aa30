import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { compile, readJson, s } from '../../../../shared/base/index.ts';
import type { Static } from '../../../../shared/base/index.ts';
import { readPrivateFile, writePage } from '../../../../shared/home/index.ts';
import type { HistoryPlace } from '../git.ts';
import { rootFiles } from '../root-files.ts';
import { isBelow } from '../paths.ts';
import type { Owner } from '../root.ts';
import { operations } from './scripts.ts';
import type { Taken } from './take-over.ts';

/** What has to outlive us; beside the layer. */
const recordSchema = s.object({
  version: s.literal(1),
  common: s.string(),
  own: s.string(),
  uid: s.integer(),
  gid: s.integer(),
  /** Milliseconds; null where all was taken over. */
  since: s.nullable(s.number()),
  headWas: s.nullable(s.string()),
  /** Both indexes name the same files while the files are these. */
  sameIndex: s.nullable(s.object({ inside: s.string(), outside: s.string() })),
  /** What was said last, so that it is said once. */
  told: s.array(s.string()),
});
type HistoryRecord = Static<typeof recordSchema>;
const checkRecord = compile(recordSchema);
const mostRecordBytes = 1 << 20;

/** One layer, and what is known of it. */
export interface Slot {
  readonly folder: string;
  record: HistoryRecord;
  set: ReadonlyMap<string, string>;
  readonly release: () => void;
}

const oldMs = 30 * 86_400_000;
const mostLeftBytes = 256 << 20;
const mostLeftFiles = 20_000;

interface SlotOptions {
  readonly uid: number;
  readonly now: number;
  readonly release: () => void;
}

export function openSlot(
  folder: string,
  { common, own }: HistoryPlace,
  owner: Owner,
  { uid, now, release }: SlotOptions,
): Slot | null {
  try {
    const isNew = lstatSync(common, { throwIfNoEntry: false }) === undefined;
    const made = [join(folder, 'upper'), join(folder, 'work'), ...(isNew ? [common] : [])];
    for (const path of made) {
      if (path !== common && existsSync(path)) continue;
      mkdirSync(path, { recursive: path !== common, mode: 0o700 });
      if (uid === 0 && owner.uid !== 0) chownSync(path, owner.uid, owner.gid);
    }
    const before = readRecord(folder, uid);
    const upper = join(folder, 'upper');
    const isBusy = before !== null && isInTheMiddle({ folder, own });
    const outside = identityOf(join(common, own, 'index'));
    const same = before?.sameIndex ?? null;
    const isSame =
      same?.outside === outside && same?.inside === layerIdentity(upper, `${own}index`);
    if (!isBusy && !isSame) remove(upper, `${own}index`);
    const record: HistoryRecord = {
      version: 1,
      common,
      own,
      uid: owner.uid,
      gid: owner.gid,
      since: isBusy ? (before.since ?? now) : now,
      headWas: isBusy ? before.headWas : headOf(common, own),
      sameIndex: isSame ? same : null,
      told: before?.told ?? [],
    };
    const slot = { folder, record, set: new Map<string, string>(), release };
    if (!isBusy) keepIndex(slot);
    writeRecord(slot);
    return slot;
  } catch {
    // Without a layer the history is read-only, as on a machine that has none.
    return null;
  }
}

/** An index is replaced, never changed: a second name for its file keeps what it was. */
export function keepIndex({ folder, record: { common, own } }: Slot): void {
  const [index, kept] = [join(common, own, 'index'), join(folder, 'index-was')];
  const [about, was] = [index, kept].map((path) => lstatSync(path, { throwIfNoEntry: false }));
  // A name that is taken away and given again would make the file look changed.
  if (about !== undefined && about.ino === was?.ino && about.dev === was.dev) return;
  rmSync(kept, { force: true });
  if (about?.isFile() !== true) return;
  try {
    linkSync(index, kept);
  } catch {
    copyFileSync(index, kept);
  }
}

/** In a layer, a folder of the path may be a link by now, which leads anywhere: then there is nothing. */
function inLayer(upper: string, path: string): string | null {
  const parts = path.split('/').filter((part) => part !== '');
  let at = upper;
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  }
  return join(at, parts.at(-1) ?? '');
}

function look(upper: string, path: string) {
  const found = inLayer(upper, path);
  return found === null ? undefined : lstatSync(found, { throwIfNoEntry: false, bigint: true });
}

function remove(upper: string, path: string): void {
  const found = inLayer(upper, path);
  if (found !== null) rmSync(found, { recursive: true, force: true });
}

/** Whether a command began a merge, a rebase or the like that goes on in the layer. */
export function isInTheMiddle({
  folder,
  own,
}: {
  readonly folder: string;
  readonly own: string;
}): boolean {
  return operations.some((name) => {
    const about = look(join(folder, 'upper'), `${own}${name}`);
    // What a command has taken away is a device in the layer.
    return about !== undefined && !about.isCharacterDevice();
  });
}

export function headOf(common: string, own: string): string | null {
  return rootFiles().text(join(common, own, 'HEAD'));
}

function layerIdentity(upper: string, path: string): string {
  const found = inLayer(upper, path);
  return found === null ? '' : identityOf(found);
}

function identityOf(path: string): string {
  const about = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return about === undefined ? '' : [about.ino, about.size, about.mtimeNs, about.ctimeNs].join(':');
}

/** Where it is, and where a runner before us put the one before it while it wrote. */
const recordIn = (folder: string): string => join(folder, 'record.json');
const formerIn = (folder: string): string => join(folder, 'record-was.json');

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function readRecord(folder: string, uid: number): HistoryRecord | null {
  const path = recordIn(folder);
  // Whoever wrote it was killed in between.
  if (!existsSync(path)) moveIfThere(formerIn(folder), path);
  const checkedNow = (): HistoryRecord | null => {
    const file = readPrivateFile(path, { uid, maxBytes: mostRecordBytes });
    const checked = file.kind === 'text' ? readJson(checkRecord, file.text) : null;
    return checked?.ok === true ? checked.value : null;
  };
  // Another process may have been about to write over it.
  return checkedNow() ?? checkedNow();
}

/**
 * For the next runner. After a loss of power the layer, which nothing syncs either, may be as torn
 * as its record: what is taken over then is checked as always. Throws what the file system throws.
 */
export function writeRecord({ folder, record }: Slot): void {
  writePage(recordIn(folder), JSON.stringify(record));
}

/** Whether the layer holds anything that could be taken over. */
export function hasChanges({ folder, record: { common, own, sameIndex } }: Slot): boolean {
  const upper = join(folder, 'upper');
  const isThere = (path: string): boolean => look(upper, path) !== undefined;
  if (['objects', 'refs', 'packed-refs', `${own}HEAD`].some(isThere)) return true;
  if (!isThere(`${own}index`)) return false;
  return (
    sameIndex === null ||
    sameIndex.outside !== identityOf(join(common, own, 'index')) ||
    sameIndex.inside !== layerIdentity(upper, `${own}index`)
  );
}

/** What the person has now is taken out of the layer, so that the next command sees it there. */
export function prune(slot: Slot, result: Taken | null): void {
  const { folder, record } = slot;
  const { common, own } = record;
  const upper = join(folder, 'upper');
  const drop = (path: string): void => remove(upper, path);
  if (result?.ok === true) {
    drop('objects');
    const inside = layerIdentity(upper, `${own}index`);
    const same = result.sameIndex && inside !== '';
    slot.record = {
      ...record,
      sameIndex: same ? { inside, outside: identityOf(join(common, own, 'index')) } : null,
    };
    if (!result.busy) {
      const isPacked = look(upper, 'packed-refs');
      for (const path of isPacked === undefined ? ['heads', 'tags', 'stash'] : [''])
        drop(`refs/${path}`);
      for (const name of namesIn(inLayer(upper, `${own}.`)).filter((one) => /^[A-Z_]+$/.test(one)))
        drop(`${own}${name}`);
      for (const path of ['packed-refs', 'logs', `${own}logs`]) drop(path);
    }
  }
  if (isTooMuch(upper)) for (const name of namesIn(upper)) drop(name);
}

function namesIn(folder: string | null): readonly string[] {
  if (folder === null) return [];
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
    ? readdirSync(folder)
    : [];
}

function isTooMuch(upper: string): boolean {
  let [bytes, count] = [0, 0];
  const left = [upper];
  for (let folder = left.pop(); folder !== undefined; folder = left.pop())
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      count += 1;
      if (entry.isDirectory()) left.push(path);
      else bytes += lstatSync(path).size;
      if (bytes > mostLeftBytes || count > mostLeftFiles) return true;
    }
  return false;
}

/** A folder that was only made to be held in place goes again; Git takes it for none. */
export function removeBlank(common: string): void {
  try {
    rmdirSync(common);
  } catch {
    // It is a history by now, or was one before.
  }
}

interface LeftOptions {
  readonly directory: string;
  readonly uid: number;
  readonly now: number;
}

function slotsIn(directory: string): readonly string[] {
  return namesIn(directory).flatMap((key) =>
    namesIn(join(directory, key)).map((number) => join(directory, key, number)),
  );
}

/** Makes the layers in a folder count as used just now: what they belong to has only now ended. */
export function touchSlots(directory: string, now: number): void {
  for (const folder of slotsIn(directory)) {
    const path = recordIn(folder);
    if (existsSync(path)) utimesSync(path, now / 1_000, now / 1_000);
  }
}

/** Why what was done in the layers of a folder is there alone, as far as it is; empty where all was taken over. */
export function untaken(directory: string, uid: number): readonly string[] {
  return slotsIn(directory).flatMap((folder) => {
    const record = readRecord(folder, uid);
    if (record === null) return [];
    const isPending = record.since !== null && existsSync(record.common);
    return [...record.told, ...(isPending ? [`${record.common} could not be written`] : [])];
  });
}

/** The kernel leaves a folder of its own that nobody may look into. */
function dropSlot(folder: string): void {
  const work = join(folder, 'work', 'work');
  if (lstatSync(work, { throwIfNoEntry: false })?.isDirectory() === true) chmodSync(work, 0o700);
  rmSync(folder, { recursive: true, force: true });
}

/** Where layers over histories lie, by the folder for all layers. */
export function historiesIn(layersDirectory: string): string {
  return join(layersDirectory, 'histories');
}

/** Drops the layers over histories that lie in a folder; which those were. */
export function dropHistories(directory: string, uid: number, folder: string): readonly string[] {
  const dropped = slotsIn(directory).flatMap((slot): readonly string[] => {
    const common = readRecord(slot, uid)?.common;
    if (common === undefined || !isBelow(common, folder)) return [];
    dropSlot(slot);
    return [common];
  });
  return [...new Set(dropped)];
}

/** Slots whose command a runner before us has begun, and not finished; what is old goes. */
export function leftSlots({ directory, uid, now }: LeftOptions): readonly Slot[] {
  return slotsIn(directory).flatMap((folder): readonly Slot[] => {
    const record = readRecord(folder, uid);
    const about = lstatSync(recordIn(folder), { throwIfNoEntry: false });
    if (record === null || now - (about?.mtimeMs ?? 0) > oldMs) {
      dropSlot(folder);
      return [];
    }
    const isBlank = record.since === null || !existsSync(record.common);
    if (isBlank) return [];
    return [{ folder, record, set: new Map(), release: () => removeBlank(record.common) }];
  });
}
