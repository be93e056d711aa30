import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { boundedSlice } from '../../../support/bounded-slice.ts';
import { brokered, free, issuePlace } from './support.ts';
import { readStopState, writePauseState } from '../../../../shared/home/stop-state.ts';
import { openLock } from '../../../../shared/home/stop-journal.ts';
import { runnerClient } from '../../../../shared/ipc/runner-client.ts';
import { makeHome, root, startRunnerProcess } from '../../service/support.ts';
import { configure, share } from './support.ts';
import type { Shared } from './support.ts';

const client = join(root, 'dist/rpc/interlock.cjs');
/** Another Node than the one that runs the tests, such as the oldest. */
const node = process.env['INTERLOCK_CLIENT_NODE'] ?? process.execPath;
const script = join(root, 'assets/rpc/interlock.sh');

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts a program and gathers what it says. */
async function run(
  program: string,
  args: readonly string[],
  { env, cwd, input }: { env: Record<string, string>; cwd: string; input?: string },
): Promise<Said> {
  const child = spawn(program, [...args], { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  child.stdin.on('error', () => undefined).end(input ?? '');
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
}

/** A shared folder, a sandbox's home with its key, and the client in a folder without anything else. */
async function sandbox(
  wildcard: object = free,
  config: { readonly config?: object; readonly rpc?: object } = {},
): Promise<{
  readonly shared: Shared;
  readonly home: string;
  readonly inside: (...words: readonly string[]) => Promise<Said>;
  readonly options: { env: Record<string, string>; cwd: string };
}> {
  const paths = await makeHome(wildcard);
  const shared = await share(paths, config);
  const home = join(dirname(paths.home), 'box');
  mkdirSync(home);
  await issuePlace(shared, home);
  const alone = join(home, 'interlock.cjs');
  copyFileSync(client, alone);
  const options = {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, SANDBOX_RUNTIME: '1' },
    cwd: shared.folder,
  };
  return {
    shared,
    home,
    options,
    inside: async (...words) => run(node, [alone, ...words], options),
  };
}

test('the client is one file that asks, hands on what it is told, and ends as the command did', async () => {
  const { shared, inside, options, home } = await sandbox();
  await startRunnerProcess(shared.paths);
  expect(await inside('run', '-c', 'echo out; echo err >&2; exit 7')).toEqual({
    code: 7,
    out: 'out\n',
    err: 'err\n',
  });
  expect(await inside('run', '--', 'printf', '%s|', 'a b', '"', 'ü')).toMatchObject({
    out: 'a b|"|ü|',
  });
  expect(await inside('run', '-c', 'kill -9 $$')).toMatchObject({ code: 137 });
  expect(await inside('run', '--timeout', '1s', '--', 'sleep', '60')).toMatchObject({ code: 124 });
  const fed = await run(
    process.execPath,
    [join(home, 'interlock.cjs'), 'run', '--stdin', '--', 'cat'],
    {
      ...options,
      input: 'typed',
    },
  );
  expect(fed).toEqual({ code: 0, out: 'typed', err: '' });
  mkdirSync(join(shared.folder, 'deep'));
  const deep = { ...options, cwd: join(shared.folder, 'deep') };
  expect(await run(node, [client, 'run', '--', 'pwd'], deep)).toMatchObject({
    out: `${join(shared.folder, 'deep')}\n`,
  });
  const beside = {
    ...options,
    cwd: home,
    env: { ...options.env, INTERLOCK_SHARED: shared.folder },
  };
  expect(await run(node, [client, 'run', '--', 'pwd'], beside)).toMatchObject({
    code: 125,
  });
  // Nothing of its own is left but the answers, which this machine takes away.
  expect(readdirSync(join(shared.folder, '.interlock', 'requests'))).toEqual([]);
  expect((await inside('status')).err).toContain('is for the host');
  // Where all of it is installed in the sandbox, the program is this one by itself.
  const whole = join(root, 'dist/runner/cli/main.js');
  expect(await run(node, [whole, 'run', '--', 'echo', 'whole'], options)).toMatchObject({
    code: 0,
    out: 'whole\n',
  });
  expect(await inside('rpc', 'detect')).toMatchObject({
    code: 0,
    out: 'a sandbox: SANDBOX_RUNTIME is 1\n',
  });
});

test('a brokered tool works inside, with a credential that never comes there', async () => {
  const { shared, inside, home } = await sandbox();
  const value = await brokered(shared);
  await startRunnerProcess(shared.paths);
  expect(await inside('printenv', 'MY_TOKEN')).toEqual({ code: 0, out: '[redacted]\n', err: '' });
  const denied = await inside('printenv', 'PATH');
  expect(denied.code).toBe(126);
  expect(denied.err).toContain('policy-deny');
  // What only reads, and needs nothing of the host, runs where it is.
  expect((await inside('git', '--version')).out).toBe(
    spawnSync('git', ['--version']).stdout.toString(),
  );
  const all = [home, shared.folder].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
  );
  expect(all.some((text) => text.includes(value))).toBe(false);
  expect(all.length).toBeGreaterThan(2);
});

