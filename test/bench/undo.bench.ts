import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKeeper } from '../../runner/undo/keeper.ts';
import type { ToldHere } from '../../runner/undo/keeper.ts';
import { openFolderTrees, pathOfText } from '../../shared/home/index.ts';

/** What keeping a workspace costs around one command: what it waits for, and what comes beside it after. */
export interface UndoFigures {
  readonly name: string;
  readonly waitMs: number;
  readonly waitCpuMs: number;
  readonly afterMs: number;
  readonly afterCpuMs: number;
  /** What was added to the store. */
  readonly keptBytes: number;
}

const perFolder = 20;
const bytesEach = 2_000;

/** A tree of so many files, kept for the first time, unchanged, and with ten files changed by a command. */
export function measureUndo(files: number): readonly UndoFigures[] {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-bench-undo-')));
  const workspace = join(folder, 'work');
  try {
    for (let at = 0; at < files; at += 1) {
      const inside = join(
        workspace,
        `part${Math.floor(at / perFolder) % 50}`,
        `f${Math.floor(at / perFolder)}`,
      );
      if (at % perFolder === 0) mkdirSync(inside, { recursive: true });
      writeFileSync(join(inside, `${at}.ts`), `// ${at}\n`.padEnd(bytesEach, '.'));
    }
    const keeper = openKeeper({
      directory: join(folder, 'kept'),
      settings: () => ({ maxBytes: 4e9, fileBytes: 20e6, files: files * 2, keepMs: 1e9 }),
      now: Date.now,
    });
    const trees = openFolderTrees();
    const listen = trees.of(workspace).listen();
    const told = (): ToldHere => {
      const { folders, mayHide } = listen();
      const { length } = pathOfText(workspace);
      const below = folders === 'all' ? 'all' : [...folders].map((path) => path.slice(length + 1));
      return { folders: below, mayHide };
    };
    const change = (mark: string): void => {
      for (let at = 0; at < 10; at += 1) {
        const number = at * perFolder;
        appendFileSync(join(workspace, `part${at % 50}`, `f${at}`, `${number}.ts`), mark);
      }
    };
    let commands = 0;
    const measure = (name: string, before: () => void, during: () => void): UndoFigures => {
      commands += 1;
      const id = `bench-${commands}`;
      before();
      const bytes = keeper.bytes();
      const wait = timed(() =>
        keeper.before({ id, workspace, agent: 'bench', command: name }, told()),
      );
      during();
      const after = timed(() => keeper.after(id, false, told()));
      return {
        name,
        waitMs: wait.ms,
        waitCpuMs: wait.cpuMs,
        afterMs: after.ms,
        afterCpuMs: after.cpuMs,
        keptBytes: keeper.bytes() - bytes,
      };
    };
    const nothing = (): void => undefined;
    const figures = [
      measure('the first command', nothing, nothing),
      measure('the second', nothing, nothing),
      measure('an unchanged tree', nothing, nothing),
      measure('ten files changed by the command', nothing, () => change('a')),
      measure('ten files changed in between', () => change('b'), nothing),
    ];
    keeper.close();
    trees.close();
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function timed(run: () => unknown): { readonly ms: number; readonly cpuMs: number } {
  const start = performance.now();
  const cpu = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1_000 };
}
