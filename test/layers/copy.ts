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

/** What a check found fault with: each file, relative to the copy, and what it said of it. */
export type Findings = ReadonlyMap<string, readonly string[]>;

export interface PlantedFile {
  readonly file: string;
  readonly text: string;
}

/** A copy of the sources in which files can be planted and checked. */
export interface SourceCopy {
  /** Writes files, runs the check, and takes them away again. */
  readonly withPlanted: (planted: readonly PlantedFile[], check: () => Findings) => Findings;
  readonly lint: (files: readonly string[]) => Findings;
  readonly compile: (projects: readonly string[]) => Findings;
  readonly remove: () => void;
}

/** Copies the sources into a temporary folder; node_modules is the real one, by a link. */
export function copySources(): SourceCopy {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-layers-')));
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const tool = (script: string, ...args: readonly string[]): string => {
    const run = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    });
    if (run.error !== undefined) throw run.error;
    if (run.stderr !== '') throw new Error(run.stderr);
    return run.stdout;
  };
  return {
    withPlanted: (planted, check) => {
      for (const { file, text } of planted) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), text, { flag: 'wx' });
      }
      try {
        return check();
      } finally {
        for (const { file } of planted) rmSync(join(folder, file));
      }
    },
    lint: (files) =>
      lintFindings(tool('oxlint/bin/oxlint', '--deny-warnings', '--format', 'json', ...files)),
    compile: (projects) =>
      compilerFindings(tool('typescript/bin/tsc', '-b', '--pretty', 'false', ...projects)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function lintFindings(output: string): Findings {
  const { diagnostics } = JSON.parse(output) as {
    readonly diagnostics: readonly { readonly filename: string; readonly code: string }[];
  };
  return gathered(diagnostics.map(({ filename, code }) => [filename, code]));
}

/** Lines of the form `file(line,column): error TS1234: …`; any other line is a finding as well. */
function compilerFindings(output: string): Findings {
  const lines = output.split('\n').filter((line) => /^\S/u.test(line));
  return gathered(
    lines.map((line) => {
      const { file = '', said = line } =
        /^(?<file>[^(]+)\(\d+,\d+\): (?<said>.*)$/u.exec(line)?.groups ?? {};
      return [file, said];
    }),
  );
}

function gathered(findings: readonly (readonly [string, string])[]): Findings {
  const byFile = new Map<string, string[]>();
  for (const [file, said] of findings) byFile.set(file, [...(byFile.get(file) ?? []), said]);
  return byFile;
}
