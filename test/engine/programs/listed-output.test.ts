import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listedOutput } from '../../../shared/engine/programs/listed-output.ts';
import { namesInIndex } from '../../../shared/engine/programs/git-index.ts';
import { nodeFiles } from '../../../shared/home/machine.ts';

const { cwd, env } = {
  cwd: realpathSync(mkdtempSync(join(tmpdir(), 'listed-'))),
  env: process.env,
};
const files = nodeFiles();
const top = (): string => cwd;

function run(program: string, args: readonly string[]): string {
  const quiet = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const text = execFileSync(program, args, { cwd, env: { ...env, ...quiet }, encoding: 'utf8' });
  return text.replace(/\n+$/, '');
}

const sorted = (text: string): readonly string[] => text.split('\n').toSorted();

beforeAll(() => {
  for (const folder of ['src/deep/er', 'docs', 'node_modules/a', '.hidden'])
    mkdirSync(join(cwd, folder), { recursive: true });
  for (const name of [
    'src/a.ts',
    'src/b.test.ts',
    'src/deep/c.ts',
    'src/deep/er/d.tsx',
    'docs/one.md',
    'node_modules/a/index.ts',
    '.hidden/e.ts',
    'a b.ts',
    'Makefile',
  ])
    writeFileSync(join(cwd, name), 'x\n');
  symlinkSync('src', join(cwd, 'linked'));
  run('git', ['init', '-q']);
  run('git', ['add', 'src', 'docs', 'Makefile', 'linked']);
});
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

describe('names that a substitution prints', () => {
  it.each([
    "find src -name '*.ts'",
    'find src docs -type f',
    "find . -name '*.ts' -not -path './node_modules/*' -not -path './.git/*'",
    "find . -maxdepth 1 ! -name '.*'",
    "find src -type d -name 'd*'",
    "find src -maxdepth 2 -path '*deep*' -print",
    'ls src',
    'ls -1 docs',
    'ls',
    'git ls-files',
    "git ls-files 'src/*.ts'",
    "git ls-files '*.ts' docs",
    'git ls-files -- src/deep/',
  ])('are those that the program itself would print: %s', (line) => {
    const words = line.split(' ').map((word) => word.replaceAll("'", ''));
    const [program = '', ...args] = words;
    const said = listedOutput(words, { cwd, files, top });
    expect(said).not.toBeNull();
    expect(sorted(said ?? '')).toEqual(sorted(run(program, args)));
  });

  it.each([
    'find / -name x',
    'find .. -name x',
    'find linked -name x',
    'find -L src',
    'find src -delete',
    'find src -exec id ;',
    'find src -name x -o -name y',
    'find src -newer a',
    "find src -name '[ab].ts'",
    'find src -fprint x',
    'find none',
    'ls -la',
    'ls src docs',
    'ls /',
    'ls ../x',
    'ls linked',
    'git ls-files -o',
    'git ls-files --others',
    'git ls-files :(exclude)src',
    'git ls-files ../x',
    'git status',
    'cat a',
    'git ls-files nothing',
    'find src -name nothing',
  ])('are not told of anything else: %s', (line) => {
    const words = line.split(' ').map((word) => word.replaceAll("'", ''));
    expect(listedOutput(words, { cwd, files, top })).toBeNull();
  });

  it('are not told of a list of Git that is parted, spoilt, cut or of another kind', () => {
    const index = files.head(join(cwd, '.git/index'), 4_000_000) ?? new Uint8Array();
    expect(namesInIndex(index)).toContain('src/a.ts');
    for (const length of [0, 11, 40, index.length - 1, index.length - 25])
      expect(namesInIndex(index.subarray(0, length))).toBeNull();
    const fourth = Uint8Array.from(index);
    fourth[7] = 4;
    expect(namesInIndex(fourth)).toBeNull();
    const longer = Uint8Array.from(index);
    longer[12 + 61] = (longer[12 + 61] ?? 0) + 1;
    expect(namesInIndex(longer)).toBeNull();
    const merging = Uint8Array.from(index);
    merging[12 + 60] = 0x10;
    expect(namesInIndex(merging)).toBeNull();
    run('git', ['update-index', '--split-index']);
    const parted = files.head(join(cwd, '.git/index'), 4_000_000) ?? new Uint8Array();
    expect(namesInIndex(parted)).toBeNull();
  });
});
