import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { initHome } from '../../shared/home/init.ts';
import { homePaths } from '../../shared/home/paths.ts';
import type { HomePaths } from '../../shared/home/paths.ts';
import type * as AtomicWrite from '../../shared/home/files.ts';
import { closeLock } from '../../shared/home/stop-state.ts';
import { openLock } from '../../shared/home/stop-journal.ts';
import { prepareReadyLock, readyLockPath } from '../../shared/home/stop-state.ts';
import { readStopState } from '../../shared/home/stop-state.ts';

const disk = vi.hoisted(() => ({ full: false }));
vi.mock('../../shared/home/files.ts', async (original) => {
  const real = await original<typeof AtomicWrite>();
  return {
    ...real,
    writeFileAtomic: (...args: Parameters<typeof real.writeFileAtomic>) => {
      if (disk.full) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
      real.writeFileAtomic(...args);
    },
  };
});

const uid = process.geteuid?.() ?? -1;
const why = { reason: 'drill', at: 1, by: 'test' };
let folder: string;
let paths: HomePaths;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'il-close-'));
  paths = homePaths({ INTERLOCK_HOME: join(folder, 'home') });
  await initHome(paths, { uid, now: () => 1 });
});
afterEach(() => {
  disk.full = false;
  rmSync(folder, { recursive: true, force: true });
});

test('with room on the disk the lock is written with its reason', () => {
  expect(closeLock(paths, why)).toBe('written');
  expect(readStopState(paths)).toEqual({ mode: 'locked', reason: 'drill' });
});

test('on a full disk the lock that lies ready is renamed into its place', () => {
  disk.full = true;
  expect(closeLock(paths, why)).toBe('ready');
  expect(readStopState(paths).mode).toBe('locked');
  expect(JSON.parse(readFileSync(paths.lockout, 'utf8'))).toMatchObject({ locked: true });
  expect(existsSync(readyLockPath(paths))).toBe(false);
});

test('without one that lies ready, the file is removed, and missing means locked', () => {
  rmSync(readyLockPath(paths));
  disk.full = true;
  expect(closeLock(paths, why)).toBe('removed');
  expect(existsSync(paths.lockout)).toBe(false);
  expect(readStopState(paths).mode).toBe('locked');
});

test('when nothing works, whoever asked is told', () => {
  disk.full = true;
  rmSync(readyLockPath(paths));
  rmSync(paths.lockout);
  mkdirSync(paths.lockout);
  expect(() => closeLock(paths, why)).toThrow('no room');
});

test('on a full disk nothing is unlocked', () => {
  closeLock(paths, why);
  disk.full = true;
  expect(() => openLock(paths, { uid, now: 2, by: 'test' })).toThrow('no room');
  expect(readStopState(paths).mode).toBe('locked');
});

test('an unlock makes the next lock ready before it opens', () => {
  rmSync(readyLockPath(paths));
  closeLock(paths, why);
  openLock(paths, { uid, now: 2, by: 'test' });
  expect(existsSync(readyLockPath(paths))).toBe(true);
  const before = readFileSync(readyLockPath(paths), 'utf8');
  prepareReadyLock(paths, uid);
  expect(readFileSync(readyLockPath(paths), 'utf8')).toBe(before);
});

test('an unlock leaves a pause as it is', async () => {
  const { writePauseState } = await import('../../shared/home/stop-state.ts');
  writePauseState(paths, { paused: true, reason: 'lunch', at: 1, by: 'test' });
  closeLock(paths, why);
  openLock(paths, { uid, now: 2, by: 'test' });
  expect(readStopState(paths)).toEqual({ mode: 'paused', reason: 'lunch' });
});
