import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../support.ts';
import { bubblewrapLaunch, findBubblewrap } from '../../../../runner/hosts/sandbox/bubblewrap.ts';
import { rootFiles } from '../../../../runner/hosts/sandbox/root-files.ts';
import { encodePlan } from '../../../../runner/hosts/sandbox/message.ts';
import type { LaunchPlan } from '../../../../runner/hosts/sandbox/message.ts';
import { packageRoot } from '../../../../runner/version.ts';
import {
  box as boxOf,
  command,
  compile,
  hasGroups,
  inside,
  launcher,
  processesWith,
  rungs,
  whyNot,
} from './support.ts';
import type { BoxOptions, Kind } from './support.ts';

/** A program that starts a command in a sandbox as its runner, and then waits. */
function runnerThatWaits(workspace: string, word: string, rung: Kind): string {
  const plan: LaunchPlan = {
    mode: 'box',
    uid: process.geteuid?.() ?? -1,
    gid: process.getegid?.() ?? -1,
    parent: 0,
    noNetwork: true,
    tells: false,
    limits: { processes: 0, memory: 0, fileSize: 0, cpuSeconds: 0, openFiles: 0 },
    cwd: workspace,
    file: '/bin/sh',
    argv: ['sh', '-c', `setsid sleep ${word} & echo up; sleep ${word}`],
    env: { PATH: '/usr/bin:/bin' },
    entries: [
      ...['/usr', '/bin', '/lib', '/lib64'].flatMap((target) =>
        existsSync(target) ? [{ kind: 'bind', target, source: realpathSync(target) } as const] : [],
      ),
      { kind: 'bind', target: workspace, source: workspace, writable: true },
    ],
    groups: [],
  };
  const facts = (path: string) => rootFiles().facts(path);
  const program = findBubblewrap() ?? '';
  const start =
    rung !== 'bubblewrap'
      ? { file: launcher, args: [], plan: encodePlan(plan), more: [] }
      : bubblewrapLaunch(plan, { program, launcher, facts });
  const messages = [start.plan, ...start.more].map((each) => Buffer.from(each).toString('base64'));
  const placeOfParent = 'ILKBOX01'.length + 5 + 2 + 8;
  return `import { spawn } from 'node:child_process';
    const messages = ${JSON.stringify(messages)}.map((each) => Buffer.from(each, 'base64'));
    const args = ${JSON.stringify(start.args)};
    if (args.length > 0) args[3] = String(process.pid);
    else messages[0].writeUInt32LE(process.pid, ${placeOfParent});
    const more = messages.slice(1).map(() => 'pipe');
    const stdio = ['ignore', 'inherit', 'inherit', 'pipe', 2, 'ignore', ...more];
    const child = spawn('${start.file}', args, { stdio, detached: true });
    child.once('exit', (code) => process.exit(code ?? 1));
    messages.forEach((bytes, index) => child.stdio[index === 0 ? 3 : 5 + index].end(bytes));
    setInterval(() => {}, 1000);`;
}

/** Control groups of commands that are there. */
function groupsLeft(): readonly string[] {
  return readFileSync('/proc/self/cgroup', 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [, name = '', path = ''] = line.split(':');
      const folder = join('/sys/fs/cgroup', name, path);
      return existsSync(folder) ? readdirSync(folder) : [];
    })
    .filter((name) => name.startsWith(`interlock-run-1-${process.pid}-`));
}

