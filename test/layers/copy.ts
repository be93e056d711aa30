import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

const copied = ['shared', 'runner', 'app', 'package.json', 'tsconfig.base.json', '.oxlintrc.json'];

/** What a check of the copy said. */
export interface CheckRun {
  readonly passed: boolean;
  readonly output: string;
}

/** A copy of the sources in which files can be planted and checked. */
export interface SourceCopy {
  /** Writes a file, runs the check, and takes the file away again. */
  readonly withPlanted: (file: string, text: string, check: () => CheckRun) => CheckRun;
  readonly lint: (file: string) => CheckRun;
  readonly compile: (project: string) => CheckRun;
  readonly remove: () => void;
}

/** Copies the sources into a temporary folder; node_modules is the real one, by a link. */
export function copySources(): SourceCopy {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-layers-')));
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const tool = (script: string, ...args: readonly string[]): CheckRun => {
    const run = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { passed: run.status === 0, output: `${run.stdout}${run.stderr}` };
  };
  return {
    withPlanted: (file, text, check) => {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      try {
        return check();
      } finally {
        rmSync(path);
      }
    },
    lint: (file) => tool('oxlint/bin/oxlint', '--deny-warnings', file),
    compile: (project) => tool('typescript/bin/tsc', '-b', project),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
