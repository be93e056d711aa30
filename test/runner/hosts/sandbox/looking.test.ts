import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEngine, defaultConfig } from '../../../../shared/engine/index.ts';
import { openMachine } from '../../../../shared/home/index.ts';
import { run, temporaryFolder } from '../support.ts';
import { box, command, rungs, whyNot } from './support.ts';
import type { Kind } from './support.ts';

const machine = openMachine({ PATH: '/usr/local/bin:/usr/bin:/bin' }, process.geteuid?.() ?? -1);
const engine = createEngine(machine, () => defaultConfig);

/** A project with a history whose index knows less than it could, and a secret. */
function project(rung?: Kind) {
  const other = temporaryFolder();
  const made = box({ readWrite: [other] }, rung === undefined ? {} : { rung });
  const at = (path: string): string => join(made.workspace, path);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], {
      cwd: made.workspace,
      encoding: 'utf8',
    });
  mkdirSync(at('sub'));
  writeFileSync(at('f'), 'b 2\na 1\na 1\n');
  writeFileSync(at('sub/g.json'), '{"a":[1,2]}\n');
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  writeFileSync(at('new'), 'new\n');
  writeFileSync(at('.env'), 'TOKEN=top-secret\n');
  utimesSync(at('f'), 1, 1);
  const inside = async (text: string, onlyLooks: boolean) => {
    const task = { ...command(text, made.workspace), unasked: true as const };
    const running = run(made.host, { ...task, ...(onlyLooks && { onlyLooks }) });
    const { exitCode, notes = [], planted = [] } = await running.ended;
    return { exitCode, ...running.output(), notes, planted };
  };
  return { ...made, at, git, inside, other };
}

const looking = [
  '/usr/bin/true',
  'cat f sub/g.json | wc -l',
  'cat missing',
  'ls -la sub | wc -l; ls nowhere 2>&1',
  'sort -u f | head -1',
  "sed -n 1p f; awk '{ print $1 }' f",
  'grep -rn a sub; grep -c x f',
  'find . -name g.json',
  'cd sub && cat g.json > /dev/null && pwd',
  'git status --short; git diff --stat; git log --format=%s',
  'git ls-files | wc -l',
  'for name in f sub/g.json; do head -n 1 "$name"; done',
];

const changing = [
  'echo a > f',
  'cat f | tee copy',
  'sort f -o f',
  "sed -i 's/a/c/' f",
  'find . -name f -delete',
  'git commit -m x',
  'git add f',
  'rm f',
  'mkdir x',
  'tar cf a.tar sub',
  'curl http://localhost:1/',
  'python3 f.py',
  'npm test',
  'f=$(cat f); $f',
];

describe('a command that is known to change nothing', () => {
  test('is one of which all is known, and no other', async () => {
    const { workspace } = project();
    const known = async (line: string): Promise<boolean> => {
      const analysis = await engine.analyse({ command: line, cwd: workspace });
      return analysis.ok && engine.onlyLooks(analysis.plan, analysis);
    };
    for (const line of looking) expect([line, await known(line)]).toEqual([line, true]);
    for (const line of changing) expect([line, await known(line)]).toEqual([line, false]);
  });

  test('is none where a setting of the project has Git start a program', async () => {
    const { workspace, git } = project();
    git('config', 'core.fsmonitor', './watch');
    const analysis = await engine.analyse({ command: 'git status', cwd: workspace });
    expect(analysis.ok && engine.onlyLooks(analysis.plan, analysis)).toBe(false);
  });

  test('works in the folder for temporary files as in any', async () => {
    const analysis = await engine.analyse({ command: 'sort f', cwd: '/tmp' });
    expect(analysis.ok && engine.onlyLooks(analysis.plan, analysis)).toBe(false);
  });
});

describe.skipIf(whyNot !== null).each(rungs)('in a sandbox by %s, what only looks', (rung) => {
  test('says and ends as it does where it may write', async () => {
    const { inside } = project(rung);
    for (const line of looking)
      expect([line, await inside(line, true)]).toEqual([line, await inside(line, false)]);
  });

  test('changes nothing, should more be done than was known', async () => {
    const { inside, at, other, workspace } = project(rung);
    const index = readFileSync(at('.git/index'));
    for (const line of [
      'echo a > f',
      ': > made',
      'mkdir -p sub/.git/hooks',
      'rm -rf f sub',
      'mv .git away',
      'echo x > .git/config',
      'touch .git/hooks/pre-commit',
      'git add new',
      'chmod 0777 f',
      `: > ${other}/made`,
    ])
      expect([line, (await inside(line, true)).exitCode]).not.toEqual([line, 0]);
    expect(readdirSync(workspace).toSorted()).toEqual(['.env', '.git', 'f', 'new', 'sub']);
    expect(readFileSync(at('f'), 'utf8')).toBe('b 2\na 1\na 1\n');
    expect(readdirSync(at('sub'))).toEqual(['g.json']);
    expect(readFileSync(at('.git/index')).equals(index)).toBe(true);
    expect(readdirSync(other)).toEqual([]);
  });

  test('finds secrets empty, and a folder of its own for temporary files', async () => {
    const { inside, other } = project(rung);
    writeFileSync(join(other, '.env'), 'TOKEN=top-secret\n');
    const { stdout, exitCode } = await inside(
      `cat .env ${other}/.env; cp f /tmp/copy && cat /tmp/copy`,
      true,
    );
    expect([stdout, exitCode]).toEqual(['b 2\na 1\na 1\n', 0]);
  });
});
