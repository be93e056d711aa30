import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { homePaths, initHome } from '../../shared/home/index.ts';
import { homeVersion, migrated, migrations } from '../../shared/home/migrations.ts';
import type { HomeTexts, Migration } from '../../shared/home/migrations.ts';
import {
  readHomeVersion,
  requireHomeVersion,
  rollbackHome,
  upgradeHome,
} from '../../shared/home/upgrade.ts';
import type { HomeDisk } from '../../shared/home/upgrade.ts';

const uid = process.geteuid?.() ?? -1;
let folder: string;
let home: ReturnType<typeof homePaths>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'il-upgrade-'));
  home = homePaths({ INTERLOCK_HOME: join(folder, 'home') });
  mkdirSync(join(home.home, 'keys'), { recursive: true, mode: 0o700 });
  chmodSync(home.home, 0o700);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Two steps as later programs could have them: one splits a file, one renames and drops. */
const later: readonly Migration[] = [
  ...migrations,
  {
    to: 2,
    what: 'The letters have files of their own.',
    touches: ['config.json', 'keys/b.json'],
    migrate: (before) => {
      const { a, b } = JSON.parse(before.get('config.json') ?? '{}') as Record<string, string>;
      return new Map([
        ['config.json', JSON.stringify({ a })],
        ['keys/b.json', JSON.stringify({ b })],
      ]);
    },
  },
  {
    to: 3,
    what: 'There is no ui.json any more.',
    touches: ['ui.json', 'config.json'],
    migrate: (before) =>
      new Map([['config.json', (before.get('config.json') ?? '').replace('"a"', '"A"')]]),
  },
];

const old = { 'config.json': '{"a":"1","b":"2"}', 'ui.json': '{"c":"3"}' };
const wanted = { 'config.json': '{"A":"1"}', 'keys/b.json': '{"b":"2"}' };
const names = ['config.json', 'ui.json', 'keys/b.json', 'home.json', 'migration.json'];

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files))
    writeFileSync(join(home.home, path), text, { mode: 0o600 });
}

function present(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names
      .filter((name) => existsSync(join(home.home, name)) && name !== 'home.json')
      .map((name) => [name, readFileSync(join(home.home, name), 'utf8')]),
  );
}

const realDisk: HomeDisk = {
  // Not forced to the disk: it is done some hundred times here.
  write: (path, text) => writeFileSync(path, text, { mode: 0o600 }),
  rename: renameSync,
  remove: (path) => rmSync(path, { recursive: true, force: true }),
};

/** Lets so many steps through, and then the machine is gone. */
function diskFor(steps: number): { readonly disk: HomeDisk; readonly used: () => number } {
  let used = 0;
  const step = (): void => {
    if (used >= steps) throw new Error('the machine is gone');
    used += 1;
  };
  return {
    used: () => used,
    disk: {
      write: (...args) => (step(), realDisk.write(...args)),
      rename: (...args) => (step(), realDisk.rename(...args)),
      remove: (...args) => (step(), realDisk.remove(...args)),
    },
  };
}

let clock = 1_000;
const options = (table: readonly Migration[], disk = realDisk) => ({
  ...home,
  uid,
  program: 'interlock 9.9.9',
  now: () => (clock += 1),
  table,
  disk,
});
const stateOf = (table: readonly Migration[]) => readHomeVersion({ ...home, uid }, table);

