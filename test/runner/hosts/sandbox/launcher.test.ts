import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  encodeFrame,
  encodeKeeperPlan,
  encodePlan,
} from '../../../../runner/hosts/sandbox/message.ts';
import type { KeeperPlan, LaunchPlan } from '../../../../runner/hosts/sandbox/message.ts';
import { readReport, wordsOfHold } from '../../../../runner/hosts/sandbox/report.ts';
import { packageRoot } from '../../../../runner/version.ts';
import { temporaryFolder } from '../support.ts';
import { compile, launcher, whyNot } from './support.ts';

const sources = join(packageRoot(), 'runner/hosts/sandbox/launcher');
const fixtures = join(import.meta.dirname, '../../../fixtures/sandbox');
const isLong = process.env['INTERLOCK_LONG'] === '1';

const plan: LaunchPlan = {
  mode: 'box',
  uid: process.geteuid?.() ?? 0,
  gid: process.getegid?.() ?? 0,
  parent: 0,
  noNetwork: true,
  tells: false,
  limits: { processes: 10, memory: 1e9, fileSize: 0, cpuSeconds: 5, openFiles: 100 },
  cwd: '/',
  file: '/bin/true',
  argv: ['true', 'ä', ''],
  env: { A: 'b=c', B: '' },
  entries: [
    { kind: 'directory', target: '/a' },
    { kind: 'link', target: '/b', to: 'a' },
    { kind: 'file', target: '/c', content: 'text\n' },
    { kind: 'tmpfs', target: '/d', options: 'size=1m' },
    { kind: 'bind', target: '/usr', source: '/usr', identity: { device: 1, inode: 2 } },
    { kind: 'overlay', target: '/e', lower: '/usr', upper: '/tmp/u', work: '/tmp/w' },
    { kind: 'overlay', target: '/g', lower: '/usr', upper: '/u', work: '/u', readOnly: true },
    { kind: 'bind', target: '/h', source: '/usr', ours: true, writable: true, ifPresent: true },
  ],
  groups: ['/sys/fs/cgroup/x/cgroup.procs'],
};

const keeping: KeeperPlan = {
  mode: 'keep',
  uid: plan.uid,
  gid: plan.gid,
  parent: 0,
  noNetwork: true,
  entries: [{ kind: 'tmpfs', target: '/tmp', options: 'size=1m' }],
  groups: [],
};

/** Behind the first letters, who it is, and the limits. */
const commandAt = 8 + 5 + 14 + 5 + 40;

/** What the launcher says to a message. */
function told(message: Uint8Array): string {
  const folder = temporaryFolder();
  const [asked, answered] = [join(folder, 'plan'), join(folder, 'report')];
  writeFileSync(asked, message);
  const files = [openSync(asked, 'r'), openSync(answered, 'w')] as const;
  spawnSync(launcher, [], {
    stdio: ['ignore', 'ignore', 'ignore', ...files],
    env: {},
    timeout: 20_000,
  });
  files.forEach((file) => closeSync(file));
  return readFileSync(answered, 'utf8');
}

