import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Analyser } from '../../../shared/engine/plan/analyse.ts';
import { nodeFiles, surroundingsOf } from '../../../shared/home/machine.ts';
import { loadAnalyser } from '../../support/analyser.ts';
import { allow, verdictOn } from '../../support/stages.ts';

/** Git prints what stands on its list, which an agent can write, whatever lies in the tree. */
let root: string;
let project: string;
let analyser: Analyser;

beforeAll(async () => {
  analyser = await loadAnalyser();
});

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'git-list-')));
  project = join(root, 'home', 'app');
  mkdirSync(join(project, 'src'), { recursive: true });
  mkdirSync(join(root, 'home', '.ssh'));
  writeFileSync(join(root, 'home', '.ssh', 'id_rsa'), 'KEY\n');
  writeFileSync(join(project, 'src', 'a.ts'), 'x\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  return () => rmSync(root, { recursive: true, force: true });
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function git(...words: readonly string[]): string {
  const who = ['-c', 'user.name=n', '-c', 'user.email=e@x'];
  return execFileSync('git', [...who, ...words], { cwd: project, encoding: 'utf8' }).trim();
}

/** Puts a name on the list that need not lie in the tree. */
function plant(name: string): void {
  const blob = git('hash-object', '-w', 'src/a.ts');
  git('update-index', '--add', '--cacheinfo', `100644,${blob},${name}`);
}

function decision(command: string, cwd = project): string {
  const surroundings = surroundingsOf({
    env: { HOME: join(root, 'home'), PATH: '/usr/bin' },
    uid: 1000,
    platform: 'linux',
    files: nodeFiles(),
  });
  const request = { command, cwd };
  const rules = [
    allow('git', ['...']),
    allow('xargs', ['cat']),
    allow('xargs', ['-0', 'cat', '--']),
  ];
  return verdictOn(analyser.analyse(request, surroundings), { rules, request }).decision;
}

describe("names on Git's list", () => {
  it.each(['git ls-files | xargs cat', 'git ls-files -z src | xargs -0 cat --'])(
    'are opened where they are plain: %s',
    (line) => {
      expect(decision(line)).toBe('allow');
      expect(decision(line, join(project, 'src'))).toBe('allow');
    },
  );

  it.each(['x /etc/shadow', '-n', 'a\tb', "it's", 'a\\b'])(
    'are not cut, nor options: %s',
    (name) => {
      plant(name);
      expect(decision('git ls-files | xargs cat')).toBe('ask');
      expect(decision("git ls-files '*.ts' | xargs cat")).toBe('allow');
    },
  );

  // Git prints "\\303\\244.md", of which xargs makes the name of another file.
  it.each(['\u00e4.md', '\u007f.md'])('are not printed with escapes: %j', (name) => {
    plant(name);
    expect(decision('git ls-files | xargs cat')).toBe('ask');
    expect(decision("git ls-files '*.md' | xargs cat")).toBe('ask');
    expect(decision('git ls-files -z | xargs -0 cat --')).toBe('allow');
    expect(decision("git ls-files '*.ts' | xargs cat")).toBe('allow');
  });

  it('lead through no link that took the place of a folder', () => {
    plant('d/.ssh/id_rsa');
    symlinkSync(join(root, 'home'), join(project, 'd'));
    expect(decision('git ls-files src d | xargs cat')).toBe('ask');
  });

  it.each(['/x/y', '../x/', 'src/../', '.git/xxx'])('lead nowhere else: %s', (start) => {
    plant('longname');
    const index = join(project, '.git', 'index');
    const bytes = readFileSync(index);
    bytes.write(start.padEnd(8, 'x').slice(0, 8), bytes.indexOf('longname'), 'latin1');
    writeFileSync(index, bytes);
    expect(decision('git ls-files | xargs cat')).toBe('ask');
  });

  it.each([
    '--with-tree=HEAD',
    '--full-name',
    '--recurse-submodules',
    '-t',
    '-s',
    '-v',
    '--eol',
    '--format=/etc/shadow',
    '--resolve-undo',
    '--debug',
  ])('are told of no other list, nor beside other words: %s', (option) => {
    expect(decision(`git ls-files ${option} | xargs cat`)).toBe('ask');
  });

  it('are those of the folder where they are opened', () => {
    expect(decision('git -C .. ls-files | xargs cat')).toBe('ask');
    expect(decision('git --git-dir=x/.git ls-files | xargs cat')).toBe('ask');
  });

  it('are those of a worktree where that is the folder', () => {
    git('commit', '-q', '-m', 'first');
    const other = join(root, 'home', 'other');
    git('worktree', 'add', '-q', other);
    expect(decision('git ls-files | xargs cat', other)).toBe('allow');
    project = other;
    plant('x /etc/shadow');
    expect(decision('git ls-files | xargs cat')).toBe('ask');
  });

  it('are not known of a tree that stands elsewhere, nor of a repository without .git', () => {
    git('config', 'core.worktree', join(root, 'home'));
    expect(decision('git ls-files | xargs cat')).toBe('ask');
    git('config', '--unset', 'core.worktree');
    cpSync(join(project, '.git'), join(project, 'src'), { recursive: true });
    expect(decision('git ls-files | xargs cat', join(project, 'src'))).toBe('ask');
    renameSync(join(project, '.git', 'index'), join(project, '.git', 'away'));
    expect(decision('git ls-files | xargs cat')).toBe('allow');
  });
});
