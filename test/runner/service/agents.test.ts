import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DecisionRow } from '../../../runner/audit/rows.ts';
import type { ExecEvent } from '../../../shared/wire/api.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { readKeyFile } from '../../../shared/ipc/signed-request.ts';
import { signCall } from '../../../shared/ipc/signed-request.ts';
import { openLock } from '../../../shared/home/stop-journal.ts';
import { cli } from '../cli/support.ts';
import { call } from '../ingress/support.ts';
import {
  auditRows,
  endOf,
  exec,
  makeHome,
  root,
  startApprover,
  startRunnerProcess,
  stdoutOf,
} from './support.ts';

const free = { security: 'full', ask: 'off' } as const;
const uid = process.geteuid?.() ?? -1;
const onLinux = process.platform === 'linux';
const program = join(root, 'dist/runner/cli/main.js');

interface Said {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

/** `interlock …` as a process of its own. */
async function interlock(
  paths: HomePaths,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env['PATH'] ?? '', INTERLOCK_HOME: paths.home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  return new Promise((resolve) =>
    child.once('close', (exitCode) => resolve({ exitCode, ...said })),
  );
}

/** Gives agents their keys in this process; the first test has the command do it as one of its own. */
async function addAgents(paths: HomePaths, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const added = await cli({ home: paths.home }, 'agents', 'add', name);
    expect(added).toMatchObject({ exitCode: 0, err: '' });
  }
}

const keyFile = (paths: HomePaths, name = 'claude'): string =>
  join(paths.agentKeysDirectory, `${name}.key`);

function keyOf(path: string): Uint8Array {
  const key = readKeyFile(path, uid);
  if (key === null) throw new Error(`no key in ${path}`);
  return key;
}

const decisions = (paths: HomePaths): readonly DecisionRow[] =>
  auditRows(paths).filter((row): row is DecisionRow => row.type === 'decision');

interface Signing {
  readonly key: Uint8Array;
  readonly agent?: string;
  readonly now?: () => number;
  readonly body?: object;
}

const touch = (paths: HomePaths): object => ({
  argv: ['touch', join(paths.home, '..', 'ran')],
  cwd: join(paths.home, '..'),
});

function headersFor(paths: HomePaths, signing: Signing): Record<string, string> {
  const { key, agent = 'claude', now = Date.now, body = touch(paths) } = signing;
  const options = { agent, key, now, random: randomBytes };
  return {
    ...signCall(options, { method: 'POST', path: '/v1/exec', payload: JSON.stringify(body) }),
  };
}

/** Sends a body under these headers, and says how that ended. */
async function sent(
  paths: HomePaths,
  headers: Record<string, string>,
  body = touch(paths),
): Promise<string> {
  const answer = await call(paths.runnerSocket, '/v1/exec', { body, headers });
  const lines = answer.body.trimEnd().split('\n');
  return endOf(lines.map((line) => JSON.parse(line) as ExecEvent));
}

test('an agent that was added signs what it runs, and its name counts where claims do not', async () => {
  const paths = await makeHome(free);
  writeFileSync(paths.config, '{"version":1}\n', { mode: 0o600 });
  await startRunnerProcess(paths);
  const added = await interlock(paths, ['agents', 'add', 'claude']);
  expect(added).toMatchObject({ exitCode: 0, err: '' });
  expect(statSync(keyFile(paths)).mode & 0o777).toBe(0o600);
  const secret = readFileSync(keyFile(paths), 'utf8').trim();
  expect(added.out).toContain(keyFile(paths));

  const ran = await interlock(paths, ['run', '--agent', 'claude', '--', 'echo', 'hello']);
  expect(ran).toEqual({ exitCode: 0, out: 'hello\n', err: '' });
  expect(decisions(paths).at(-1)).toMatchObject({ agent: 'claude', decision: 'allow' });
  expect(endOf(await exec(paths, { argv: ['true'], agent: 'codex' }).done)).toBe('exit 0');
  expect(decisions(paths).at(-1)).toMatchObject({ agent: '*' });

  const listed = await interlock(paths, ['agents', 'list', '--json']);
  const { agents } = JSON.parse(listed.out) as { agents: readonly { lastUsedAt: number }[] };
  expect(agents).toMatchObject([{ name: 'claude', key: 'ready', keyFile: keyFile(paths) }]);
  expect(agents[0]?.lastUsedAt).toBe(decisions(paths).at(-2)?.at);
  const logged = JSON.stringify(auditRows(paths));
  for (const text of [added.out, listed.out, logged]) expect(text).not.toContain(secret);
});

