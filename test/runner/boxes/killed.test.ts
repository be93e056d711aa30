import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { groupOf } from '../../../runner/boxes/build.ts';
import { workspaceRoot } from '../../../runner/boxes/workspace/step.ts';
import { homePaths } from '../../../shared/home/index.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { canBox, groupsThere } from './support.ts';

/** The command line as it is built, killed for real. All cuts take minutes: here it is some of them. */
const isLong = process.env['INTERLOCK_LONG'] === '1';
const someCuts = 4;

const packageRoot = resolve(import.meta.dirname, '../../..');
const program = join(packageRoot, 'dist/runner/cli/main.js');
const dying = join(packageRoot, 'test/fixtures/boxes/dying.mjs');

function scene() {
  const folder = temporaryFolder();
  const [home, repository, counted] = ['home', 'repository', 'counted'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  mkdirSync(repository);
  const env = { PATH: process.env['PATH'], HOME: folder, INTERLOCK_HOME: home };
  const node = (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, words, {
      env: { ...env, ...more },
      encoding: 'utf8',
      cwd: repository,
      timeout: 60_000,
    });
  const cli = (...words: readonly string[]) => {
    const { status, stdout, stderr } = node([program, ...words]);
    expect(status, `${words.join(' ')}: ${stderr}`).toBe(0);
    return stdout;
  };
  /** Ends after so many effects; without a number it is whole, and says how many it had. */
  const cut = (life: number | null, ...words: readonly string[]): number => {
    const { signal, stderr } = node(['--import', dying, program, ...words], {
      DYING_BELOW: folder,
      ...(life === null ? { DYING_COUNT: counted } : { DYING_LIFE: String(life) }),
    });
    expect(signal, `${String(life)}: ${stderr}`).toBe(life === null ? null : 'SIGKILL');
    const counts = existsSync(counted) ? readFileSync(counted, 'utf8').trim().split('\n') : [];
    return Number(counts.at(-1));
  };
  const git = (...words: readonly string[]): string => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    const { stdout } = spawnSync('git', ['-C', repository, ...who, ...words], { encoding: 'utf8' });
    return stdout.trim();
  };
  git('init', '-q', '-b', 'main');
  writeFileSync(join(repository, 'kept'), 'committed');
  git('add', '.');
  git('commit', '-qm', 'first');
  writeFileSync(join(repository, 'kept'), 'changed');
  writeFileSync(join(repository, 'new'), 'nowhere else');
  cli('init');
  onTestFinished(() => {
    node([program, 'box', 'down', '--all', '--discard']);
    node([program, 'box', 'gc']);
  });
  const paths = homePaths({ INTERLOCK_HOME: home });
  const group = groupOf(join(paths.boxesDirectory, 'one.sock'));
  const worktrees = workspaceRoot(home);
  /** As a minute later: what might still be being written counts for nothing. */
  const gc = (): void => {
    for (const path of halfWritten(home)) utimesSync(path, 1, 1);
    cli('box', 'gc');
  };
  /** All that a box could leave, and all that is the person's. */
  const left = () => ({
    processes: seeing(basename(folder)),
    groups: groupsThere().filter((path) => path.includes(group)),
    records: listed(paths.boxesDirectory),
    keys: listed(join(paths.keysDirectory, 'agents')).filter((name) => name.includes('box-')),
    halfWritten: halfWritten(home),
    layers: listed(join(paths.sandboxLayers, 'boxes')),
    worktrees: git('worktree', 'list', '--porcelain').match(/^worktree /gmu)?.length,
    branches: git('branch', '--format=%(refname:short)').split('\n'),
    folders: listed(worktrees).filter((name) => name !== '.exclude.lock'),
    own: ['kept', 'new'].map((file) => readFileSync(join(repository, file), 'utf8')),
  });
  return { cli, cut, gc, git, left, repository, worktree: join(worktrees, 'one') };
}

function listed(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Files below a folder that nobody came to finish. */
function halfWritten(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tmp'))
    .map((path) => join(folder, path));
}

/** Processes in whose mounts a folder is, as a box has its workspace; and mounts of this machine itself. */
function seeing(folder: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return (
        /^\d+$/u.test(name) && readFileSync(`/proc/${name}/mountinfo`, 'utf8').includes(folder)
      );
    } catch {
      return false;
    }
  });
}

const nothing = {
  processes: [],
  groups: [],
  records: ['.changed'],
  keys: [],
  halfWritten: [],
  layers: [],
  worktrees: 1,
  branches: ['main'],
  folders: [],
  own: ['changed', 'nowhere else'],
};

/** All of so many, or some, the first and the last among them. */
function cutsOf(effects: number): readonly number[] {
  const most = isLong ? effects : Math.min(someCuts, effects);
  const all = Array.from(
    { length: most },
    (_, at) => 1 + Math.round((at * (effects - 1)) / (most - 1)),
  );
  return [...new Set(all)];
}

const up = ['box', 'up', 'one', '--template', 'isolated', '--git-worktree', '.'];
const down = ['box', 'down', 'one'];

describe.runIf(canBox)('the command line that is killed', () => {
  it('in the middle of "up" leaves nothing behind once gc has run', async () => {
    const { cli, cut, gc, left } = scene();
    const effects = cut(null, ...up);
    cli(...down);
    expect(left()).toEqual(nothing);
    expect(effects).toBeGreaterThan(30);
    for (const life of cutsOf(effects)) {
      cut(life, ...up);
      gc();
      // After the last word in its record it was made, and only nobody has heard of it.
      if (left().records.includes('one.json')) {
        expect(life, 'it is whole').toBeGreaterThan(effects - 8);
        cli(...down);
      }
      await expect.poll(left, { message: String(life) }).toEqual(nothing);
      expect(cli('box', 'gc'), String(life)).toBe('All is in order.\n');
    }
  }, 900_000);

  it('in the middle of "down" loses nothing that is nowhere else', async () => {
    const { cli, cut, gc, git, left, worktree } = scene();
    const made = (): void => {
      cli(...up);
      writeFileSync(join(worktree, 'work'), 'of an agent');
    };
    /** It is an ordinary worktree of the person's by now, and nothing else is left. */
    const kept = async (life: number | null): Promise<void> => {
      expect(readFileSync(join(worktree, 'work'), 'utf8'), String(life)).toBe('of an agent');
      git('worktree', 'remove', '--force', worktree);
      git('branch', '-D', 'interlock-one');
      await expect.poll(left, { message: String(life) }).toEqual(nothing);
    };
    made();
    const effects = cut(null, ...down);
    await kept(null);
    expect(effects).toBeGreaterThan(10);
    for (const life of cutsOf(effects)) {
      made();
      cut(life, ...down);
      gc();
      if (left().records.includes('one.json')) cli(...down);
      await kept(life);
    }
  }, 900_000);
});
