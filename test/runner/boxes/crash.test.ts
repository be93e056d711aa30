import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { namedBoxes } from '../../../runner/boxes/boxes.ts';
import type { BoxesOptions } from '../../../runner/boxes/boxes.ts';
import type { BoxExec, BoxRuntime } from '../../../runner/boxes/runtime.ts';
import { workspaceRoot } from '../../../runner/boxes/workspace/step.ts';
import { eachBox } from '../../../runner/cli/box/open.ts';
import { canBox, home } from './support.ts';

/** What a process that is killed never hears of. */
class Killed extends Error {}

const git = (folder: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
    encoding: 'utf8',
  }).trim();

/** A machine that keeps boxes while this process lives, so that only what is done about them is real. */
function machine(): BoxRuntime & { readonly there: ReadonlySet<string> } {
  const there = new Set<string>();
  const over = Promise.resolve({ exitCode: 0, signal: null });
  const begun = Promise.resolve({ ok: true } as const);
  const done = { stdout: null, stderr: null, close: () => {} };
  return {
    there,
    problem: async () => Promise.resolve(null),
    lacks: () => null,
    create: async ({ name }) => {
      there.add(name);
      const keeper = { pid: 4_000_000, startTicks: '1', bootId: 'a'.repeat(8) };
      const bootId = '00000000-0000-0000-0000-000000000000';
      return Promise.resolve({ keeper: { ...keeper, bootId }, groups: [], held: null as never });
    },
    runs: (name) => there.has(name),
    exec: (name) =>
      there.has(name)
        ? ({ ...done, report: { begun, ended: over, closed: over } } as unknown as BoxExec)
        : null,
    listener: () => null,
    destroy: async (name) => Promise.resolve(there.delete(name) || true),
    clear: async () => Promise.resolve(),
  };
}

/**
 * The same ports, for a process that is killed right after its `life`-th effect: neither that call nor
 * any later one comes back. What it did is counted.
 */
function mortal(options: BoxesOptions, life: number) {
  let count = 0;
  const effect =
    <A extends readonly unknown[], R>(work: (...given: A) => R) =>
    (...given: A): R => {
      if (count >= life) throw new Killed();
      const result = work(...given);
      count += 1;
      const dies = count >= life;
      if (result instanceof Promise)
        return result.then((value: unknown) => {
          if (dies) throw new Killed();
          return value;
        }) as R;
      if (dies) throw new Killed();
      return result;
    };
  const look =
    <A extends readonly unknown[], R>(work: (...given: A) => R) =>
    (...given: A): R => {
      if (count >= life) throw new Killed();
      return work(...given);
    };
  const { records, runtime, principals } = options;
  const boxes = namedBoxes({
    ...options,
    records: {
      ...records,
      read: look(records.read),
      write: effect(records.write),
      remove: effect(records.remove),
    },
    runtime: {
      ...runtime,
      create: effect(runtime.create),
      exec: effect(runtime.exec),
      destroy: effect(runtime.destroy),
      clear: effect(runtime.clear),
    },
    principals: {
      list: look(principals.list),
      add: effect(principals.add),
      rekey: effect(principals.rekey),
      clear: effect(principals.clear),
    },
  });
  return { boxes, effects: () => count };
}

/** A home, a machine, and a repository of the person's with work that is nowhere else. */
function scene() {
  const runtime = machine();
  const made = home({ runtime });
  const { workspace, options, paths, records, keys } = made;
  git(workspace, 'init', '-q', '-b', 'main');
  writeFileSync(join(workspace, 'kept'), 'committed');
  git(workspace, 'add', '.');
  git(workspace, 'commit', '-qm', 'first');
  writeFileSync(join(workspace, 'kept'), 'changed');
  writeFileSync(join(workspace, 'new'), 'nowhere else');
  mkdirSync(paths.boxesDirectory, { recursive: true });
  const root = workspaceRoot(paths.home);
  const up = {
    name: 'one',
    templateName: 'isolated',
    workspace: { kind: 'worktree', repository: workspace },
  } as const;
  /** All that a box could leave, and all that is the person's. */
  const left = () => ({
    runs: [...runtime.there],
    keys: [...keys],
    files: readdirSync(records.directory).filter((file) => !/^\.changed$|\.lock$/u.test(file)),
    layers: listed(join(paths.sandboxLayers, 'boxes')),
    worktrees: git(workspace, 'worktree', 'list', '--porcelain').match(/^worktree /gmu)?.length,
    branches: git(workspace, 'branch', '--format=%(refname:short)').split('\n'),
    folders: listed(root).filter((name) => !name.startsWith('.')),
    excluded: readFileSync(join(workspace, '.git', 'info', 'exclude'), 'utf8').includes(
      'interlock',
    ),
    own: ['kept', 'new'].map((file) => readFileSync(join(workspace, file), 'utf8')),
  });
  return { ...made, options: { ...options, runtime }, runtime, root, up, left };
}

