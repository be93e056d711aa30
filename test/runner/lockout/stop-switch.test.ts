import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createStopSwitch } from '../../../runner/lockout/stop-switch.ts';
import { readStopState, removeRuntimeLocks } from '../../../shared/home/stop-state.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import {
  writeInitialStopState,
  writeLockoutState,
  writePauseState,
} from '../../../shared/home/stop-state.ts';
import { temporaryFolder } from '../hosts/support.ts';

function setUp() {
  const paths = homePaths({ INTERLOCK_HOME: temporaryFolder() });
  writeInitialStopState(paths, 1);
  const done: string[] = [];
  const stops = createStopSwitch({
    paths,
    now: () => 7,
    signalAll: () => void done.push('signal all'),
    stopAll: (reason) => {
      done.push(`stop all: ${reason}`);
      return 3;
    },
    stopWaiting: (reason) => void done.push(`stop waiting: ${reason}`),
    pendingAsks: () => 4,
    prepareSweep: () => {
      done.push('get ready to sweep');
      return async () => {
        done.push('sweep');
        return { strays: 1, left: 0, problem: null };
      };
    },
    rotate: async () => {
      done.push('rotate');
      return { tokenRotated: true, keysRotated: 2, problems: [] };
    },
    note: (code) => void done.push(`note: ${code}`),
  });
  return { paths, stops, done };
}

test('armed after init, and init again opens no lock', async () => {
  const { paths, stops } = setUp();
  expect(() => stops.check()).not.toThrow();
  await stops.lockout('why', 'test');
  writeInitialStopState(paths, 2);
  expect(() => stops.check()).toThrow(/^lockout-active: Interlock is locked: why/);
});

test('pause ends only what waits', () => {
  const { stops, done } = setUp();
  const withdrawn = { mode: 'paused', stopped: 0, withdrawn: 4, keysRotated: 0 };
  expect(stops.pause('lunch', 'test')).toEqual(withdrawn);
  expect(() => stops.check()).toThrow(/^pause-active/);
  expect(stops.resume('test')).toMatchObject({ mode: 'armed' });
  expect(done).toEqual(['stop waiting: pause', 'note: pause', 'note: resume']);
});

test('lockout closes first, then takes back, stops, makes secrets worthless, notes and counts', async () => {
  const { stops, done } = setUp();
  const locking = stops.lockout(null, 'test');
  expect(() => stops.check()).toThrow(/^lockout-active/);
  expect(done.slice(0, 5)).toEqual([
    'stop waiting: lockout',
    'get ready to sweep',
    'signal all',
    'stop all: lockout',
    'sweep',
  ]);
  expect(await locking).toEqual({
    mode: 'locked',
    stopped: 4,
    withdrawn: 4,
    left: 0,
    signalledAt: 7,
    tokenRotated: true,
    keysRotated: 2,
    problems: [],
  });
  expect(done.slice(5)).toEqual(['rotate', 'note: lockout']);
});

test('who pulls while it is pulled gets the same answer, and nothing is done twice', async () => {
  const { stops, done } = setUp();
  const [one, other] = await Promise.all([stops.lockout('a', 'x'), stops.lockout('b', 'y')]);
  expect(other).toEqual(one);
  expect(done.filter((what) => what === 'rotate')).toHaveLength(1);
  expect(stops.state().reason).toBe('a');
});

test('resume never ends a lockout, nor says that it did', async () => {
  const { stops, done, paths } = setUp();
  stops.pause('lunch', 'test');
  await stops.lockout(null, 'test');
  const before = [...done];
  expect(stops.resume('test')).toMatchObject({ mode: 'locked' });
  expect(done).toEqual(before);
  expect(readFileSync(paths.pause, 'utf8')).toContain('lunch');
});