describe('the table of migrations', () => {
  it('has every version once and in order, and ends with that of this program', () => {
    expect(migrations.map(({ to }) => to)).toEqual(migrations.map((_one, at) => at + 1));
    expect(homeVersion).toBe(migrations.length);
    for (const { what } of migrations) expect(what).toMatch(/^[A-Z].*\.$/u);
  });

  it('to 1: every file stays as it is', () => {
    const texts: HomeTexts = new Map(Object.entries(old));
    expect(migrated(texts, migrations.slice(0, 1))).toEqual(texts);
  });

  it('hands a step its own files alone, and refuses what it does not name', () => {
    const step = (touches: readonly string[], path: string): Migration => ({
      to: 1,
      what: 'A step.',
      touches,
      migrate: (before) => new Map([...before, [path, 'x']]),
    });
    const texts = new Map([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(migrated(texts, [step(['a'], 'a')])).toEqual(
      new Map([
        ['b', '2'],
        ['a', 'x'],
      ]),
    );
    expect(() => migrated(texts, [step(['a'], 'b')])).toThrow('it would write b');
  });
});

describe('a home without a stamp', () => {
  it('is of version 0, gets the stamp of this program, and can go back', async () => {
    write(old);
    expect(stateOf(migrations)).toMatchObject({ state: 'older', version: 0 });
    const { disk: _disk, ...real } = options(migrations);
    expect(await upgradeHome(real)).toMatchObject({ from: 0, to: 1, changed: [] });
    expect(stateOf(migrations)).toEqual({
      state: 'current',
      version: 1,
      by: 'interlock 9.9.9',
    });
    expect(present()).toEqual(old);
    expect(await upgradeHome(options(migrations))).toBeNull();
    await rollbackHome(options(migrations));
    expect(existsSync(home.stamp)).toBe(false);
    expect(present()).toEqual(old);
  });
});

describe('an upgrade over several versions', () => {
  it('changes what the steps say, keeps what was, and goes back to it byte for byte', async () => {
    write(old);
    const done = await upgradeHome(options(later));
    expect(done).toMatchObject({
      from: 0,
      to: 3,
      changed: ['config.json', 'keys/b.json', 'ui.json'],
    });
    expect(present()).toEqual(wanted);
    write({ 'config.json': '{"A":"edited"}' });
    await rollbackHome(options(later));
    expect(present()).toEqual(old);
    expect(stateOf(later)).toMatchObject({ state: 'older', version: 0 });
    const kept = readdirSync(home.backups).find((name) => name.startsWith('3-to-0-'));
    const edited = join(home.backups, kept ?? 'none', 'files', 'config.json');
    expect(readFileSync(edited, 'utf8')).toBe('{"A":"edited"}');
  });

  it('goes back one upgrade at a time', async () => {
    write(old);
    await upgradeHome(options(migrations));
    await upgradeHome(options(later));
    await rollbackHome(options(later));
    expect(stateOf(later)).toMatchObject({ state: 'older', version: 1, by: 'interlock 9.9.9' });
    expect(present()).toEqual(old);
  });

  it('changes nothing where a step fails', async () => {
    write({ ...old, 'config.json': 'no JSON' });
    await expect(upgradeHome(options(later))).rejects.toThrow('cannot be brought to version 2');
    expect(present()).toEqual({ ...old, 'config.json': 'no JSON' });
    expect(existsSync(home.backups)).toBe(false);
  });

  it('reads no file that others could have written', async () => {
    write(old);
    chmodSync(home.uiSettings, 0o644);
    await expect(upgradeHome(options(later))).rejects.toThrow('can be used by others');
    expect(present()).toEqual(old);
  });
});

describe('a machine that goes down in the middle', () => {
  it('leaves the old home or a half one at every step of an upgrade; both ways on lead to a whole one', async () => {
    const whole = diskFor(Infinity);
    write(old);
    await upgradeHome(options(later, whole.disk));
    const steps = whole.used();
    expect(steps).toBeGreaterThan(8);
    const seen = new Set<string>();
    for (const way of ['on', 'back'] as const)
      for (let cut = 0; cut < steps; cut += 1) {
        rmSync(home.home, { recursive: true });
        mkdirSync(join(home.home, 'keys'), { recursive: true, mode: 0o700 });
        write(old);
        await expect(upgradeHome(options(later, diskFor(cut).disk))).rejects.toThrow('is gone');
        const { state } = stateOf(later);
        seen.add(state);
        if (state === 'older') expect(present(), String(cut)).toEqual(old);
        else expect(() => requireHomeVersion({ ...home, uid }, later)).toThrow('half way');
        if (way === 'on' || state === 'older') {
          await upgradeHome(options(later));
          expect(present(), String(cut)).toEqual(wanted);
          expect(stateOf(later).state).toBe('current');
        } else {
          await rollbackHome(options(later));
          expect(present(), String(cut)).toEqual(old);
          expect(stateOf(later).state).toBe('older');
        }
      }
    expect([...seen].toSorted()).toEqual(['half', 'older']);
  });

  it('and of a way back', async () => {
    const begin = async (): Promise<void> => {
      rmSync(home.home, { recursive: true });
      mkdirSync(join(home.home, 'keys'), { recursive: true, mode: 0o700 });
      write(old);
      await upgradeHome(options(later));
    };
    await begin();
    const whole = diskFor(Infinity);
    await rollbackHome(options(later, whole.disk));
    for (let cut = 0; cut < whole.used(); cut += 1) {
      await begin();
      await expect(rollbackHome(options(later, diskFor(cut).disk))).rejects.toThrow('is gone');
      if (stateOf(later).state === 'current') expect(present()).toEqual(wanted);
      else expect(stateOf(later).state).toBe('half');
      await rollbackHome(options(later));
      expect(present(), String(cut)).toEqual(old);
    }
  });
});

describe('what cannot be believed', () => {
  it('a newer home is refused, by name of who made it, and left alone', async () => {
    write(old);
    await upgradeHome(options(later));
    expect(() => requireHomeVersion({ ...home, uid })).toThrow(
      'has version 3, which this program does not know: interlock 9.9.9',
    );
    await expect(upgradeHome(options(migrations))).rejects.toThrow('has version 3');
    await expect(rollbackHome(options(migrations))).rejects.toThrow('has version 3');
    await expect(initHome(home, { uid, now: () => 1 })).rejects.toThrow('has version 3');
    expect(present()).toEqual(wanted);
  });

  it.each([
    ['a stamp that is not JSON', '{'],
    ['one without a version', '{"program":"x","at":1}'],
    ['one of version 0', '{"version":0,"program":"x","at":1}'],
  ])('%s', async (_what, text) => {
    writeFileSync(home.stamp, text, { mode: 0o600 });
    expect(stateOf(migrations).state).toBe('damaged');
    expect(() => requireHomeVersion({ ...home, uid })).toThrow('home.json');
    await expect(upgradeHome(options(migrations))).rejects.toThrow('home.json');
  });

  it('a backup that is not as it was written is not put back', async () => {
    write(old);
    const done = await upgradeHome(options(later));
    writeFileSync(join(done?.backup ?? '', 'files', 'config.json'), '{"evil":1}');
    await expect(rollbackHome(options(later))).rejects.toThrow('not as it was written');
    expect(present()).toEqual(wanted);
  });

  it.each(['../../outside', '/outside', 'keys/../../outside', '.', './keys', 'keys/', ''])(
    'nor one that names a file outside of the home: %s',
    async (path) => {
      write(old);
      const done = await upgradeHome(options(later));
      const manifest = join(done?.backup ?? '', 'backup.json');
      const changed = JSON.parse(readFileSync(manifest, 'utf8')) as { files: object };
      writeFileSync(manifest, JSON.stringify({ ...changed, files: { [path]: null } }));
      await expect(rollbackHome(options(later))).rejects.toThrow('not as it was written');
    },
  );

  it('a mark that says nothing is half way, and neither way guesses', async () => {
    write(old);
    writeFileSync(home.migration, '{}', { mode: 0o600 });
    expect(stateOf(later).state).toBe('half');
    await expect(upgradeHome(options(later))).rejects.toThrow('does not say what was under way');
    await expect(rollbackHome(options(later))).rejects.toThrow('does not say what was under way');
    expect(present()).toEqual({ ...old, 'migration.json': '{}' });
  });
});

it('a home that is made now has the version of this program, and nothing to go back to', async () => {
  rmSync(home.home, { recursive: true });
  await initHome(home, { uid, now: () => 5, program: 'interlock 1.2.3' });
  expect(stateOf(migrations)).toEqual({ state: 'current', version: 1, by: 'interlock 1.2.3' });
  await expect(rollbackHome(options(migrations))).rejects.toThrow('There is no backup');
});
