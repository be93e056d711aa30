import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { localHost } from '../../../../runner/hosts/local.ts';
import { canHold, holdLauncher } from '../../../../runner/hosts/sandbox/hold.ts';
import { createEngine, defaultConfig } from '../../../../shared/engine/index.ts';
import type { Execution, Hold } from '../../../../shared/engine/index.ts';
import { baseEnvironment, openMachine } from '../../../../shared/home/index.ts';
import { systemClock } from '../../../../shared/home/clock.ts';
import { run, spawner, temporaryFolder } from '../support.ts';
import { command, compile, hasScopes, launcher } from './support.ts';

const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
const machine = openMachine(env, process.geteuid?.() ?? -1);
const engine = createEngine(machine, () => defaultConfig);
const host = localHost({
  clock: systemClock,
  shell: machine.shell,
  environment: baseEnvironment(env),
  launcherOf: holdLauncher(launcher),
  spawner,
});
const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], { cwd, stdio: 'pipe' });

/** A project with a few files and a history, and a folder beside it that is nobody's business. */
function place() {
  const folder = temporaryFolder();
  const project = join(folder, 'project');
  const outside = join(folder, 'outside');
  for (const path of [project, outside, join(project, 'sub')]) mkdirSync(path);
  writeFileSync(join(project, 'f'), 'b 2\na 1\na 1\n');
  writeFileSync(join(project, 'sub', 'g.json'), '{"a":[1,2]}\n');
  writeFileSync(join(outside, 'secret'), 'secret\n');
  git(project, 'init', '-q');
  git(project, 'add', '.');
  git(project, 'commit', '-qm', 'first');
  writeFileSync(join(project, 'new'), 'new\n');
  return { project, outside };
}

/** What would run for a line, and what the kernel would hold it to; null where nothing. */
async function planFor(line: string, cwd: string) {
  const analysis = await engine.analyse({ command: line, cwd });
  if (!analysis.ok || analysis.plan.execution === null) throw new Error(`${line} is opaque`);
  return { execution: analysis.plan.execution, hold: engine.hold(analysis.plan) };
}

const holdFor = async (line: string, cwd: string) => (await planFor(line, cwd)).hold;

async function ran(execution: Execution | string, cwd: string, hold: Hold | null) {
  const told =
    typeof execution === 'string' ? ({ kind: 'shell', text: execution } as const) : execution;
  const task = { ...command('', cwd), execution: told, ...(hold !== null && { hold }) };
  const running = run(host, task);
  const { exitCode, hold: held } = await running.ended;
  return { exitCode, ...running.output(), held };
}

const harmless = [
  'cat f',
  'cat f sub/g.json | wc -l',
  'head -n 1 f',
  'tail -n 1 f',
  'wc -c f',
  'cut -d" " -f1 f',
  'sort f',
  'sort -u f | head -1',
  'sort f -o sorted; cat sorted',
  'sed -n 1p f',
  "sed 's/a/c/g' f",
  "sed -i 's/a/c/' f; cat f",
  "awk '{ s += $2 } END { print s }' f",
  'grep -n a f',
  'grep -rn a sub',
  'grep -c x f',
  'find . -name f',
  'find sub -type f | sort',
  'find . -name g.json -exec cat {} +',
  'jq .a sub/g.json',
  "jq -r '.a[]' sub/g.json | sort -n",
  'ls',
  'ls -la sub | wc -l',
  'du -s sub | cut -f2',
  'cp f copy; cat copy',
  'cp -r sub sub2; ls sub2',
  'mv f moved; ls',
  'mkdir -p x/y; ls x',
  'rm f; ls',
  'tar cf a.tar sub; tar tf a.tar',
  'tar czf a.tgz sub; tar tzf a.tgz',
  'tar cJf a.txz f; tar xJf a.txz; cat f',
  'cat f > out; cat out',
  'cat f >> sub/log; cat sub/log',
  'cat missing',
  'cat f 2>/dev/null',
  'ls nowhere 2>&1',
  'git status --short',
  'git diff --stat',
  'git log --format=%s',
  'git show --stat HEAD --format=',
  'git ls-files',
  'git log --oneline | wc -l',
  'git rev-parse --abbrev-ref HEAD',
  'git blame -s f',
  'uname -s',
  'nl f',
  'printf "%s\\n" a b | sort -r',
  'cd sub && cat g.json',
  'diff f new',
  `python3 -c 'import json, re; print(json.load(open("sub/g.json")), re.sub("a", "b", open("f").read()))'`,
  `python3 - <<'X'\nfrom pathlib import Path\np = Path("f")\np.write_text(p.read_text().upper())\nX\ncat f`,
  'cat f | tee copy; cat copy',
  '/usr/bin/true',
  '/usr/bin/echo a | /usr/bin/cat',
  '/usr/bin/test -f f && /usr/bin/printf "%s\\n" yes; /usr/bin/expr 1 + 1; /usr/bin/pwd',
];