test('a lock from outside stops everything once, and its counts are told to who asks next', async () => {
  const { stops, paths, done } = setUp();
  writeLockoutState(paths, { locked: true, reason: 'from outside', at: 3, by: 'ssh' });
  stops.look();
  stops.look();
  expect(done).toEqual([
    'stop waiting: lockout',
    'get ready to sweep',
    'signal all',
    'stop all: lockout',
    'sweep',
    'note: lockout-noticed',
  ]);
  expect(await stops.lockout('mine', 'test')).toMatchObject({ stopped: 7, withdrawn: 8 });
  expect(stops.state().reason).toBe('from outside');
});

test('a pause from outside takes back what waits', () => {
  const { stops, paths, done } = setUp();
  writePauseState(paths, { paused: true, reason: null, at: 3, by: 'ssh' });
  stops.look();
  expect(done).toEqual(['stop waiting: pause']);
});

test('setting the clock back opens nothing', async () => {
  const { stops, paths } = setUp();
  writeLockoutState(paths, { locked: true, reason: null, at: Date.now() + 1e12, by: 'ssh' });
  expect(stops.state().mode).toBe('locked');
  writeLockoutState(paths, { locked: true, reason: null, at: -1e12, by: 'ssh' });
  expect(stops.state().mode).toBe('locked');
});

test('a lockout that another process writes holds at once', () => {
  const { stops, paths } = setUp();
  stops.check();
  writeLockoutState(paths, { locked: true, reason: 'from outside', at: 3, by: 'ssh' });
  expect(() => stops.check()).toThrow(/from outside/);
});

test.each([
  ['lockout', '{'],
  ['lockout', '{"version":1,"locked":"no","reason":null,"at":1,"by":"x"}'],
  ['lockout', '{"version":2,"locked":false,"reason":null,"at":1,"by":"x"}'],
  ['lockout', ''],
  ['pause', 'null'],
  ['pause', '{"version":1,"paused":false}'],
] as const)('a %s file that reads %s means locked', (file, text) => {
  const { stops, paths } = setUp();
  writeFileSync(paths[file], text);
  expect(() => stops.check()).toThrow(/^lockout-active/);
});

test.each(['lockout', 'pause'] as const)('a %s file that is gone means locked', (file) => {
  const { stops, paths } = setUp();
  rmSync(paths[file]);
  expect(stops.state()).toMatchObject({ mode: 'locked' });
});

test.each([
  ['is open to others', (path: string) => chmodSync(path, 0o644)],
  ['is a link', (path: string) => (renameSync(path, `${path}.x`), symlinkSync(`${path}.x`, path))],
  ['has a second name', (path: string) => linkSync(path, `${path}.x`)],
  ['may not be read', (path: string) => (rmSync(path), mkdirSync(path))],
])('a state file that %s means locked', (_what, spoil) => {
  for (const file of ['lockout', 'pause'] as const) {
    const { stops, paths } = setUp();
    spoil(paths[file]);
    expect(stops.state()).toMatchObject({ mode: 'locked' });
  }
});

test('a state file of somebody else means locked', () => {
  const { paths } = setUp();
  const uid = (process.geteuid?.() ?? 0) + 1;
  expect(readStopState(paths, uid)).toMatchObject({
    mode: 'locked',
    reason: expect.stringContaining('belongs to another user'),
  });
});

test('a lock that the home cannot hold stands outside of it, and says that it will not last', async () => {
  const { stops, paths, done } = setUp();
  onTestFinished(() => removeRuntimeLocks(paths.home, process.geteuid?.() ?? -1));
  // A folder in the place of the file: no rename can replace it, whoever tries.
  rmSync(paths.lockout);
  mkdirSync(join(paths.lockout, 'x'), { recursive: true });
  expect((await stops.lockout('full disk', 'test')).problems).toEqual([
    expect.stringContaining('until this machine starts again'),
  ]);
  expect(done).toContain('stop all: lockout');
  rmSync(paths.lockout, { recursive: true });
  writeLockoutState(paths, { locked: false, reason: null, at: 1, by: 'test' });
  chmodSync(paths.lockout, 0o600);
  expect(() => stops.check()).toThrow(/full disk/);
});