test('a key is found by its file’s name, by the environment, and only where it is safe', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  await addAgents(paths, 'claude');
  const elsewhere = join(paths.home, 'claude.key');
  copyFileSync(keyFile(paths), elsewhere);
  const byFile = await interlock(paths, ['run', '--key', elsewhere, '--', 'true']);
  expect(byFile).toEqual({ exitCode: 0, out: '', err: '' });
  expect(decisions(paths).at(-1)).toMatchObject({ agent: 'claude' });
  const byName = { INTERLOCK_KEY_FILE: elsewhere };
  expect((await interlock(paths, ['run', '--', 'true'], byName)).exitCode).toBe(0);
  expect(decisions(paths).at(-1)).toMatchObject({ agent: 'claude' });

  chmodSync(elsewhere, 0o644);
  const loose = await interlock(paths, ['run', '--key', elsewhere, '--', 'true']);
  expect(loose).toMatchObject({ exitCode: 126, out: '' });
  expect(loose.err).toContain('config-invalid');
  const missing = await interlock(paths, ['run', '--key', `${elsewhere}s`, '--', 'true']);
  expect(missing.exitCode).toBe(125);
  expect(missing.err).toContain('There is no key file');
  const asCodex = ['run', '--agent', 'codex', '--key', keyFile(paths), '--', 'true'];
  const other = await interlock(paths, asCodex);
  expect(other.exitCode).toBe(126);
  expect(other.err).toContain('hmac-fail');
});

test('whatever is wrong with a signature is refused by a code, and is in the log', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  await addAgents(paths, 'claude', 'codex');
  const key = keyOf(keyFile(paths));
  const right = headersFor(paths, { key });
  const minute = 60_000;
  const { 'x-interlock-mac': _mac, ...withoutMac } = right;
  const cases: readonly (readonly [string, Record<string, string>, object?])[] = [
    ['no signature at all', {}, { ...touch(paths), agent: 'claude' }],
    ['a part of it missing', withoutMac],
    ['a wrong key', headersFor(paths, { key: randomBytes(32) })],
    ['another agent’s key', headersFor(paths, { key: keyOf(keyFile(paths, 'codex')) })],
    ['an agent that does not exist', headersFor(paths, { key, agent: 'nobody' })],
    ['a timestamp of long ago', headersFor(paths, { key, now: () => Date.now() - 2 * minute })],
    ['a timestamp yet to come', headersFor(paths, { key, now: () => Date.now() + 2 * minute })],
    [
      'a body changed after signing',
      right,
      { argv: ['touch', '/tmp/other'], cwd: join(paths.home, '..') },
    ],
    ['a body that speaks for another', right, { ...touch(paths), agent: 'codex' }],
  ];
  for (const [name, headers, body] of cases)
    expect([name, await sent(paths, headers, body)]).toEqual([name, 'hmac-fail']);
  expect(existsSync(join(paths.home, '..', 'ran'))).toBe(false);
  expect(decisions(paths).map(({ decision, code }) => `${decision} ${code}`)).toEqual(
    cases.map(() => 'deny hmac-fail'),
  );
  expect(await sent(paths, right)).toBe('exit 0');
});

test('a request that was sent before is refused, also by a runner that was started anew', async () => {
  const paths = await makeHome(free);
  const first = await startRunnerProcess(paths);
  await addAgents(paths, 'claude');
  const headers = headersFor(paths, { key: keyOf(keyFile(paths)) });
  expect(await sent(paths, headers)).toBe('exit 0');
  expect(await sent(paths, headers)).toBe('replay-detected');
  await first.kill('SIGKILL');
  const second = await startRunnerProcess(paths);
  expect(await sent(paths, headers)).toBe('replay-detected');
  await second.kill('SIGTERM');
  await startRunnerProcess(paths);
  expect(await sent(paths, headers)).toBe('replay-detected');
  expect(decisions(paths).map(({ code }) => code)).toEqual([
    'security-full',
    ...Array.from({ length: 3 }, () => 'replay-detected'),
  ]);
});