/** A harmless line, and what runs in its place: as if its record had a hole. */
const holes: readonly (readonly [string, string, (outside: string) => string])[] = [
  ['a command of sed', 'sed -n 1p f | cat', (o) => `sed '1e touch ${o}/x' f`],
  ['a file that sed writes', 'sed -n 1p f | cat', (o) => `sed 'w ${o}/x' f`],
  ['a file that sed reads', 'sed -n 1p f | cat', (o) => `sed 'r ${o}/secret' f`],
  [
    'a command of awk',
    "awk '{ print $1 }' f | cat",
    (o) => `awk 'BEGIN { system("touch ${o}/x") }'`,
  ],
  ['a pipe of awk', "awk '{ print $1 }' f | cat", (o) => `awk 'BEGIN { print 1 | "tee ${o}/x" }'`],
  [
    'a redirection of awk',
    "awk '{ print $1 }' f | cat",
    (o) => `awk 'BEGIN { print 1 > "${o}/x" }'`,
  ],
  [
    'a path that awk puts together',
    "awk '{ print $1 }' f | cat",
    (o) => `awk 'BEGIN { while ((getline l < ("${o.slice(0, -2)}" "de/secret")) > 0) print l }'`,
  ],
  ['a program of find', 'find . -name f | cat', (o) => `find . -name f -exec touch ${o}/x \\;`],
  ['a file of find', 'find . -name f | cat', (o) => `find . -fprint ${o}/x`],
  [
    'an action of tar',
    'tar tf a.tar | cat',
    (o) => `tar cf /dev/null f --checkpoint=1 --checkpoint-action=exec='touch ${o}/x'`,
  ],
  [
    'an absolute name in an archive',
    'tar xf a.tar | cat',
    (o) => `tar cPf /dev/stdout ${o}/secret`,
  ],
  ['a setting of git', 'git status | cat', (o) => `git -c core.fsmonitor='touch ${o}/x;' status`],
  [
    'a difference program of git',
    'git diff | cat',
    (o) => `GIT_EXTERNAL_DIFF='touch ${o}/x;' git diff`,
  ],
  ['an abbreviated option of git', 'git log | cat', (o) => `git ls-remote --u='touch ${o}/x;' .`],
  ['an alias of git', 'git log | cat', (o) => `git -c alias.z='!touch ${o}/x' z`],
  ['a module of jq', 'jq .a sub/g.json | cat', (o) => `jq -n --rawfile s ${o}/secret '$s'`],
  ['a recursive search from above', 'grep -rn a sub | cat', () => 'grep -rn secret ..'],
  [
    'code that writes elsewhere',
    "python3 -c 'print(1)' | cat",
    (o) => `python3 -c 'open("${o}/x", "w")'`,
  ],
  [
    'code that starts a program',
    "python3 - <<'X'\nprint(1)\nX",
    (o) => `python3 -c 'import os; os.system("touch ${o}/x")'`,
  ],
  [
    'code that connects',
    "python3 -c 'print(1)' | cat",
    () => `python3 -c 'import socket; socket.create_connection(("127.0.0.1", 9))'`,
  ],
  ['a copy to elsewhere', 'cp f copy && cat copy', (o) => `cp f ${o}/x`],
  ['another program', 'cat f | wc -l', (o) => `touch ${o}/x; head -c 4 f`],
  ['a device of the shell', 'cat f | wc -l', () => 'exec 3<>/dev/tcp/127.0.0.1/9'],
];

