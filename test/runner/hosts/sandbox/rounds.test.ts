import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HostTask } from '../../../../runner/hosts/host.ts';
import { run } from '../support.ts';
import { as, begun, historyBox, person } from './git-support.ts';
import { command, rungs, whyNot } from './support.ts';

/** Each command by itself leaves nothing behind that does harm; together they are to do so no more. */
function scene() {
  const { folder, workspace, host } = historyBox();
  begun(workspace);
  const sign = join('/tmp', `interlock-round-${process.pid}-${folder.slice(-6)}`);
  onTestFinished(() => rmSync(sign, { force: true }));
  const out = join(folder, 'out');
  mkdirSync(out);
  const start = (text: string, about: Partial<HostTask> = {}) => {
    const words = `${as} export RUN='touch ${sign}' OUT=${out}; ${text}`;
    return run(host, { ...command(words, workspace), unasked: true, session: 'one', ...about });
  };
  const does = async (text: string, about: Partial<HostTask> = {}) => {
    const running = start(text, about);
    // A workspace that cannot be looked through any more is none: nothing runs there.
    await running.ended.catch((error: unknown) => {
      expect(error).toMatchObject({ refusal: { code: 'host-unavailable' } });
    });
    return running.output();
  };
  return { workspace, out, sign, host, start, does };
}

/** What a person does afterwards with Git, in each folder, however deep it lies and whatever its name. */
function visit(workspace: string): void {
  const look = 'cd -P -- "$1" && git status --short >/dev/null 2>&1; true';
  const words = [
    '-type',
    'd',
    '-not',
    '-path',
    './.git/*',
    '-execdir',
    'sh',
    '-c',
    look,
    '_',
    '{}',
    ';',
  ];
  execFileSync('find', ['.', ...words], {
    cwd: workspace,
    stdio: 'ignore',
    env: { PATH: '/usr/bin:/bin', GIT_CONFIG_GLOBAL: '/dev/null', HOME: '/nowhere' },
  });
}

const hostile = (place: string) =>
  `git init -q ${place} && git -C ${place} config core.fsmonitor "$RUN"`;

const attacks: readonly (readonly [string, readonly string[]])[] = [
  ['an empty .git that is filled later', ['mkdir -p sub/.git', hostile('sub')]],
  [
    'a link to an empty folder that is filled later',
    [
      'mkdir -p sub/store; ln -s store sub/.git',
      'git init -q --bare sub/store; git -C sub/store config core.bare false; git -C sub/store config core.fsmonitor "$RUN"',
    ],
  ],
  [
    'a file that leads to what is made later',
    [
      'mkdir -p sub; echo "gitdir: ../later" > sub/.git',
      'git init -q --bare later; git -C later config core.bare false; git -C later config core.fsmonitor "$RUN"; git -C later config core.worktree "$PWD/sub"',
    ],
  ],
  [
    'a history whose HEAD comes last',
    [
      `${hostile('sub')}; mv sub/.git/HEAD sub/.git/later`,
      'mv sub/.git/later sub/.git/HEAD 2>/dev/null || mv sub/.git.sandbox/later sub/.git/HEAD; true',
    ],
  ],
  [
    'what was moved aside and is moved back',
    [hostile('sub'), 'mv sub/.git.sandbox sub/.git; mv sub/.git/HEAD.sandbox sub/.git/HEAD; true'],
  ],
  [
    'a history in a folder with a name of two lines',
    [`mkdir $'two\\nlines'; cd $'two\\nlines'; ${hostile('.')}`, 'true'],
  ],
  [
    'a history in a folder whose name is not text',
    [`mkdir $'\\xff\\xfe'; cd $'\\xff\\xfe'; ${hostile('.')}`, 'true'],
  ],
  [
    'a history deeper than a path may be long',
    [
      `n=$(printf 'd%.0s' {1..200}); for i in {1..22}; do mkdir $n; cd $n; done; ${hostile('.')}`,
      'true',
    ],
  ],
  [
    'a linked worktree with a name of two lines',
    [
      `git worktree add -q $'w\\ngitdir: evil' 2>/dev/null; git worktree list >/dev/null`,
      hostile('evil'),
    ],
  ],
  [
    'an exchange of the folder around while the next begins',
    [
      `mkdir -p a/b; ${hostile('a/b')}; mv a/b/.git a/b/x 2>/dev/null; true`,
      'mv a c; mkdir -p a/b; [ -e c/b/x ] && mv c/b/x a/b/.git; [ -e c/b/.git.sandbox ] && mv c/b/.git.sandbox a/b/.git; true',
    ],
  ],
  [
    'ignored, and with attributes that name a filter',
    [
      `echo 'sub' > .gitignore; echo '* filter=x diff=x' > .gitattributes; ${hostile('sub')}`,
      'git config filter.x.clean "$RUN"; git config diff.x.command "$RUN"; echo change >> a',
    ],
  ],
];

