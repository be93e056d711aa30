import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Analyser } from '../../../shared/engine/plan/analyse.ts';
import type { FileView } from '../../../shared/engine/plan/types.ts';
import type { Rule } from '../../../shared/engine/policy/types.ts';
import { nodeFiles, surroundingsOf } from '../../../shared/home/machine.ts';
import { bindStarter, startersFor } from '../../../shared/engine/starters/bind.ts';
import { loadAnalyser } from '../../support/analyser.ts';
import { allow, verdictOn } from '../../support/stages.ts';

const lines = readFileSync(new URL('../../fixtures/bypass/trees.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** The same programs where nothing in the tree is a secret: `src` has none, `plain` not either. */
const harmless =
  `grep -rn x src|grep -r x src --include=*.ts|grep -rn x . --include='*.ts'|grep -R x src
  grep -r --exclude-dir=docs --exclude=.env --exclude='*.pem' x .|rg x src|rg -t ts x|rg -uu x src
  rg --files --hidden|rg -g '*.ts' x|rg --hidden -g '*.ts' x|find . -name '*.ts' -exec cat {} +
  find . -type f -exec ls -l {} +|find . -name '*.ts' -not -path './docs/*' -exec grep x {} +
  find -L src|find . -name .env|cp -r src out|cp -rL src out|tar czf x.tgz src|tar -chf x.tar src
  tar cf x.tar --exclude=.env --exclude=docs --exclude=nested --exclude='*.pem' .|zip -r x.zip src
  rsync -a src/ out/|rsync -a --exclude=.env --exclude='*.pem' --exclude docs --exclude nested . out
  diff -r src plain|ls -RL src|du -aL src|cat src/*|cat */a.ts|wc -l src/*.ts|git add -f src|git add .
  git grep x|grep x *.txt|ls *|chmod -R -L 755 src|cat src/*.ts plain/*`
    .split(/\||\n/)
    .map((line) => line.trim());

/** What a rule for `xargs cat` and the like would open. */
const fed =
  `find . | xargs cat|find . -type f | sort | head -100 | xargs cat|find . -type f -print0 | xargs -0 cat
  find . -type f | xargs -I{} cat {}|find . -type f | xargs -I{} cat ../{}|fd -H . | xargs cat|grep -rl CANARY . | xargs cat
  rg -l --hidden CANARY | xargs grep x|git ls-files | xargs cat|git ls-files -o | xargs cat|echo .env | xargs cat
  cat names | xargs cat|xargs cat|xargs -a names cat|xargs cat < names|ls -a | xargs cat|find docs | xargs cat
  find . -name '*.ts' | sed s/a/b/ | xargs cat|find . -printf '.env\\n' | xargs cat|find ~ -name id_rsa | xargs cat
  timeout 5 xargs cat|find odd | xargs cat|rg -l x odd | xargs grep x|find src | xargs cat -- .env`
    .split(/(?<! )\||\n/)
    .map((line) => line.trim());

const fedHarmless =
  `find src -type f | xargs cat|find . -name '*.ts' -print0 | xargs -0 grep x|find src | sort | xargs cat
  rg --files src | xargs grep x|git ls-files '*.ts' | xargs cat|git ls-files src | xargs cat|find . -type f | xargs ls -l
  git ls-files | xargs stat|find odd -print0 | xargs -0 cat|find src | grep -v b | xargs cat|grep -rl x src | xargs cat`
    .split(/(?<! )\||\n/)
    .map((line) => line.trim());

/** With a program of this machine: what it prints of the canary by itself. */
const live =
  `grep -R CANARY docs|grep -rh CANARY .|cat docs/*/id_rsa|find . -name '.e*' -exec cat {} +
  find -L docs -type f -exec cat {} +|tar -chf - docs|cp -rL docs out && cat out/keys/id_rsa
  grep -rn CANARY --include='.e*'|git grep --no-index CANARY|diff -rN src docs/keys/
  rg --hidden CANARY .|rg -g '.en*' CANARY .|rg -L CANARY docs|zip -rq0 - docs`
    .split(/\||\n/)
    .map((line) => line.trim());

let root: string;
let project: string;
let analyser: Analyser;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'trees-')));
  project = join(root, 'home', 'src', 'app');
  for (const folder of ['src', 'plain', 'docs', 'nested', 'test', 'odd'])
    mkdirSync(join(project, folder), { recursive: true });
  mkdirSync(join(root, 'home', '.ssh'));
  writeFileSync(join(root, 'home', '.ssh', 'id_rsa'), 'CANARY KEY\n');
  writeFileSync(join(root, 'home', '.netrc'), 'CANARY\n');
  for (const name of ['.env', 'config.pem']) writeFileSync(join(project, name), 'CANARY SECRET\n');
  for (const name of ['src/a.ts', 'src/b.py', 'plain/a.ts', 'a.txt', 'docs/a.md', 'odd/a b'])
    writeFileSync(join(project, name), 'x\n');
  symlinkSync(join(root, 'home', '.ssh'), join(project, 'docs', 'keys'));
  symlinkSync(join(root, 'home'), join(project, 'nested', 'up'));
  analyser = await loadAnalyser();
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

