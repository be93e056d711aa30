import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDirectoryEvents } from '../../shared/home/directory-events.ts';
import type { DirectoryEvents } from '../../shared/home/directory-events.ts';
import { openFolderTree } from '../../shared/home/folder-tree.ts';
import type { FolderTree, FolderTreeOptions } from '../../shared/home/folder-tree.ts';
import { openFolderTrees } from '../../shared/home/folder-trees.ts';
import { seeded } from '../fuzz/random.ts';
import { changeTree } from '../support/tree-changes.ts';

function place() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-tree-')));
  const workspace = join(folder, 'work');
  mkdirSync(join(workspace, 'a/b'), { recursive: true });
  mkdirSync(join(folder, 'outside/inner'), { recursive: true });
  writeFileSync(join(workspace, 'a/b/f'), '');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = (options: Partial<FolderTreeOptions> = {}): FolderTree => {
    const tree = openFolderTree({ workspace, ...options });
    onTestFinished(() => tree.close());
    return tree;
  };
  return { folder, workspace, open };
}

/** What a tree says, to be compared. */
function said(tree: FolderTree): Record<string, string> {
  const each = [...tree.folders()].map(
    ([path, { below, files }]) =>
      [path, `${below.toSorted().join('/')} | ${files.toSorted().join('/')}`] as const,
  );
  return Object.fromEntries(each.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const unwatched = { openEvents: () => null };

describe.runIf(process.platform === 'linux')('the folders of a workspace', () => {
  it.each([1, 2, 3, 4])('are the same told bit by bit and read as a whole (seed %i)', (seed) => {
    const { folder, workspace, open } = place();
    const pick = seeded(seed).below;
    const told = open();
    told.folders();
    for (let round = 0; round < 120; round += 1) {
      for (let left = pick(6); left >= 0; left -= 1)
        changeTree(workspace, join(folder, 'outside'), pick);
      expect(said(told), `round ${round}`).toEqual(said(open(unwatched)));
    }
    expect(told.looks().told).toBeGreaterThan(80);
  });

  it('are not read again where nothing has happened, and have the same number', () => {
    const { workspace, open } = place();
    const tree = open();
    const [before, version] = [tree.folders().get(`${workspace}/a/b`), tree.version()];
    appendFileSync(join(workspace, 'a/b/f'), 'x');
    expect(tree.folders().get(`${workspace}/a/b`)).toBe(before);
    expect([tree.version(), tree.looks()]).toEqual([version, { whole: 1, told: 1 }]);
    writeFileSync(join(workspace, 'a/b/g'), 'x');
    expect(tree.folders().get(`${workspace}/a/b`)?.files.toSorted()).toEqual(['f', 'g']);
    expect(tree.version()).not.toBe(version);
  });

  it('are those of another workspace that was put in its place', () => {
    const { folder, workspace, open } = place();
    const tree = open();
    tree.folders();
    mkdirSync(join(folder, 'other/.git'), { recursive: true });
    renameSync(workspace, join(folder, 'old'));
    renameSync(join(folder, 'other'), workspace);
    expect(said(tree)).toEqual({ [workspace]: '.git | ' });
    rmSync(workspace, { recursive: true });
    expect(said(tree)).toEqual({});
  });

  it.each([
    ['dropped events', { read: () => 'overflow' as const }],
    [
      'a folder that cannot be watched',
      { add: (path: string) => (path.includes('/fd/') ? null : 1) },
    ],
    ['one folder in two places', { add: () => 7 }],
  ])('are read as a whole each time after %s', (_, broken: Partial<DirectoryEvents>) => {
    const { workspace, open } = place();
    const tree = open({
      openEvents: () => {
        const events = openDirectoryEvents();
        return events === null ? null : { ...events, ...broken };
      },
    });
    const tell = tree.listen();
    tell();
    mkdirSync(join(workspace, 'a/b/.git'));
    expect(said(tree)).toEqual(said(open(unwatched)));
    expect(tree.looks().told).toBe(0);
    expect(tell().folders).toBe('all');
  });

  it('are read as a whole where there are more than are watched, or something was mounted', () => {
    const { workspace, open } = place();
    let mounts = 'one';
    const [few, mounted] = [open({ mostWatched: 2 }), open({ mounts: () => mounts })];
    for (const tree of [few, mounted]) tree.folders();
    mounts = 'two';
    mkdirSync(join(workspace, 'new'));
    for (const tree of [few, mounted]) expect(tree.folders().has(`${workspace}/new`)).toBe(true);
    expect([few.looks(), mounted.looks()]).toEqual([
      { whole: 2, told: 0 },
      { whole: 2, told: 0 },
    ]);
  });

  it('are told by each listener for itself, also of what only was written to', () => {
    const { workspace, open } = place();
    const tree = open();
    const [first, second] = [tree.listen(), tree.listen()];
    expect([first().folders, second().folders]).toEqual(['all', 'all']);
    appendFileSync(join(workspace, 'a/b/f'), 'x');
    tree.folders();
    const changed = { folders: new Set([`${workspace}/a/b`]), mayHide: false };
    expect([first(), first(), second()]).toEqual([
      changed,
      { folders: new Set(), mayHide: false },
      changed,
    ]);
  });

  it('may hide a file that was changed by a name that came and went, and only then', () => {
    const { workspace, open } = place();
    const at = (path: string) => join(workspace, path);
    const tell = open().listen();
    tell();
    const after = (way: () => void): boolean => {
      way();
      return tell().mayHide;
    };
    const replace = () => {
      writeFileSync(at('a/.f'), 'x');
      renameSync(at('a/.f'), at('a/b/f'));
    };
    expect([after(replace), after(() => writeFileSync(at('a/g'), ''))]).toEqual([false, false]);
    expect(after(() => renameSync(at('a/b'), at('c')))).toBe(false);
    expect(after(() => rmSync(at('a/g')))).toBe(false);
    const link = () => linkSync(at('c/f'), at('a/l'));
    expect([after(link), after(() => rmSync(at('a/l')))]).toEqual([true, false]);
    const both = () => {
      link();
      rmSync(at('a/l'));
    };
    expect([after(both), after(() => mkdirSync(at('d')))]).toEqual([true, true]);
  });

  it('hide nothing by a folder that we have made ourselves, and by another of that name they may', () => {
    const { workspace, open } = place();
    const tree = open();
    const tell = tree.listen();
    tell();
    const git = join(workspace, '.git');
    mkdirSync(git);
    tree.ours(git);
    rmSync(git, { recursive: true });
    expect(tell()).toEqual({ folders: new Set([workspace]), mayHide: false });
    mkdirSync(git);
    expect(tell().mayHide).toBe(true);
  });

  it('are watched for the workspaces that were used last alone', () => {
    const { folder } = place();
    let open = 0;
    const trees = openFolderTrees({
      openEvents: () => {
        const events = openDirectoryEvents();
        open += 1;
        return events === null ? null : { ...events, close: () => ((open -= 1), events.close()) };
      },
    });
    for (let at = 0; at < 20; at += 1) {
      mkdirSync(join(folder, String(at)));
      trees.of(join(folder, String(at))).folders();
    }
    expect(open).toBe(8);
    trees.close();
    expect(open).toBe(0);
  });
});