/** Children of this process that have ended, and for which nobody has waited. */
function endedChildren(): readonly string[] {
  const words = ['--ppid', String(process.pid), '-o', 'stat=,args='];
  const { stdout } = spawnSync('ps', words, { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.startsWith('Z'));
}

/** Of each kind of sandbox; in the long form as many as a busy day has, or as many as are wanted. */
const wanted = Number(process.env['INTERLOCK_LAUNCHES'] ?? 'NaN');
const usual = process.env['INTERLOCK_LONG'] === '1' ? 1_000 : 50;
const launches = Number.isInteger(wanted) && wanted > 0 ? wanted : usual;

const mountsNow = (): readonly string[] => readFileSync('/proc/self/mounts', 'utf8').split('\n');

describe.skipIf(whyNot !== null).each(rungs)('a command in a sandbox by %s', (rung) => {
  const box = (settings: Parameters<typeof boxOf>[0] = {}, options: BoxOptions = {}) =>
    boxOf(settings, { rung, ...options });

  test.each([
    ['exit 7', { exitCode: 7, signal: null }],
    ['kill -9 $$', { exitCode: null, signal: 'SIGKILL' }],
    ['kill -TERM $$', { exitCode: null, signal: 'SIGTERM' }],
    ['sh -c "kill -SEGV \\$\\$"; exit 3', { exitCode: 3, signal: null }],
  ])('%s ends as it does outside', async (text, end) => {
    const { workspace, host } = box();
    expect(await inside(host, text, workspace)).toMatchObject({ ending: 'exited', ...end });
  });

  test('is not signalled by its first process when it claims to be outside', async () => {
    const { workspace, host } = box();
    const fixture = join(packageRoot(), 'test/fixtures/sandbox/forged-signal.c');
    compile(join(workspace, 'forge'), [fixture], ['-static', '-w']);
    const { stdout, exitCode } = await inside(host, './forge; echo on', workspace);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^sent [1-9]\d*\non\n$/u)]);
  });

  test('gets its input, and its two streams stay apart', async () => {
    const { workspace, host } = box();
    const running = run(host, command('cat; echo err >&2', workspace), {
      stdin: Buffer.from('in'),
    });
    await running.ended;
    expect(running.output()).toEqual({ stdout: 'in', stderr: 'err\n' });
  });

  test('says what held it', async () => {
    const { workspace, host } = box();
    const { hold } = await inside(host, 'true', workspace);
    expect(hold?.held).toEqual(
      expect.arrayContaining([
        'no-network',
        'no-capabilities',
        'filter',
        rung !== 'bubblewrap' ? 'no-further-namespaces' : 'bubblewrap',
      ]),
    );
  });

  test('a program that is not there, or is none, is told as a shell does', async () => {
    const { workspace, host } = box();
    writeFileSync(join(workspace, 'plain'), 'no program', { mode: 0o644 });
    for (const [file, exitCode] of [
      ['/nowhere/at-all', 127],
      [join(workspace, 'plain'), 126],
    ] as const) {
      const task = {
        ...command('', workspace),
        execution: { kind: 'argv', file, argv: [file] },
      } as const;
      expect((await run(host, task).ended).exitCode).toBe(exitCode);
    }
  });

  test('hears the signals of a stop, and is ended where it does not obey', async () => {
    const { workspace, host } = box();
    const polite = run(
      host,
      command(
        'trap "echo heard; exit 9" TERM; echo ready; while :; do sleep 0.05; done',
        workspace,
      ),
    );
    await polite.says('ready');
    polite.stop();
    expect(await polite.ended).toMatchObject({ ending: 'stopped', exitCode: 9 });
    expect(polite.output().stdout).toContain('heard');
    const deaf = run(
      host,
      command('trap "" TERM; echo ready; while :; do sleep 0.05; done', workspace),
      {
        killAfterMs: 50,
      },
    );
    await deaf.says('ready');
    deaf.stop();
    expect(await deaf.ended).toMatchObject({ ending: 'stopped' });
    await expect.poll(() => host.groups()).toEqual([]);
  });

  test('what left for a session of its own goes with a stop, and so does all with the launcher', async () => {
    const { workspace, host } = box();
    const word = `93${process.pid}1`;
    const running = run(
      host,
      command(
        `setsid sleep ${word} & setsid sh -c 'trap "" TERM HUP; sleep ${word}' & echo ready; wait`,
        workspace,
      ),
      { killAfterMs: 50 },
    );
    await running.says('ready');
    await expect.poll(() => processesWith(word).length).toBeGreaterThan(1);
    const pid = await running.started;
    // A command in the box of a session has no launcher of its own: a stop takes all along.
    if (rung === 'session') running.stop();
    else process.kill(pid, 'SIGKILL');
    await running.ended;
    await expect.poll(() => processesWith(word)).toEqual([]);
  });

  test('ends with its runner, whatever ended that', async () => {
    const { workspace, folder } = box();
    const word = `94${process.pid}2`;
    const program = join(folder, 'runner.mjs');
    writeFileSync(program, runnerThatWaits(workspace, word, rung));
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
    await new Promise((resolve, reject) => {
      child.stdout.once('data', resolve);
      child.once('close', () => reject(new Error(`nothing was started: ${said}`)));
    });
    expect(processesWith(word).length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await expect.poll(() => processesWith(word)).toEqual([]);
  });

  test('goes on in the background after its shell has ended, and can still be stopped', async () => {
    const { workspace, host } = box();
    const word = `95${process.pid}3`;
    const { exitCode } = await inside(host, `sleep ${word} & exit 4`, workspace);
    expect(exitCode).toBe(4);
    expect(processesWith(word).length).toBeGreaterThan(0);
    expect(host.stopStrays()).toBe(1);
    await expect.poll(() => processesWith(word)).toEqual([]);
  });

  test('many of them leave no process, mount, group or file', async () => {
    const { workspace, folder, host } = box();
    await inside(host, 'true', workspace);
    const mounts = mountsNow();
    // Layers stay, and are taken again by the next commands.
    const files = (): string =>
      spawnSync('find', [folder, '-name', 'layers', '-prune', '-o', '-print'], { encoding: 'utf8' })
        .stdout;
    const before = files();
    for (let round = 0; round < launches / 10; round += 1)
      await Promise.all(Array.from({ length: 10 }, async () => inside(host, 'true', workspace)));
    await expect.poll(() => host.groups()).toEqual([]);
    // Others on this machine mount, too; what they have goes, and what we left would stay.
    await expect.poll(() => mountsNow().filter((one) => !mounts.includes(one))).toEqual([]);
    expect(readdirSync(workspace)).toEqual([]);
    expect(files()).toBe(before);
    expect(before).toContain(workspace);
    // A session's box has a group for as long as it is there.
    host.stopStrays();
    await expect.poll(groupsLeft).toEqual([]);
    // Nor what has ended and that nobody has waited for.
    await expect.poll(endedChildren).toEqual([]);
  }, 600_000);
});

