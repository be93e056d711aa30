import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { compile, readJson } from '../base/index.ts';
import { ensurePrivateDirectory, readPrivateFile } from './files.ts';
import { runningRecordSchema, startTicksOf } from './processes.ts';
import type { FoundRecords, RunningRecord, RunningRecords } from './processes.ts';

/** Which boot of the machine this is; null where the system does not say. */
export function readBootId(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}

const maxBytes = 4_096;
const suffix = '.json';
const idShape = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const check = compile(runningRecordSchema);

/**
 * Records below `directory`, one file a command. They outlive the runner, not the machine: what
 * they are about does not either, so nothing is forced to the disk.
 */
export function openRunningRecords(
  directory: string,
  { uid, now }: { readonly uid: number; readonly now: () => number },
): RunningRecords {
  ensurePrivateDirectory(directory, { uid });
  const bootId = readBootId();
  const begun = new Map<string, number>();
  return {
    begin: (id) => {
      begun.set(id, now());
      write(directory, recordOf(id, { startedAt: now(), pid: null, startTicks: null, bootId }));
    },
    started: (id, pid) => {
      const startedAt = begun.get(id) ?? now();
      write(directory, recordOf(id, { startedAt, pid, startTicks: startTicksOf(pid), bootId }));
    },
    ended: (id) => {
      begun.delete(id);
      removeRunningRecord(directory, id);
    },
    endedForGood: (id) => {
      begun.delete(id);
      // One that stays is about processes that are not there, which whoever reads it finds out.
      void rm(pathOf(directory, id), { force: true }).catch(() => undefined);
    },
  };
}

/** All records that are there. A missing folder has none; never throws. */
export function readRunningRecords(directory: string, uid: number): FoundRecords {
  const records: RunningRecord[] = [];
  const damaged: string[] = [];
  for (const id of idsIn(directory)) {
    const file = readPrivateFile(join(directory, id + suffix), { uid, maxBytes });
    const checked = file.kind === 'text' ? readJson(check, file.text) : null;
    if (checked?.ok === true && checked.value.id === id) records.push(checked.value);
    else if (file.kind !== 'missing') damaged.push(id);
  }
  return { records, damaged };
}

/** Forgets a command; that it is forgotten already is no error. */
export function removeRunningRecord(directory: string, id: string): void {
  rmSync(pathOf(directory, id), { force: true });
}

function pathOf(directory: string, id: string): string {
  return join(directory, id + suffix);
}

function recordOf(id: string, rest: Omit<RunningRecord, 'version' | 'id'>): RunningRecord {
  if (!idShape.test(id)) throw new Error('The id of a command cannot name a file.');
  return { version: 1, id, ...rest };
}

function write(directory: string, record: RunningRecord): void {
  const path = join(directory, record.id + suffix);
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

function idsIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, -suffix.length))
      .filter((id) => idShape.test(id));
  } catch {
    return [];
  }
}
