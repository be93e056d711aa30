import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolderTree } from '../../../../runner/hosts/sandbox/folder-tree.ts';
import type { FolderTree } from '../../../../runner/hosts/sandbox/folder-tree.ts';
import { openDirectoryEvents } from '../../../../shared/home/index.ts';
import type { DirectoryEvents } from '../../../../shared/home/index.ts';

let workspace = '';

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'il-tree-')));
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const refreshed = (tree: FolderTree) => {
  for (const _ of tree.refresh());
  return [...tree.notable()]
    .map(([path, { hasGit, isBare, acts, below }]) => ({
      path,
      hasGit,
      isBare,
      acts: acts.map(({ name }) => name).toSorted(),
      below: [...below].toSorted(),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
};
const unwatched = () => openFolderTree({ workspace, openEvents: () => null });

const names = ['a', 'b', '.git', 'package.json', 'HEAD', 'config', 'objects', 'refs'];
const place = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('/'));
const change = fc.oneof(
  fc.record({ do: fc.constantFrom('folder', 'file', 'gone'), at: place, to: place }),
  fc.record({ do: fc.constantFrom('move', 'exchange'), at: place, to: place }),
);

/** What cannot be done (a folder into itself) is left undone. */
function carryOut(one: { readonly do: string; readonly at: string; readonly to: string }): void {
  const [at, to] = [join(workspace, one.at), join(workspace, one.to)];
  try {
    if (one.do === 'folder') mkdirSync(at, { recursive: true });
    else if (one.do === 'file') writeFileSync(at, '');
    else if (one.do === 'gone') rmSync(at, { recursive: true });
    else if (one.do === 'move') renameSync(at, to);
    else if (existsSync(at) && existsSync(to)) {
      renameSync(at, join(workspace, 'between'));
      renameSync(to, at);
      renameSync(join(workspace, 'between'), to);
    }
  } catch {
    rmSync(join(workspace, 'between'), { recursive: true, force: true });
  }
}

describe.runIf(process.platform === 'linux')('a tree that the kernel tells of', () => {
  test('holds what a look at everything finds, whatever was done to it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(change, { maxLength: 6 }), { minLength: 1, maxLength: 5 }),
        (rounds) => {
          rmSync(workspace, { recursive: true });
          mkdirSync(join(workspace, 'a/b/a/objects'), { recursive: true });
          const tree = openFolderTree({ workspace, openEvents: openDirectoryEvents });
          refreshed(tree);
          for (const round of rounds) {
            for (const one of round) carryOut(one);
            expect(refreshed(tree)).toEqual(refreshed(unwatched()));
          }
          tree.unwatch();
        },
      ),
      { numRuns: 100 },
    );
  });

  test('is read only where something happened', () => {
    mkdirSync(join(workspace, 'a/b'), { recursive: true });
    const tree = openFolderTree({ workspace, openEvents: openDirectoryEvents });
    refreshed(tree);
    mkdirSync(join(workspace, 'a/b/c/.git'), { recursive: true });
    expect(refreshed(tree).map(({ path }) => path)).toEqual([join(workspace, 'a/b/c')]);
    expect(tree.looks()).toEqual({ whole: 1, told: 1 });
    tree.unwatch();
  });

  test.each<[string, (events: DirectoryEvents) => Partial<DirectoryEvents>]>([
    ['dropped events', () => ({ read: () => 'overflow' })],
    [
      'one folder that it cannot watch',
      (events) => ({
        add: (path) => (String(path).endsWith('/a/b') ? null : events.add(path)),
      }),
    ],
    ['one folder in two places', () => ({ add: () => 7 })],
  ])('is looked at as a whole after %s', (_, broken) => {
    mkdirSync(join(workspace, 'a/b'), { recursive: true });
    const openEvents = () => {
      const events = openDirectoryEvents() as DirectoryEvents;
      return { ...events, ...broken(events) };
    };
    const tree = openFolderTree({ workspace, openEvents });
    refreshed(tree);
    mkdirSync(join(workspace, 'a/b/.git'));
    expect(refreshed(tree).map(({ path }) => path)).toEqual([join(workspace, 'a/b')]);
    expect(tree.looks()).toEqual({ whole: 2, told: 0 });
    tree.unwatch();
  });

  test('is looked at as a whole after something was mounted, and where that cannot be told', () => {
    const answers = ['one', 'two', null, null];
    const mounts = () => answers.shift() ?? null;
    const tree = openFolderTree({ workspace, openEvents: openDirectoryEvents, mounts });
    refreshed(tree);
    refreshed(tree);
    refreshed(tree);
    expect(tree.looks()).toEqual({ whole: 3, told: 0 });
    tree.unwatch();
  });
});