describe.skipIf(whyNot !== null).each(rungs)('the limits of a sandbox by %s', (rung) => {
  const box = (settings: Parameters<typeof boxOf>[0] = {}, options: BoxOptions = {}) =>
    boxOf(settings, { rung, ...options });

  test('a fork bomb ends at the number of processes', async () => {
    const { workspace, host } = box({ processes: 30 });
    writeFileSync(
      join(workspace, 'bomb.mjs'),
      `import { spawn } from 'node:child_process';
       const failed = [];
       for (let i = 0; i < 60; i++) spawn('sleep', ['60']).on('error', (error) => failed.push(error.code));
       setImmediate(() => { console.log(failed.length > 20, failed[0]); process.exit(); });`,
    );
    const { stdout } = await inside(host, 'node bomb.mjs', workspace);
    expect(stdout).toBe('true EAGAIN\n');
  });

  test.skipIf(!hasGroups)(
    'what takes too much memory is ended, and this runner is not',
    async () => {
      const { workspace, host } = box({ memory: '100M' });
      const hungry = 'const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1));';
      const end = await inside(host, `node -e '${hungry}'; echo "code $?"`, workspace);
      expect(end.stdout === 'code 0\n').toBe(false);
      expect(end.ending).toBe('exited');
    },
  );

  test('what is written into /tmp ends at its size', async () => {
    const { workspace, host } = box({ temporary: '1M' });
    const { stderr } = await inside(host, 'head -c 3000000 /dev/zero > /tmp/big', workspace);
    expect(stderr).toContain('No space left');
  });

  test('a workspace can be read-only', async () => {
    const { workspace, host } = box({ readOnlyWorkspace: true });
    const { stderr } = await inside(host, 'touch new', workspace);
    expect(stderr).toContain('Read-only');
  });

  test('a network that would have to be filtered is refused, not opened', async () => {
    const { workspace, host } = box({ network: 'restricted' });
    await expect(inside(host, 'true', workspace)).rejects.toMatchObject({
      refusal: { code: 'host-unavailable' },
    });
  });

  test('without a launcher nothing runs, and it is said why', async () => {
    const { workspace, host } = boxOf({}, { launcherIn: (folder) => join(folder, 'not-built') });
    await expect(inside(host, 'touch ran', workspace)).rejects.toMatchObject({
      refusal: { code: 'host-unavailable', message: expect.stringContaining('launcher') as string },
    });
    expect(readdirSync(workspace)).toEqual([]);
  });
});