describe.skipIf(!canHold(launcher))('what a rule allows', () => {
  test.each(harmless)('%s does the same under its hold', async (line) => {
    const [free, held] = [place(), place()];
    const before = await ran((await planFor(line, free.project)).execution, free.project, null);
    const { execution, hold } = await planFor(line, held.project);
    const after = await ran(execution, held.project, hold);
    const plainly = (text: string) =>
      text
        .replaceAll(free.project, 'P')
        .replaceAll(held.project, 'P')
        .replace(/\b[0-9a-f]{7,40}\b/g, 'H');
    expect(plainly(after.stdout)).toBe(plainly(before.stdout));
    expect(plainly(after.stderr)).toBe(plainly(before.stderr));
    expect(after.exitCode).toBe(before.exitCode);
  });

  test('nearly all of these are held', async () => {
    const { project } = place();
    const holds = await Promise.all(harmless.map(async (line) => holdFor(line, project)));
    expect(holds.filter((hold) => hold !== null).length).toBeGreaterThan(harmless.length * 0.75);
  });

  test.each(holes)('cannot do more by %s', async (_, seen, hostile) => {
    const { project, outside } = place();
    writeFileSync(join(project, 'f'), 'changed\n');
    execFileSync('tar', ['cf', 'a.tar', 'f'], { cwd: project });
    const hold = await holdFor(seen, project);
    expect(hold).not.toBeNull();
    const text = hostile(outside);
    // It would: else nothing was shown.
    const free = await ran(text, project, null);
    const did =
      existsSync(join(outside, 'x')) || /secret/.test(free.stdout) || /refused/.test(free.stderr);
    expect({ text, did, said: free.stderr }).toMatchObject({ did: true });
    execFileSync('rm', ['-f', join(outside, 'x')]);
    const { stdout, held } = await ran(text, project, hold);
    expect(held?.held).toContain('landlock');
    expect(readdirSync(outside)).toEqual(['secret']);
    expect(stdout).not.toContain('secret');
  });

  test.skipIf(!hasScopes)(
    'reaches no other program of the person, whatever code got in',
    async () => {
      const { project, outside } = place();
      const fixture = join(import.meta.dirname, '../../../fixtures/sandbox/neighbour.c');
      const intruder = compile(join(project, 'intruder'), [fixture], ['-static', '-w']);
      chmodSync(intruder, 0o755);
      const other = spawn('sleep', ['60'], { stdio: 'ignore' });
      const name = `interlock-test-${process.pid}`;
      const path = join(outside, 'socket');
      const servers = [path, `\0${name}`].map((to) => createServer().listen(to));
      await Promise.all(
        servers.map(async (one) => new Promise((done) => one.once('listening', done))),
      );
      onTestFinished(() => {
        other.kill();
        for (const server of servers) server.close();
      });
      const file = join(outside, 'secret');
      const line = `./intruder ${path} ${name} ${other.pid} ${file}`;
      const through = ({ stdout }: { readonly stdout: string }) =>
        stdout.split('\n').flatMap((said) => (said.endsWith(' ok') ? [said.slice(0, -3)] : []));
      const under = async (seen: string) => {
        const hold = await holdFor(seen, project);
        if (hold === null) throw new Error(`${seen} is not held`);
        return through(await ran(line, project, { ...hold, starts: [...hold.starts, intruder] }));
      };
      expect(through(await ran(line, project, null)).length).toBeGreaterThan(15);
      const own = ['own-pair', 'own-limit', 'own-child'];
      expect(await under('cat f | wc -l')).toEqual(own);
      // Landlock has no word for these, and what writes files needs them.
      const unnamed = ['rights', 'times', 'attribute', 'owner'];
      expect(await under('cp f copy && cat copy')).toEqual([...unnamed, ...own]);
      expect(await under('curl -s http://127.0.0.1:9/ | wc -l')).toEqual([
        'socket-by-path',
        'shared-memory',
        ...own,
      ]);
    },
  );

  test("lets Git read what the person's settings and its stores of objects name", async () => {
    const { project, outside } = place();
    const clone = join(project, '..', 'clone');
    git(project, 'clone', '-q', '-s', project, clone);
    writeFileSync(join(outside, 'ignored'), 'new\n');
    writeFileSync(join(outside, 'more'), `[core]\n\texcludesFile = "${outside}/ignored"\n`);
    git(clone, 'config', 'include.path', join(outside, 'more'));
    writeFileSync(join(clone, 'new'), 'new\n');
    for (const [line, said] of [
      ['git log --format=%s | cat', 'first\n'],
      ['git status --short | cat', ''],
    ] as const) {
      const { execution, hold } = await planFor(line, clone);
      expect(hold).not.toBeNull();
      expect(await ran(execution, clone, hold)).toMatchObject({ stdout: said, stderr: '' });
    }
  });

  test.each([
    ['diff.external', '/usr/bin/true', ''],
    ['core.fsmonitor', 'true', ''],
    ['filter.big.process', 'cat', '*.bin filter=big\n'],
  ])('leaves Git as it was where %s has it start a program', async (key, value, attributes) => {
    const { project } = place();
    git(project, 'config', key, value);
    writeFileSync(join(project, '.gitattributes'), attributes);
    expect(await holdFor('git status --short', project)).toBeNull();
  });

  test('reads no device but those of nobody, and nothing of a session', async () => {
    const { project } = place();
    const hold = await holdFor('cat f | wc -l', project);
    for (const path of ['/dev/sda', '/dev/pts/0', '/dev/shm/x', '/run/user/1/x', '/var/lib/x'])
      expect(hold?.reads.some((one) => path.startsWith(`${one}/`))).toBe(false);
  });

  test('is held where openat2 is kept from the launcher, as by systemd', async () => {
    const { project, outside } = place();
    const restricted = compile(
      join(outside, '..', 'restricted'),
      [join(import.meta.dirname, '../../../fixtures/sandbox/without-openat2.c')],
      [`-DLAUNCHER="${launcher}"`],
    );
    const there = localHost({
      clock: systemClock,
      shell: machine.shell,
      environment: baseEnvironment(env),
      launcherOf: holdLauncher(restricted),
    });
    const { execution, hold } = await planFor('cat f', project);
    const running = run(there, {
      ...command('', project),
      execution,
      ...(hold !== null && { hold }),
    });
    expect(await running.ended).toMatchObject({
      exitCode: 0,
      hold: { held: expect.arrayContaining(['landlock']) as unknown },
    });
    expect(running.output().stdout).toContain('b 2');
  });

  test('reaches the network only where that was seen', async () => {
    const { project } = place();
    const [quiet, loud] = [
      await holdFor('cat f | wc -l', project),
      await holdFor('curl -s http://127.0.0.1:9/ | wc -l', project),
    ];
    const text = 'exec 3<>/dev/tcp/127.0.0.1/9';
    expect((await ran(text, project, quiet)).stderr).toContain('Permission denied');
    expect((await ran(text, project, loud)).stderr).toContain('Connection refused');
  });

  test("never reads Interlock's own folder, nor keys at home", async () => {
    const { project } = place();
    const hold = await holdFor('cat f', project);
    const home = machine.home;
    for (const path of ['.ssh', '.interlock', '.aws', '.config'])
      expect(hold?.reads.some((one) => `${home}/${path}`.startsWith(`${one}/`))).toBe(false);
  });

  test.each([
    ['npm test', 'runs what the project says'],
    ['python3 x.py', 'is code'],
    ['git commit -m x', 'writes where its record does not say'],
    ['made-up-program', 'is not known'],
    ['xargs touch < f', 'names what is not there'],
  ])('%s, which %s, runs as before', async (line) => {
    expect(await holdFor(line, place().project)).toBeNull();
  });

  test('is told from what an analysis has just seen, without another look', async () => {
    let looks = 0;
    const known = () => {
      looks += 1;
      return machine.known();
    };
    const counting = createEngine({ ...machine, known }, () => defaultConfig);
    const request = { command: 'cat f', cwd: place().project };
    const [first, again] = [await counting.analyse(request), await counting.analyse(request)];
    if (!first.ok) throw new Error('it is opaque');
    expect(counting.hold(first.plan, again)).toEqual(engine.hold(first.plan));
    expect(looks).toBe(2);
  });
});