describe.skipIf(whyNot !== null)('the launcher', () => {
  test('compiles without a warning, the analyser included', () => {
    const files = readdirSync(sources).filter((name) => name.endsWith('.c'));
    const flags = ['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror', '-Wshadow', '-Wconversion'];
    const target = join(temporaryFolder(), 'launcher');
    const analyser = spawnSync('cc', ['--version'], { encoding: 'utf8' }).stdout.includes(
      'Free Software',
    )
      ? ['-fanalyzer']
      : [];
    compile(
      target,
      files.map((name) => join(sources, name)),
      [...flags, ...analyser],
    );
  });

  test('takes no step outside a broken message', () => {
    const target = compile(
      join(temporaryFolder(), 'fuzz'),
      [join(fixtures, 'plan-fuzz.c'), join(sources, 'plan.c')],
      [
        '-std=c11',
        '-g',
        '-O1',
        `-I${sources}`,
        '-fsanitize=address,undefined',
        '-fno-sanitize-recover',
      ],
    );
    const rounds = isLong ? 5_000_000 : 50_000;
    const joining = {
      ...plan,
      mode: 'join',
      entries: [{ kind: 'tmpfs', target: '/tmp', options: 'size=1m', shared: true }],
    } as const;
    const messages = [plan, holding, { ...plan, mode: 'inside' } as const, joining].map(encodePlan);
    for (const message of [...messages, encodeKeeperPlan(keeping)]) {
      const fuzz = spawnSync(target, ['20261122', String(rounds)], { input: message });
      expect(String(fuzz.stderr)).toBe('');
      expect(fuzz.status).toBe(0);
      // Some spoilt messages are still plans: noise in a text is a text.
      expect(Number(fuzz.stdout)).toBeGreaterThan(0);
    }
  });

  test('takes no packet for what it is not', () => {
    const target = compile(
      join(temporaryFolder(), 'frames'),
      [join(fixtures, 'frame-fuzz.c'), join(sources, 'frame.c')],
      ['-std=c11', '-g', `-I${sources}`, '-fsanitize=address,undefined', '-fno-sanitize-recover'],
    );
    const frames = [
      encodeFrame({ kind: 'run', command: 7, tells: true }),
      encodeFrame({ kind: 'run', command: 0xffff_ffff, tells: false }),
      encodeFrame({ kind: 'signal', command: 7, signal: 15 }),
    ];
    const said = spawnSync(target, [], { input: Buffer.concat(frames), encoding: 'utf8' });
    expect(said.stderr).toBe('');
    // Of each: how many descriptors it needs, and whether any spoilt byte but those of numbers passed.
    expect(said.stdout).toBe('6 0\n5 0\n0 0\n');
  });

  test.each([
    [
      'a keeper with something to run',
      Buffer.concat([
        encodeKeeperPlan(keeping),
        encodePlan({ ...plan, entries: [], groups: [] }).subarray(commandAt),
      ]),
      'something to run',
    ],
    [
      'a keeper that would mount more than what is common',
      encodeKeeperPlan({
        ...keeping,
        entries: [{ kind: 'bind', target: '/a', source: '/' } as never],
      }),
      'entry of another mode',
    ],
    [
      'something common in a box of its own',
      encodePlan({
        ...plan,
        entries: [{ kind: 'tmpfs', target: '/t', options: '', shared: true }],
      }),
      'entry of another mode',
    ],
    ['a box to join where there is none', encodePlan({ ...plan, mode: 'join' }), 'no box'],
    ['nothing', Buffer.alloc(0), 'not a plan'],
    ['another format', Buffer.from('ILKBOX02'), 'not a plan'],
    ['no mode', Buffer.from('ILKBOX01'), 'no mode'],
    ['a field cut short', encodePlan(plan).subarray(0, 60), 'short field'],
    [
      'an unknown field',
      Buffer.concat([encodePlan(plan), Buffer.from('Z\0\0\0\0')]),
      'unknown field',
    ],
    ['a doubled field', encodePlan({ ...plan, env: {} }).length > 0 && twice(), 'doubled field'],
    ['a relative program', encodePlan({ ...plan, file: 'true' }), 'bad path'],
    ['a way up', encodePlan({ ...plan, cwd: '/a/../b' }), 'bad path'],
    ['an empty part', encodePlan({ ...plan, cwd: '/a//b' }), 'bad path'],
    [
      'rights in a box',
      encodePlan({ ...plan, entries: [{ kind: 'rights', target: '/' }] }),
      'entry of another mode',
    ],
    ['nobody', encodePlan({ ...plan, uid: 0xffff_ffff }), 'bad user'],
  ])('refuses a message with %s', (_, message, why) => {
    expect(told(message as Buffer)).toBe(`refused ${why}\n`);
  });

  test('says which step the kernel refused', () => {
    const gone = { kind: 'bind', target: '/usr', source: '/nowhere/at/all' } as const;
    expect(told(encodePlan({ ...plan, entries: [gone], groups: [] }))).toMatch(
      /^failed source 2$/m,
    );
  });

  test('a word with a zero character never becomes a message', () => {
    expect(() => encodePlan({ ...plan, argv: ['a\0b'] })).toThrow(TypeError);
  });
});

const holding: LaunchPlan = {
  ...plan,
  mode: 'hold',
  entries: [
    { kind: 'rights', target: '/', read: true },
    { kind: 'rights', target: '/usr', execute: true, ifPresent: true },
    { kind: 'rights', target: '/tmp', write: true },
  ],
  groups: [],
};

function twice(): Buffer {
  const whole = encodePlan(plan);
  return Buffer.concat([whole, whole.subarray('ILKBOX01'.length)]);
}

describe('the report of a launch', () => {
  const said = (...lines: readonly string[]) => {
    const stream = new PassThrough();
    const report = readReport(stream);
    for (const line of lines) stream.write(line);
    stream.end();
    return report;
  };

  test('tells what was held, what was missing, and the end', async () => {
    const report = said(
      'pid 7\nheld filter\nmissing key',
      'ring 1\nlandlock 3\nstarted\nexited 4\n',
    );
    const begun = await report.begun;
    expect(begun).toEqual({
      ok: true,
      held: { held: ['filter'], missing: ['keyring (EPERM)'], landlock: 3 },
    });
    expect(await report.ended).toEqual({ exitCode: 4, signal: null });
    expect(begun.ok && begun.held !== null && wordsOfHold(begun.held)).toBe(
      'Landlock 3, filter; without keyring (EPERM)',
    );
  });

  test.each([
    [['failed namespaces 28\n'], { ok: false, step: 'namespaces', error: 'ENOSPC' }],
    [['refused not a plan\n'], { ok: false, step: 'plan', error: 'not a plan' }],
    [['held filter\n'], { ok: false, step: 'launch', error: 'it ended without a word' }],
    [['surprise\n'], { ok: false, step: 'report', error: 'an unknown line' }],
    [['started'], { ok: false, step: 'launch', error: 'it ended without a word' }],
  ])('%j is not a start', async (lines, begun) => {
    expect(await said(...lines).begun).toEqual(begun);
  });

  test('a signal is told by its name', async () => {
    expect(await said('started\nkilled 9\n').ended).toEqual({ exitCode: null, signal: 'SIGKILL' });
  });
});