describe.skipIf(whyNot !== null)('several commands together', () => {
  test('would run something if nobody looked after them', () => {
    const { workspace, sign } = scene();
    execFileSync('bash', ['-c', hostile(`$'\\xff'/deep`)], {
      cwd: workspace,
      env: { ...process.env, RUN: `touch ${sign}` },
    });
    visit(workspace);
    expect(existsSync(sign)).toBe(true);
  });

  test.each(attacks)('have a person’s Git run nothing: %s', async (_, rounds) => {
    const { workspace, sign, does } = scene();
    for (const [index, text] of rounds.entries())
      await does(text, index === 0 ? {} : { session: 'two', agent: 'other' });
    visit(workspace);
    expect(existsSync(sign)).toBe(false);
    expect(person().git(workspace, 'log', '--format=%s', '-1')).toBe('first');
    // Deeper than Node goes.
    execFileSync('rm', ['-rf', workspace]);
  });

  test('that run at once have a person’s Git run nothing when both have ended', async () => {
    const { workspace, sign, start, does } = scene();
    const beside = start(
      'echo up; until [ -e go ]; do sleep 0.05; done; mv sub/.git.sandbox sub/.git',
      {
        session: 'two',
      },
    );
    await beside.says('up');
    await does(hostile('sub'));
    writeFileSync(join(workspace, 'go'), '');
    await beside.ended;
    await does('true');
    visit(workspace);
    expect(existsSync(sign)).toBe(false);
  });
});

describe.skipIf(!rungs.includes('session'))('a mask over a secret', () => {
  test('holds for what begins while another command exchanges the folders around it', async () => {
    const { workspace, start, does } = scene();
    mkdirSync(join(workspace, 'conf/deep'), { recursive: true });
    writeFileSync(join(workspace, 'conf/deep/.env'), 'TOKEN=very-secret\n');
    const beside = start(
      `echo up; for i in $(seq 400); do mv conf conf2 2>/dev/null && mv conf2 conf; ln -sfn /proc/self/cwd/other conf/link 2>/dev/null;
       mv conf/deep conf/d2 2>/dev/null && mv conf/d2 conf/deep; cp conf/deep/.env stolen-$i 2>/dev/null; ln conf/deep/.env hard 2>/dev/null; [ -e enough ] && break; done; cat stolen-* hard 2>/dev/null`,
      { session: 'two' },
    );
    await beside.says('up');
    let seen = '';
    for (let round = 0; round < 12; round += 1)
      seen += (
        await does(
          'cat conf/deep/.env conf2/deep/.env conf/d2/.env stolen-* hard 2>/dev/null; true',
        )
      ).stdout;
    writeFileSync(join(workspace, 'enough'), '');
    await beside.ended;
    expect(seen + beside.output().stdout).not.toContain('very-secret');
    expect(readFileSync(join(workspace, 'conf/deep/.env'), 'utf8')).toContain('very-secret');
  });
});

describe.skipIf(!rungs.includes('session'))('what the kernel counts for the user', () => {
  const take = `python3 -c '
import ctypes, time
libc, count = ctypes.CDLL(None), 0
while libc.inotify_init() >= 0: count += 1
print(count, flush=True)
time.sleep(60)'`;

  test.each([{ session: 'one' }, {}])('is not used up by a command: watches, %o', async (about) => {
    const { start } = scene();
    const taking = start(take, about);
    await taking.says('\n');
    const most = Number(readFileSync('/proc/sys/fs/inotify/max_user_instances', 'utf8'));
    const taken = Number(taking.output().stdout);
    expect(taken).toBeGreaterThan(5);
    expect(taken).toBeLessThanOrEqual(most / 4);
    taking.stop();
    await taking.ended;
  });
});