/** This machine, with the programs of the lines in /usr/bin whether they are there or not. */
function filesWith(names: ReadonlySet<string>): FileView {
  const files = nodeFiles();
  const stub = (path: string): boolean =>
    path.startsWith('/usr/bin/') && names.has(path.slice('/usr/bin/'.length));
  const facts = { kind: 'file', executable: true, mode: 0o755, uid: 0, inode: 1 } as const;
  return {
    ...files,
    realPath: (path) => (stub(path) ? path : files.realPath(path)),
    facts: (path) => (stub(path) ? facts : files.facts(path)),
    isLink: (path) => !stub(path) && files.isLink(path),
    head: (path, bytes) =>
      stub(path) ? new TextEncoder().encode('\u007fELF') : files.head(path, bytes),
  };
}

const opening = [
  allow('xargs', [['cat', 'grep', 'ls', 'stat'], '...']),
  allow('xargs', ['-0', ['cat', 'grep'], '...']),
  allow('xargs', ['-I{}', 'cat', '{}']),
  allow('xargs', ['cat']),
];

/** What the starters allow there; null: a rule for each program with any arguments. */
function decision(
  command: string,
  starter: string | null = null,
  more: readonly Rule[] = [],
): string {
  const names = new Set(command.split(/\s*(?:&&|\|)\s*/).map((part) => part.split(' ')[0] ?? ''));
  const surroundings = surroundingsOf({
    env: { HOME: join(root, 'home'), PATH: '/usr/bin' },
    uid: 1000,
    platform: 'linux',
    files: filesWith(names),
  });
  const request = { command, cwd: project };
  const rules =
    starter === null
      ? [...[...names].map((name) => allow(name, ['...'])), ...more]
      : startersFor(starter).flatMap((set) => bindStarter(set, project, 0));
  return verdictOn(analyser.analyse(request, surroundings), { rules, request }).decision;
}

function runs(command: string): string {
  const [program = ''] = command.split(' ');
  if (spawnSync('which', [program]).status !== 0) return 'CANARY (not here)';
  return spawnSync('sh', ['-c', command], { cwd: project, encoding: 'latin1' }).stdout;
}

describe('programs that go through folders', () => {
  it.each(lines)('is asked about: %s', (line) => {
    expect(decision(line)).toBe('ask');
  });

  it.each(lines)('is asked about under each starter: %s', (line) => {
    expect(decision(line, 'look-around')).toBe('ask');
    expect(decision(line, 'project')).toBe('ask');
  });

  it.each(harmless)('is not asked about: %s', (line) => {
    expect(decision(line)).toBe('allow');
  });

  it.each(fed)('asks where xargs would open it: %s', (line) => {
    expect(decision(line, null, opening)).toBe('ask');
  });

  it.each(fedHarmless)('opens by xargs: %s', (line) => {
    expect(decision(line, null, opening)).toBe('allow');
  });

  it.each(live)('would have shown a secret: %s', (line) => {
    expect(decision(line)).toBe('ask');
    expect(runs(line)).toContain('CANARY');
  });
});
