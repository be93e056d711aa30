import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openKeeper } from '../../../runner/undo/keeper.ts';
import type { Keeper, KeeperOptions, KeepSettings, ToldHere } from '../../../runner/undo/keeper.ts';
import { openFolderTrees, pathOfText } from '../../../shared/home/index.ts';

export const settings: KeepSettings = {
  maxBytes: 1 << 30,
  fileBytes: 1 << 20,
  files: 10_000,
  keepMs: 86_400_000,
};

/** A workspace and a keeper for it. */
export function workbench(options: Partial<KeeperOptions> = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-undo-')));
  const workspace = join(folder, 'work');
  const directory = join(folder, 'kept');
  mkdirSync(workspace);
  const open = (more: Partial<KeeperOptions> = {}): Keeper =>
    openKeeper({
      directory,
      settings: () => settings,
      now: () => Date.now(),
      globalRules: null,
      ...options,
      ...more,
    });
  const keeper = open();
  const trees = openFolderTrees();
  const listen = trees.of(workspace).listen();
  /** As the runner tells it. */
  const told = (): ToldHere => {
    const { folders, mayHide } = listen();
    const { length } = pathOfText(workspace);
    const below = folders === 'all' ? folders : [...folders].map((path) => path.slice(length + 1));
    return { folders: below, mayHide };
  };
  onTestFinished(() => {
    trees.close();
    keeper.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const write = (path: string, text: string | Uint8Array): void => {
    const whole = join(workspace, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  };
  let commands = 0;
  /** Keeps, changes as a command would, and settles; the id of the entry. */
  const run = (change: () => void, at: Keeper = keeper): string => {
    commands += 1;
    const id = `run-${commands}`;
    const beginning = { id, workspace, agent: 'main', command: 'the command' };
    const kept = at.before(beginning, told());
    if (!kept.ok) throw new Error(kept.why);
    change();
    at.after(id, false, told());
    return id;
  };
  const changesOf = (id: string, at: Keeper = keeper): string[] =>
    (at.entry(id)?.changes ?? [])
      .map(({ path, before, after }) => `${mark(before)}${mark(after)} ${path}`)
      .toSorted();
  let undos = 0;
  const undo = (id: string, paths: readonly string[] | null = null, at: Keeper = keeper) => {
    undos += 1;
    const newId = `undo-${undos}`;
    const taken = at.takeBack(id, { newId, paths, dryRun: false });
    const results = Object.fromEntries(
      (taken?.results ?? []).map(({ path, result }) => [path, result]),
    );
    return { newId, results };
  };
  return { folder, workspace, directory, keeper, open, write, run, told, changesOf, undo };
}

function mark(state: { readonly kind: string } | null): string {
  return state === null ? '-' : (state.kind[0] ?? '?');
}