test('a lockout takes every key; after the unlock each agent gets a new one, and the old stays worthless', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  await addAgents(paths, 'claude', 'codex');
  const old = keyOf(keyFile(paths));
  const kept = join(paths.home, 'claude.key');
  copyFileSync(keyFile(paths), kept);
  const locked = await runnerClient({ socketPath: paths.runnerSocket }).lockout('drill');
  expect(locked).toMatchObject({ keysRotated: 2 });
  expect([existsSync(keyFile(paths)), existsSync(keyFile(paths, 'codex'))]).toEqual([false, false]);
  for (const words of [
    ['agents', 'rekey', 'claude'],
    ['agents', 'add', 'gemini'],
  ]) {
    const refused = await interlock(paths, words);
    expect([words[1], refused.exitCode]).toEqual([words[1], 126]);
    expect(refused.err).toContain('lockout-active');
  }

  openLock(paths, { uid, now: Date.now(), by: 'a person' });
  const before = await interlock(paths, ['run', '--key', kept, '--', 'true']);
  expect([before.exitCode, before.err]).toEqual([126, expect.stringContaining('hmac-fail')]);
  expect(before.err).toContain('agents rekey claude');
  const unsigned = await interlock(paths, ['run', '--agent', 'claude', '--', 'true']);
  expect(unsigned.err).toContain('The key of the agent "claude" was taken away.');

  expect((await interlock(paths, ['agents', 'rekey', 'claude'])).exitCode).toBe(0);
  expect(await sent(paths, headersFor(paths, { key: keyOf(keyFile(paths)) }))).toBe('exit 0');
  expect(await sent(paths, headersFor(paths, { key: old }))).toBe('hmac-fail');
  const listed = await interlock(paths, ['agents', 'list']);
  expect(listed.out).toMatch(/claude +has a key\n/);
  expect(listed.out).toMatch(/codex +key taken away\n/);

  expect((await interlock(paths, ['agents', 'rm', 'codex'])).exitCode).toBe(0);
  const again = await interlock(paths, ['agents', 'rm', 'codex']);
  expect([again.exitCode, again.err]).toEqual([126, expect.stringContaining('invalid-request')]);
});

test('an agent ends its session with its key: the question is taken back, the grant forgotten', async () => {
  const paths = await makeHome({ security: 'allowlist', ask: 'on-miss' });
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  await addAgents(paths, 'claude', 'codex');
  const run = [
    'run',
    '--agent',
    'claude',
    '--session',
    's1',
    '--',
    'touch',
    join(paths.home, '..', 'a'),
  ];
  const granted = interlock(paths, run);
  const asked = await approver.next('ask');
  const { id: proposalId = '' } = asked.ask.proposals[0] ?? {};
  const remember = { duration: 'session', proposalId } as const;
  approver.decide(asked, { decision: 'allow-always', remember });
  expect((await granted).exitCode).toBe(0);
  expect((await interlock(paths, run)).exitCode).toBe(0);
  const waits = interlock(paths, [...run.slice(0, -1), '/nowhere/at/all']);
  await approver.next('ask');

  const end = ['sessions', 'end', '--json', '--session', 's1', '--agent'];
  const other = await interlock(paths, [...end, 'codex']);
  expect([other.exitCode, other.err]).toEqual([126, expect.stringContaining('hmac-fail')]);
  const ended = await interlock(paths, [...end, 'claude']);
  const counts = { agent: 'claude', session: 's1', grants: 1, withdrawn: 1 };
  expect(JSON.parse(ended.out)).toEqual(counts);
  expect((await waits).err).toContain('requester-gone');
  // What was granted is asked about again.
  const again = interlock(paths, run);
  approver.decide(await approver.next('ask'), { decision: 'deny' });
  expect((await again).err).toContain('confirm-rejected');
});

test('no door of the runner makes, changes or takes a key, and no command of an agent does', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  await addAgents(paths, 'claude');
  for (const url of ['/v1/agents', '/v1/agents/add', '/v1/agents/claude/rekey', '/v1/unlock'])
    expect([url, (await call(paths.runnerSocket, url, { body: {} })).status]).toEqual([url, 404]);
  if (!onLinux) return;
  const before = readFileSync(keyFile(paths), 'utf8');
  for (const words of [
    'agents add mole',
    'agents rekey claude',
    'agents rm claude',
    'home rollback',
  ]) {
    // Not in the text of the command, which would be held back for naming what is Interlock's own.
    const hidden = join(paths.home, '..', 'hidden.sh');
    const line = `INTERLOCK_HOME=${paths.home} ${process.execPath} ${program} ${words} 2>&1`;
    writeFileSync(hidden, `${line}\n`);
    const command = `sh ${hidden}`;
    const run = exec(paths, { command });
    expect([words, endOf(await run.done)]).toEqual([words, 'exit 125']);
    expect(stdoutOf(run.events)).toContain('a command that an agent had run');
  }
  expect(readFileSync(keyFile(paths), 'utf8')).toBe(before);
  expect(existsSync(keyFile(paths, 'mole'))).toBe(false);
});

test('without a home there is nothing to give a key to, and a bad name is told in a sentence', async () => {
  const paths = await makeHome();
  const nowhere = await cli({ home: join(paths.home, 'none') }, 'agents', 'add', 'claude');
  expect([nowhere.exitCode, nowhere.err]).toEqual([125, expect.stringContaining('interlock init')]);
  const bad = await cli({ home: paths.home }, 'agents', 'add', '../claude');
  expect([bad.exitCode, bad.err]).toEqual([126, expect.stringContaining('cannot be an agent')]);
  const empty = await cli({ home: paths.home }, 'agents', 'list');
  expect(empty.out).toContain('No agent has a key of its own.');
});