function listed(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

const nothing = {
  runs: [],
  keys: [],
  files: [],
  layers: [],
  worktrees: 1,
  branches: ['main'],
  folders: [],
  excluded: false,
  own: ['changed', 'nowhere else'],
};

describe.runIf(canBox)('whoever is killed', () => {
  it('in the middle of "up", after any of its effects, leaves nothing that gc does not take away', async () => {
    const { options, up, left, boxes, records } = scene();
    const whole = mortal(options, Infinity);
    await whole.boxes.up(up);
    await boxes.down('one');
    expect(left()).toEqual(nothing);
    expect(whole.effects()).toBeGreaterThan(10);
    for (let life = 1; life <= whole.effects(); life += 1) {
      await mortal(options, life)
        .boxes.up(up)
        .catch((error: unknown) => expect(error, String(life)).toBeInstanceOf(Error));
      const said = await boxes.gc();
      // After the last word in its record it was made, and only nobody has heard of it.
      if (records.names().length > 0) {
        expect(life, 'it is whole').toBeGreaterThan(whole.effects() - 2);
        await boxes.down('one');
      } else expect(said.join('\n'), String(life)).toContain('taken away');
      expect(left(), String(life)).toEqual(nothing);
      expect(await boxes.gc(), String(life)).toEqual([]);
    }
  });

  it('in the middle of "down", after any of its effects, loses nothing that is nowhere else', async () => {
    const { options, up, left, boxes, root, workspace } = scene();
    await boxes.up(up);
    const whole = mortal(options, Infinity);
    await whole.boxes.down('one');
    expect(left()).toEqual(nothing);
    const worktree = join(root, 'one');
    for (let life = 1; life <= whole.effects(); life += 1) {
      await boxes.up(up);
      writeFileSync(join(worktree, 'work'), 'of an agent');
      await mortal(options, life)
        .boxes.down('one')
        .catch((error: unknown) => expect(error, String(life)).toBeInstanceOf(Killed));
      await boxes.gc();
      expect(readFileSync(join(worktree, 'work'), 'utf8'), String(life)).toBe('of an agent');
      // It is an ordinary worktree of the person's by now, and nothing else is left.
      git(workspace, 'worktree', 'remove', '--force', worktree);
      git(workspace, 'branch', '-D', 'interlock-one');
      expect(left(), String(life)).toEqual(nothing);
    }
  });

  it('in the middle of "stop", "start" or "reset" leaves a box that can be started or ended', async () => {
    const { options, left, boxes, workspace } = scene();
    const folder = join(workspace, '..', 'plain');
    mkdirSync(folder);
    await boxes.up({ name: 'one', templateName: 'isolated', workspace: folder });
    for (const operation of ['stop', 'start', 'reset'] as const) {
      if (operation === 'start') await boxes.stop('one');
      const whole = mortal(options, Infinity);
      await whole.boxes[operation]('one');
      await boxes.gc();
      for (let life = 1; life <= whole.effects(); life += 1) {
        const about = `${operation} ${String(life)}`;
        if (operation === 'start') await boxes.stop('one');
        else await boxes.start('one');
        await mortal(options, life)
          .boxes[operation]('one')
          .catch((error: unknown) => expect(error, about).toBeDefined());
        await boxes.gc();
        expect((await boxes.state('one')).state, about).not.toBe('unfinished');
        expect((await boxes.start('one')).state, about).toBe('running');
      }
    }
    await boxes.down('one');
    expect(left()).toEqual(nothing);
  });
});

test('what is done with several boxes goes on past those that fail, and says which', async () => {
  const error = new Error('no');
  const seen: string[] = [];
  const { done, failed } = await eachBox(['a', 'b', 'c'], async (name) => {
    seen.push(name);
    return name === 'b' ? Promise.reject(error) : Promise.resolve();
  });
  expect([seen, done, failed]).toEqual([['a', 'b', 'c'], ['a', 'c'], [{ name: 'b', error }]]);
});

test('what a killed process has left half written goes, and what is being written stays', async () => {
  const { boxes, records } = home({ runtime: machine() });
  const at = (word: string): string => join(records.directory, `.one.json.${word.repeat(16)}.tmp`);
  writeFileSync(at('a'), '{');
  writeFileSync(at('b'), '{');
  utimesSync(at('a'), 1, 1);
  await boxes.gc();
  expect([existsSync(at('a')), existsSync(at('b'))]).toEqual([false, true]);
});
