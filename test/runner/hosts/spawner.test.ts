import { spawn, spawnSync } from 'node:child_process';
import { closeSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../shared/base/index.ts';
import { launcherPath } from '../../../runner/hosts/sandbox/launch.ts';
import { openKeeper } from '../../../runner/hosts/sandbox/keeper.ts';
import type { Keeper } from '../../../runner/hosts/sandbox/keeper.ts';
import {
  encodeFrame,
  encodeKeeperPlan,
  encodePlan,
} from '../../../runner/hosts/sandbox/message.ts';
import type { LaunchPlan } from '../../../runner/hosts/sandbox/message.ts';
import { readReport } from '../../../runner/hosts/sandbox/report.ts';
import { asWeAre, barePlan, createSpawner } from '../../../runner/hosts/spawner.ts';
import { packageRoot } from '../../../runner/version.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import { openPacketPair, openPipe, sendPacket } from '../../../shared/home/index.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { gateway, hasSpawner, isAlive, run, shell, temporaryFolder } from './support.ts';

const launcher = launcherPath(packageRoot());

/** A spawner of the test's own, and its processes, the first one first. */
function starting(clock: Clock = systemClock) {
  const keepers: Keeper[] = [];
  const open: typeof openKeeper = (...how) => {
    const keeper = openKeeper(...how);
    if (keeper !== null) keepers.push(keeper);
    return keeper;
  };
  const spawner = createSpawner({ clock, launcher, open });
  onTestFinished(() => spawner.dispose());
  const pid = (): number => keepers.at(-1)?.pid ?? -1;
  return { spawner, host: gateway(clock, spawner), pid, opened: () => keepers.length };
}

async function started(clock?: Clock) {
  const all = starting(clock);
  expect(await all.spawner.ready()).toBe(true);
  return all;
}

/** What a process is given, as a shell sees it; what is its own alone is left out. */
const given = `env | grep -v '^_=' | sort; pwd; umask; ulimit -a; ulimit -Ha
  readlink /proc/self/fd/0; (exec 9>/dev/tty) 2>/dev/null && echo terminal
  cut -d' ' -f19 /proc/$$/stat; cat /proc/$$/cgroup /proc/$$/oom_score_adj /proc/$$/loginuid
  set -- $(sed 's/.*) //' /proc/$$/stat); [ "$3" = $$ ] && [ "$4" = $$ ] && echo leads`;
/** And as a program does that changes nothing of it. */
const status = { kind: 'argv', file: '/bin/cat', argv: ['cat', '/proc/self/status'] } as const;
const kept =
  /^(?:Sig(?:Blk|Ign|Cgt)|Cap...|NoNewPrivs|Seccomp|[UG]id|Groups|Cpus_allowed|Umask):.*$/gmu;

describe.runIf(hasSpawner)('what starts commands', () => {
  test('gives a command all that a fork of the runner gives it, and nothing else', async () => {
    const cwd = temporaryFolder();
    const { host } = await started();
    const outputs = [];
    for (const each of [gateway(), host]) {
      const command = run(each, { ...shell(given, cwd), env: { A: 'b c', LANG: 'C' } });
      expect(await command.ended).toMatchObject({ exitCode: 0 });
      const bare = run(each, { ...shell(''), execution: status });
      expect(await bare.ended).toMatchObject({ exitCode: 0 });
      outputs.push([command.output(), bare.output().stdout.match(kept)]);
    }
    const [byFork, bySpawner] = outputs;
    expect(JSON.stringify(byFork)).toMatch(/leads.*SigBlk/u);
    expect(bySpawner).toEqual(byFork);
  });

  test('gives a command no descriptor but its streams', async () => {
    const { host } = await started();
    const list = { kind: 'argv', file: '/bin/ls', argv: ['ls', '/proc/self/fd'] } as const;
    const command = run(host, { ...shell(''), execution: list }, { stdin: Buffer.from('x') });
    await command.ended;
    // The last one is its own, for looking.
    expect(command.output().stdout).toBe('0\n1\n2\n3\n');
  });

  test('runs a script that names no interpreter, as a fork does', async () => {
    const file = join(temporaryFolder(), 'plain');
    writeFileSync(file, 'echo "$0 $1"', { mode: 0o755 });
    const { host } = await started();
    const argv = { kind: 'argv', file, argv: ['plain', 'word'] } as const;
    for (const each of [gateway(), host]) {
      const command = run(each, { ...shell(''), execution: argv });
      expect(await command.ended).toMatchObject({ exitCode: 0 });
      expect(command.output().stdout).toBe(`${file} word\n`);
    }
  });

  test.each([1, 4_000, 100_000])('hands over words of %d letters whole', async (length) => {
    const { host } = await started();
    const argv = ['printf', '%s', 'x'.repeat(length)];
    const execution = { kind: 'argv', file: '/usr/bin/printf', argv } as const;
    const command = run(host, { ...shell(''), execution });
    expect(await command.ended).toMatchObject({ exitCode: 0 });
    expect(command.output().stdout).toBe('x'.repeat(length));
  });

  test('keeps nothing of commands that have ended', async () => {
    const { host, pid } = await started();
    const open = (): number => readdirSync(`/proc/${String(pid())}/fd`).length;
    const before = open();
    for (let count = 0; count < 20; count += 1) await run(host, shell('exit 3')).ended;
    await expect.poll(open).toBe(before);
    const children = `/proc/${String(pid())}/task/${String(pid())}/children`;
    await expect.poll(() => readFileSync(children, 'utf8')).toBe('');
  });

  test('takes many at once, and starts each of them once', async () => {
    const folder = temporaryFolder();
    const { host } = await started();
    const commands = Array.from({ length: 150 }, (_, n) =>
      run(host, { ...shell(`echo ${n} >> ${folder}/ran; exit ${n}`), id: `run-${n}` }),
    );
    const codes = await Promise.all(commands.map(async ({ ended }) => (await ended).exitCode));
    expect(codes).toEqual(codes.map((_, n) => n));
    expect(readFileSync(join(folder, 'ran'), 'utf8').trim().split('\n')).toHaveLength(150);
  });

  test('leaves to a fork what is more than it takes, too long, or no plain path', async () => {
    const { spawner, pid } = await started();
    const stdio = { takesInput: false, outputs: [1, 2], tells: false } as const;
    process.kill(pid(), 'SIGSTOP');
    const plan = barePlan({
      file: '/bin/true',
      argv0: 'x',
      args: [],
      cwd: '/',
      env: {},
      tells: false,
    });
    const taken = Array.from({ length: 520 }, () => spawner.run(plan ?? Buffer.alloc(0), stdio));
    expect(taken.at(-1)).toBeNull();
    process.kill(pid(), 'SIGKILL');
    await Promise.all(taken.map(async (one) => one?.report.closed));
    const like = { file: '/bin/true', argv0: 'x', args: [], cwd: '/', env: {}, tells: false };
    expect(barePlan({ ...like, file: '/bin/../bin/true' })).toBeNull();
    expect(barePlan({ ...like, file: 'true' })).toBeNull();
    expect(barePlan({ ...like, cwd: '/tmp/' })).toBeNull();
    expect(barePlan({ ...like, args: ['a\0b'] })).toBeNull();
    expect(barePlan({ ...like, args: ['a'.repeat(1 << 20)] })).toBeNull();
  });

  test('ends with its last command once nothing more is to come', async () => {
    const { host, spawner, pid } = await started();
    const command = run(host, shell('read line; exit 4'), { stdin: Buffer.from('') });
    await command.started;
    spawner.dispose();
    expect(await command.ended).toMatchObject({ exitCode: 4 });
    await expect.poll(() => isAlive(pid())).toBe(false);
    expect(await spawner.ready()).toBe(false);
    // And what comes after that is started as ever.
    expect(await run(host, shell('exit 5')).ended).toMatchObject({ exitCode: 5 });
  });
});

describe.runIf(hasSpawner)('where what starts commands ends', () => {
  test('its commands end, all of their processes, and that is said', async () => {
    const { host, pid, spawner, opened } = await started();
    const command = run(host, shell('sleep 300 & echo "child $!"; wait'));
    await command.says('child ');
    const child = Number(/child (\d+)/.exec(command.output().stdout)?.[1]);
    process.kill(pid(), 'SIGKILL');
    expect(await command.ended).toMatchObject({
      exitCode: null,
      signal: 'SIGKILL',
      notes: [expect.stringContaining('nobody could be told of its end')],
    });
    await expect.poll(() => isAlive(child) || isAlive(pid())).toBe(false);
    expect(await spawner.ready()).toBe(true);
    expect(opened()).toBe(2);
    expect(await run(host, shell('exit 7')).ended).toMatchObject({ exitCode: 7 });
  });

  test('what it was told and has not begun never runs', async () => {
    const file = join(temporaryFolder(), 'ran');
    const { host, pid } = await started();
    process.kill(pid(), 'SIGSTOP');
    const command = run(host, shell(`echo ran > ${file}`));
    await turn();
    process.kill(pid(), 'SIGKILL');
    await expect(command.ended).rejects.toMatchObject({ refusal: { code: 'host-unavailable' } });
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });

  test('whenever that is, no command runs twice, and none that is said not to have run', async () => {
    const folder = temporaryFolder();
    const { host, spawner, pid } = await started();
    for (let round = 0; round < 40; round += 1) {
      await spawner.ready();
      const file = join(folder, String(round));
      const ended = run(host, { ...shell(`echo ran >> ${file}`), id: `run-${round}` }).ended;
      const killed = pid();
      const until = performance.now() + round / 10;
      while (performance.now() < until) await turn();
      if (isAlive(killed)) process.kill(killed, 'SIGKILL');
      const refused = await ended.then(
        () => false,
        () => true,
      );
      const ran = spawnSync('cat', [file], { encoding: 'utf8' }).stdout;
      expect(refused ? ran : ran.replace('ran\n', '')).toBe('');
    }
  });
});

describe.runIf(hasSpawner)('where what starts commands is stopped', () => {
  test('a command that does not begin is given up, and never runs', async () => {
    const clock = fakeClock();
    const file = join(temporaryFolder(), 'ran');
    const { host, pid } = await started(clock);
    process.kill(pid(), 'SIGSTOP');
    const command = run(host, shell(`echo ran > ${file}`));
    await turn();
    expect(isAlive(pid())).toBe(true);
    clock.advance(20_000);
    await expect(command.ended).rejects.toMatchObject({ refusal: { code: 'host-unavailable' } });
    expect(isAlive(pid())).toBe(false);
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });

  test('commands can be stopped all the same, and that is told', async () => {
    const clock = fakeClock();
    const { host, pid } = await started(clock);
    const command = run(host, shell('echo here; exec sleep 300'), { killAfterMs: 1_000 });
    await command.says('here');
    const leader = await command.started;
    process.kill(pid(), 'SIGSTOP');
    command.stop();
    await expect.poll(() => isAlive(leader)).toBe(false);
    clock.advance(1_000);
    clock.advance(2_000);
    expect(await command.ended).toMatchObject({ ending: 'stopped', signal: 'SIGKILL' });
  });
});

const bare: LaunchPlan = {
  ...asWeAre(),
  mode: 'bare',
  noNetwork: false,
  tells: false,
  cwd: '/',
  file: '/bin/echo',
  argv: ['echo', 'ran'],
  env: {},
  entries: [],
};

describe.runIf(hasSpawner)('what starts commands refuses', () => {
  test.each([
    ['a box', { mode: 'box' }, 'another mode'],
    ['one of a box', { mode: 'join' }, 'another mode'],
    ['a process that starts others', { mode: 'start' as never }, 'something to run'],
    ['another user', { uid: 12_345 }, 'another user'],
    ['another group', { gid: 12_345 }, 'another user'],
    ['control groups', { groups: ['/sys/fs/cgroup/cgroup.procs'] }, 'groups of its own'],
    [
      'rights where nothing is held',
      { entries: [{ kind: 'rights', target: '/' }] },
      'entry of another mode',
    ],
    ['what tells where nobody listens', { tells: true }, 'another mode'],
  ] as const)('a plan for %s', async (_, changed, why) => {
    const { spawner } = await started();
    const plan = encodePlan({ ...bare, ...(changed as Partial<LaunchPlan>) });
    const command = spawner.run(plan, { takesInput: false, outputs: [2, 2], tells: false });
    expect(await command?.report.begun).toEqual({ ok: false, step: 'plan', error: why });
    expect(await command?.report.pid).toBeNull();
  });

  const frame = encodeFrame({ kind: 'run', command: 1, tells: false });
  test.each([
    ['a packet that is too short', frame.subarray(0, 11), 5],
    ['a packet that is too long', Buffer.concat([frame, Buffer.from('x')]), 5],
    ['another kind of packet', Buffer.concat([Buffer.from('X'), frame.subarray(1)]), 5],
    ['flags that it does not know', Buffer.from('R\x02\0\0\x01\0\0\0\0\0\0\0', 'latin1'), 5],
    ['too few descriptors', frame, 4],
    ['too many', frame, 6],
    ['far too many', frame, 12],
    ['none', frame, 0],
    ['a signal with descriptors', encodeFrame({ kind: 'signal', command: 1, signal: 15 }), 5],
  ])('%s, and ends', async (_, packet, descriptors) => {
    const pair = openPacketPair();
    if (pair === null) throw new Error('no packets');
    const child = spawn(launcher, [], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe', pair.theirs],
    });
    closeSync(pair.theirs);
    const wires = child.stdio as unknown as readonly [
      null,
      null,
      null,
      NodeJS.WritableStream,
      never,
    ];
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const { uid, gid } = asWeAre();
    const parent = process.pid;
    wires[3].end(
      encodeKeeperPlan({
        mode: 'start',
        uid,
        gid,
        parent,
        noNetwork: false,
        groups: [],
        entries: [],
      }),
    );
    expect(await readReport(wires[4]).begun).toMatchObject({ ok: true });
    const pipes = Array.from({ length: descriptors }, () => openPipe()).flatMap((one) => one ?? []);
    sendPacket(
      pair.ours,
      packet,
      pipes.map(({ read }) => read),
    );
    for (const { read, write } of pipes) for (const fd of [read, write]) closeSync(fd);
    expect(await ended).toBe(0);
    closeSync(pair.ours);
  });
});

test('a bare command is for a spawner alone: the launcher itself runs none', () => {
  const { stdout } = spawnSync('/bin/sh', ['-c', `"$0" 3<&0 4>&1`, launcher], {
    input: encodePlan(bare),
    encoding: 'utf8',
  });
  if (hasSpawner) expect(stdout).toBe('refused no spawner\n');
});

test('where there is no launcher, commands are started by a fork', async () => {
  const spawner = createSpawner({ clock: systemClock, launcher: '/nowhere/launcher' });
  expect(await spawner.ready()).toBe(false);
  expect(await run(gateway(systemClock, spawner), shell('exit 3')).ended).toMatchObject({
    exitCode: 3,
  });
});