test('going in circles ends in a pause, at the number that the settings say', async () => {
  const { shared, inside } = await sandbox(
    { security: 'allowlist', ask: 'off' },
    { rpc: { pauseAfterRefusals: 3 } },
  );
  await startRunnerProcess(shared.paths);
  const again = async (): Promise<Said> => inside('run', '--', 'rm', '-rf', 'x');
  expect((await again()).code).toBe(126);
  expect((await again()).err).not.toContain('paused');
  expect(readStopState(shared.paths).mode).toBe('armed');
  const last = await again();
  expect(last).toMatchObject({ code: 126 });
  expect(last.err).toContain('interlock: paused, because the same request was refused 3 times');
  expect(readStopState(shared.paths)).toMatchObject({ mode: 'paused' });
  expect((await again()).err).toContain('pause-active');
  writePauseState(shared.paths, { paused: false, reason: null, at: 0, by: 'test' });
  const asked = await inside('pause', '--reason', 'lost');
  expect([asked.code, readStopState(shared.paths)]).toMatchObject([0, { reason: 'lost' }]);
});

test('too often is waited for and asked anew; nobody there ends in a teardown', async () => {
  const limits = { requestsPerMinute: 60, burst: 1 };
  const { shared, inside, options } = await sandbox(free, { config: { limits } });
  const runner = await startRunnerProcess(shared.paths);
  expect((await inside('run', '--', 'true')).code).toBe(0);
  expect(await inside('run', '--', 'echo', 'later')).toMatchObject({ code: 0, out: 'later\n' });
  await runner.kill('SIGTERM');
  const nobody = await inside('run', '--wait', '1s', '--', 'touch', 'made');
  expect(nobody).toMatchObject({ code: 125, out: '' });
  expect(nobody.err).toContain('No answer came within 1 s');
  expect(readdirSync(join(shared.folder, '.interlock', 'requests'))).toEqual([]);
  expect(readdirSync(join(shared.folder, '.interlock', 'teardowns'))).toHaveLength(1);
  await startRunnerProcess(shared.paths);
  expect((await inside('run', '--', 'true')).code).toBe(0);
  expect(existsSync(join(shared.folder, 'made'))).toBe(false);
  expect(realpathSync(options.cwd)).toBe(options.cwd);
});

test('who is told to stop takes the request back, and the command is stopped', async () => {
  const { shared, home, options } = await sandbox();
  await startRunnerProcess(shared.paths);
  const began = join(shared.folder, 'began');
  const program = join(home, 'interlock.cjs');
  const words = [program, 'run', '-c', `echo $$ > ${began}; exec sleep 60`];
  const child = spawn(node, words, { ...options, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await expect.poll(() => existsSync(began) && readFileSync(began, 'utf8') !== '').toBe(true);
  const pid = readFileSync(began, 'utf8').trim();
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
});

test('after a lockout nothing from inside counts, until a person delivers a new key', async () => {
  const { shared, inside, home } = await sandbox();
  await startRunnerProcess(shared.paths);
  await runnerClient({ socketPath: shared.paths.runnerSocket }).lockout('test');
  const locked = await inside('run', '--', 'true');
  expect(locked).toMatchObject({ code: 126 });
  expect(locked.err).toContain('lockout-active');
  openLock(shared.paths, { uid: process.geteuid?.() ?? -1, now: Date.now(), by: 'test' });
  const stale = await inside('run', '--', 'true');
  expect(stale.err).toContain('hmac-fail');
  expect(stale.err).toContain('not signed');
  await issuePlace(shared, home);
  expect((await inside('run', '--', 'true')).code).toBe(0);
});

// One is enough for every run; they differ in how they print and read.
const shells = ['dash', 'bash', 'busybox'].filter(
  (name) => spawnSync(name, ['--help']).error === undefined,
);

test.each(shells.slice(0, boundedSlice(1, shells.length)))(
  'the client in plain sh asks the same, under %s',
  async (shell) => {
    const { shared, options } = await sandbox();
    await startRunnerProcess(shared.paths);
    const words = shell === 'busybox' ? ['sh', script] : [script];
    const inside = async (...args: readonly string[]): Promise<Said> =>
      run(shell, [...words, ...args], options);
    const odd = [
      'a b',
      '"q"',
      'back\\slash',
      "$HOME `x` 's'",
      'ünï',
      'two\nlines\n',
      '%s\\n',
      '',
      '\ttab',
    ];
    const told = await inside('run', '--', 'printf', '[%s]', ...odd);
    expect(told).toEqual({ code: 0, out: odd.map((word) => `[${word}]`).join(''), err: '' });
    expect(
      await inside('run', '--', 'sh', '-c', 'printf "\\033\\\\%%\\t\\"x"; echo e >&2; exit 5'),
    ).toEqual({
      code: 5,
      out: '\u001B\\%\t"x',
      err: 'e\n',
    });
    expect((await inside('run', '--', 'printf', '\u001B')).err).toContain('control character');
    configure(shared.paths, { rpc: { folders: [{ path: shared.folder, agents: ['nobody'] }] } });
    await expect.poll(async () => (await inside('run', '--', 'true')).err).toContain('hmac-fail');
    configure(shared.paths, { rpc: { folders: [{ path: shared.folder }] } });
    await expect.poll(async () => (await inside('pause', 'a "reason"')).code).toBe(0);
    expect(readStopState(shared.paths)).toMatchObject({ mode: 'paused', reason: 'a "reason"' });
    const refused = await inside('run', '--', 'true');
    expect(refused.code).toBe(126);
    expect(refused.err).toMatch(/^interlock: pause-active: .+\n {2}.+\n$/u);
    const gone = await run(shell, [...words, 'run', '--', 'true'], {
      ...options,
      env: { ...options.env, INTERLOCK_KEY_FILE: '/nowhere/box.key' },
    });
    expect(gone).toMatchObject({ code: 125 });
    writeFileSync(join(shared.folder, 'done'), '');
  },
);
