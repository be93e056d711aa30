import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { calls, happenings } from './trace.ts';
import type { Happening } from './trace.ts';

/** A throw-away root. Each line runs in a copy of its own of the same small tree. */
export interface Yard {
  readonly root: string;
  /** Words in front of a command that keep it from the machine. */
  readonly cage: Cage;
  /** The folder of one line; `work` in it is where the line runs. */
  readonly place: (id: number) => string;
  remove(): void;
}

export interface Run {
  readonly id: number;
  /** For a shell, to be run as it stands. */
  readonly text: string;
}

type Cage = readonly [string, ...string[]];

/** The user that lines run as where the tests run as root: nobody's number, so nothing is its own. */
const stranger = '61234';
const isRoot = process.getuid?.() === 0;
export const searchPath = '/usr/local/bin:/usr/bin:/bin';

function works(words: readonly [string, ...string[]]): boolean {
  const [program, ...args] = words;
  return spawnSync(program, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

const strangers = ['--reuid', stranger, '--regid', stranger, '--clear-groups', '--no-new-privs'];

/**
 * What stands in front of a command so that it can do no harm: as a user of no rights without a
 * network, or in a cage where all but the throw-away root is read-only. Null where neither works.
 */
function cage(root: string): Cage | null {
  if (isRoot) {
    const user = ['setpriv', ...strangers, '--'];
    // With the first process all others end, also those that a line left behind.
    const own = ['unshare', '-n', '-p', '-f', '--mount-proc', '--kill-child'] as const;
    if (works([...own, ...user, '/bin/true'])) return [...own, ...user];
  }
  const view = [
    '--unshare-net',
    '--unshare-pid',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
  ];
  const caged = ['bwrap', ...view, '--proc', '/proc', '--bind', root, root] as const;
  return works([...caged, '--', '/bin/true']) ? [...caged, '--'] : null;
}

/** Why lines cannot be traced on this machine, or null. */
export function whyNot(): string | null {
  if (process.platform !== 'linux') return 'there is no strace but on Linux';
  if (!works(['strace', '-f', '-o', '/dev/null', '/bin/true']))
    return 'strace is missing, or may not trace';
  return cage(tmpdir()) === null ? 'nothing here cuts a program off from the machine' : null;
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

const repository = `set -e
export HOME=$PWD/home GIT_CONFIG_NOSYSTEM=1
cd work
git -c init.defaultBranch=main -c init.templateDir= init -q
git config user.name ann && git config user.email ann@example.org && git config gc.auto 0
git add a.txt b.txt c.json d && git commit -qm one && git branch side && git tag v1
echo more >>a.txt && git commit -qam two && echo changed >>b.txt
`;

const archives = `set -e
cd work && tar cf t.tar a.txt d && gzip -k a.txt && mv a.txt.gz g.gz
if command -v zip >/dev/null; then zip -qr t.zip a.txt d; fi
`;

/** Makes the tree that each line gets a copy of, and the root that the copies stand in. */
export function makeYard(): Yard {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-trace-')));
  chmodSync(root, 0o711);
  const caged = cage(root);
  if (caged === null) throw new Error('no line may run where nothing holds it');
  const template = join(root, 'template');
  write(template, {
    'work/a.txt': 'b 2\na 1\nc 3\n',
    'work/b.txt': 'a 1\nx y\n',
    'work/c.json': '{"a":[1,2],"b":"x"}\n',
    'work/names': 'a.txt\nb.txt\n',
    'work/Makefile': 'all:\n\t@echo hello\nclean:\n\trm -f a.txt\n',
    'work/p.diff': '--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n b 2\n-a 1\n+a 9\n c 3\n',
    'work/d/e.txt': 'e\n',
    'work/d/sub/f.txt': 'f\n',
    'work/-n': 'dash\n',
    'out/secret.txt': 'secret\n',
    'out/old.txt': 'old\n',
    'out/sub/x.txt': 'x\n',
    'home/.profile': 'true\n',
    'tmp/.keep': '',
  });
  symlinkSync('../out/secret.txt', join(template, 'work/link'));
  symlinkSync('../out', join(template, 'work/dl'));
  const withGit = join(root, 'template-git');
  for (const [script, cwd] of [
    [`${archives}cd ../..; cp -R template template-git`, template],
    [repository, withGit],
  ] as const) {
    const { status, stderr } = spawnSync('sh', ['-c', script], {
      cwd,
      encoding: 'utf8',
      env: { PATH: searchPath, LC_ALL: 'C', GIT_CONFIG_GLOBAL: '/dev/null' },
    });
    if (status !== 0) throw new Error(`the tree could not be made: ${stderr}`);
  }
  write(root, { 'bin/canary': '#!/bin/sh\nexit 0\n' });
  chmodSync(join(root, 'bin/canary'), 0o755);
  const lines = join(root, 'lines');
  mkdirSync(lines);
  chmodSync(lines, 0o777);
  spawnSync('chmod', ['-R', 'a+rX', template, withGit, join(root, 'bin')]);
  return {
    root,
    cage: caged,
    place: (id) => join(lines, `l${id}`),
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function inside(yard: Yard, script: string, before: readonly string[] = []): Promise<void> {
  const [program, ...words] = [...yard.cage, ...before, 'sh', '-c', script];
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      cwd: yard.root,
      stdio: 'ignore',
      timeout: 240_000,
      killSignal: 'SIGKILL',
      env: {
        PATH: `${searchPath}:${yard.root}/bin`,
        LC_ALL: 'C',
        TERM: 'dumb',
        USER: 'ann',
        GIT_CONFIG_NOSYSTEM: '1',
        // A gpg would leave its agent behind. In the repository it would pin each line.
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'gpg.program',
        GIT_CONFIG_VALUE_0: 'false',
      },
    });
    child.on('error', reject);
    child.on('close', (status, signal) => {
      if (status === 0) resolve();
      else reject(new Error(`the lines ended with ${status ?? signal}`));
    });
  });
}

/** Gives each line its tree: one with a repository where Git, or what looks for one, will run. */
export async function prepare(
  yard: Yard,
  lines: readonly { readonly id: number; readonly program: string }[],
): Promise<void> {
  const copies = lines.map(({ id, program }) => {
    const from = program === 'git' ? 'template-git' : 'template';
    return `cp -R ${from} ${yard.place(id)}`;
  });
  await inside(yard, copies.join('\n'));
}

export interface Done {
  readonly happened: readonly Happening[];
  /** Exit status of the line; null where it did not come to its end. */
  readonly status: number | null;
}

/** Runs lines, each in its tree, under one strace, and says what each did. */
export async function trace(yard: Yard, runs: readonly Run[]): Promise<ReadonlyMap<number, Done>> {
  const folder = yard.place(runs[0]?.id ?? 0);
  const [log, results, script] = ['trace', 'status', 'script'].map((name) => join(folder, name));
  const text = runs.map(({ id, text: line }) => {
    const place = yard.place(id);
    const limited = `timeout -k 1 3 ${line} <${place}/work/names >/dev/null 2>&1`;
    return `cd ${place}/work; export HOME=${place}/home TMPDIR=${place}/tmp\n${limited}\necho "${id} $?" >>${results}`;
  });
  const limits = 'ulimit -f 20000 -t 3 -c 0; ulimit -v 4000000';
  writeFileSync(script ?? '', `${limits}\n${text.join('\n')}\ncd /\n`);
  const options = ['-f', '--seccomp-bpf', '-y', '-qq', '-s', '500', '-e', 'signal=none'];
  const traced = ['strace', ...options, '-e', `trace=${calls.join(',')}`, '-o', log ?? ''];
  await inside(yard, `. ${script}`, traced);
  const lineOf = (at: string): number | null => {
    const id = /\/lines\/l(\d+)\/work$/.exec(at)?.[1];
    return id === undefined ? null : Number(id);
  };
  const found = happenings(readFileSync(log ?? '', 'latin1'), lineOf);
  const ended = new Map(
    readFileSync(results ?? '', 'utf8')
      .split('\n')
      .map((one) => one.split(' ').map(Number) as [number, number]),
  );
  return new Map(
    runs.map(({ id }) => [id, { happened: found.get(id) ?? [], status: ended.get(id) ?? null }]),
  );
}

/** Removes the trees of lines. */
export function clear(yard: Yard, ids: readonly number[]): void {
  const places = ids.map((id) => yard.place(id));
  spawnSync('chmod', ['-R', 'u+rwX', ...places], { stdio: 'ignore' });
  for (const place of places) rmSync(place, { recursive: true, force: true });
}
