import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DecisionRow } from '../../../../runner/audit/rows.ts';
import { readStopState } from '../../../../shared/home/stop-state.ts';
import { runnerClient } from '../../../../shared/ipc/runner-client.ts';
import { auditRows, makeHome, startApprover, startRunnerProcess } from '../../service/support.ts';
import {
  answered,
  answerTo,
  ask,
  configure,
  free,
  fresh,
  put,
  requestFile,
  share,
  signed,
  wordOf,
} from './support.ts';
import type { Shared } from './support.ts';

const decisions = ({ paths }: Shared): readonly DecisionRow[] =>
  auditRows(paths).filter((row): row is DecisionRow => row.type === 'decision');

test('a command in a file runs on this machine, and its answer is signed', async () => {
  const paths = await makeHome(free);
  const shared = await share(paths);
  await startRunnerProcess(paths);
  mkdirSync(join(shared.folder, 'project'));
  const answer = await answered(shared, {
    command: 'echo "to: $GREETING"; pwd; echo oops >&2; exit 3',
    env: { GREETING: 'ünï\u2028' },
    cwd: 'project',
  });
  expect(answer).toMatchObject({
    ok: true,
    exit_code: 3,
    signal: null,
    stdout: `to: ünï\u2028\n${join(shared.folder, 'project')}\n`,
    stderr: 'oops\n',
    truncated: false,
    refusal: null,
  });
  expect(answer.duration_ms).toBeGreaterThanOrEqual(0);
  expect(decisions(shared).at(-1)).toMatchObject({ agent: 'box', decision: 'allow' });
  await expect.poll(() => readdirSync(join(shared.folder, '.interlock', 'requests'))).toEqual([]);

  const input = await answered(shared, {
    argv: ['cat'],
    stdin: Buffer.from('in\n').toString('base64'),
  });
  expect([wordOf(input), input.stdout]).toEqual(['exit 0', 'in\n']);
  expect(wordOf(await answered(shared, { argv: ['sh', '-c', 'kill -9 $$'] }))).toBe('exit SIGKILL');
});

test('each refusal is told by its code, with a hint, and stands in the record', async () => {
  const paths = await makeHome({ security: 'allowlist', ask: 'off' });
  const limits = { requestsPerMinute: 1_000, burst: 1_000 };
  const shared = await share(paths, { agents: ['box', 'other'], config: { limits } });
  await startRunnerProcess(paths);
  const told = async (fields: object): Promise<string> => {
    const answer = await answered(shared, { argv: ['true'], ...fields });
    expect(answer.refusal?.hint).not.toBe('');
    return wordOf(answer);
  };
  const at = (ms: number): string => new Date(Date.now() + ms).toISOString();

  expect(await told({})).toBe('policy-deny');
  expect(decisions(shared).at(-1)).toMatchObject({ agent: 'box', code: 'policy-deny' });
  expect(await told({ timeout_sec: 3_600 })).toBe('policy-deny');
  expect(await told({ created_at: at(-6 * 60_000) })).toBe('stale-on-recovery');
  expect(await told({ created_at: at(5 * 60_000) })).toBe('hmac-fail');
  expect(await told({ cwd: '../..' })).toBe('invalid-request');
  expect(await told({ cwd: 'nowhere' })).toBe('invalid-request');

  // With the key of another agent, and with none that anybody has.
  const stolen = fresh({ argv: ['true'] });
  put(
    shared,
    stolen['id'],
    signed({ keys: { box: shared.keys['other'] ?? randomBytes(32) } }, stolen),
  );
  expect(wordOf(await answerTo(shared, stolen['id']))).toBe('hmac-fail');
  expect(await told({ principal: 'nobody' })).toBe('hmac-fail');
  expect(decisions(shared).at(-1)).toMatchObject({ code: 'hmac-fail' });

  // The same nonce under another id; and the same file once more, which is not answered again.
  const first = ask(shared, { argv: ['true'] });
  const before = await answerTo(shared, first['id']);
  expect(await told({ nonce: first['nonce'] })).toBe('replay-detected');
  expect(await told({ nonce: first['nonce'], principal: 'other' })).toBe('policy-deny');
  put(shared, first['id'], signed(shared, first));
  await expect.poll(() => existsSync(requestFile(shared, first['id']))).toBe(false);
  expect(await answerTo(shared, first['id'])).toEqual(before);
  await expect.poll(() => decisions(shared).at(-1)?.code).toBe('replay-detected');
});

test('limits, the time of a command, a pause and a lockout hold for folders, too', async () => {
  const paths = await makeHome(free);
  const limits = { requestsPerMinute: 1_000, burst: 1_000, concurrentPerAgent: 1 };
  const rpc = { concurrent: 2 };
  const shared = await share(paths, { config: { limits }, rpc });
  await startRunnerProcess(paths);
  expect(wordOf(await answered(shared, { argv: ['sleep', '60'], timeout_sec: 1 }))).toBe(
    'command-timeout',
  );

  // One of one agent runs, so that another has no place.
  const marker = join(shared.folder, 'go');
  const long = ask(shared, { command: `touch ${marker}; exec sleep 60` });
  await expect.poll(() => existsSync(marker)).toBe(true);
  expect(wordOf(await answered(shared, { argv: ['true'] }))).toBe('concurrency-busy');
  const { id, principal, nonce } = long;
  const teardown = { id, principal, nonce, created_at: new Date().toISOString(), teardown: true };
  put(shared, id, signed(shared, teardown), 'teardowns');
  expect(wordOf(await answerTo(shared, id))).toBe('requester-gone');

  configure(paths, {
    limits: { requestsPerMinute: 1, burst: 1 },
    rpc: { folders: [{ path: shared.folder }] },
  });
  await expect
    .poll(async () => wordOf(await answered(shared, { argv: ['true'] })))
    .toBe('rate-limit');

  const paused = await answered(shared, { subcommand: 'pause', reason: 'going in circles' });
  expect(wordOf(paused)).toBe('exit 0');
  expect(readStopState(paths)).toMatchObject({ mode: 'paused', reason: 'going in circles' });
  expect(wordOf(await answered(shared, { argv: ['true'] }))).toBe('pause-active');

  const client = runnerClient({ socketPath: paths.runnerSocket });
  await client.lockout('enough');
  const locked = await answered(shared, { argv: ['true'] });
  expect([wordOf(locked), locked.hmac]).toEqual(['lockout-active', null]);
  expect(wordOf(await answered(shared, { subcommand: 'pause' }))).toBe('lockout-active');
});

test('a person who says no is told as confirm-rejected, also where the agent wants to be asked about', async () => {
  const paths = await makeHome(free);
  const shared = await share(paths);
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const asked = answered(shared, { argv: ['true'], requires_confirm: true, reason: 'to see' });
  const message = await approver.next('ask');
  expect(message.ask).toMatchObject({ agent: 'box', statedReason: 'to see' });
  approver.decide(message, { decision: 'deny' });
  expect(wordOf(await asked)).toBe('confirm-rejected');
});

test('a request that was under way when the runner was killed is answered as stale, and not run again', async () => {
  const paths = await makeHome(free);
  const shared = await share(paths);
  const runner = await startRunnerProcess(paths);
  const marker = join(shared.folder, 'runs');
  const { id } = ask(shared, { command: `echo x >> ${marker}; exec sleep 60` });
  await expect.poll(() => existsSync(marker)).toBe(true);
  const waiting = ask(shared, { command: `echo y >> ${marker}` });
  await runner.kill('SIGKILL');
  await startRunnerProcess(paths);
  expect(wordOf(await answerTo(shared, id))).toBe('stale-on-recovery');
  expect(wordOf(await answerTo(shared, waiting['id']))).toBe('exit 0');
  expect(readFileSync(marker, 'utf8')).toBe('x\ny\n');
});

test('what is not a request is refused or left alone, and nothing of it runs', async () => {
  const paths = await makeHome(free);
  const shared = await share(paths);
  await startRunnerProcess(paths);
  const whole = fresh({ argv: ['true'] });
  const text = signed(shared, whole);
  const refused = async (bad: string, id: string = randomUUID()): Promise<string> => {
    put(shared, id, bad);
    const answer = await answerTo(shared, id);
    expect(answer.hmac).toBeNull();
    return wordOf(answer);
  };
  expect(await refused(text.slice(0, text.length / 2))).toBe('invalid-request');
  expect(await refused('')).toBe('invalid-request');
  expect(await refused(text)).toBe('invalid-request');
  expect(await refused(`${text}extra: 1\n`, String(whole['id']))).toBe('invalid-request');
  expect(await refused('a: &x 1\nb: *x\n')).toBe('invalid-request');
  expect(await refused('a: !!str 1\n')).toBe('invalid-request');
  expect(await refused('%YAML 1.1\n---\na: yes\n')).toBe('invalid-request');
  expect(await refused(`id: 1\nid: 2\n`)).toBe('invalid-request');
  expect(await refused('['.repeat(200_000))).toBe('invalid-request');
  expect(await refused(' '.repeat(300_000))).toBe('invalid-request');
  const changed = fresh({ argv: ['true'] });
  expect(await refused(signed(shared, changed).replace('true', 'id'), String(changed['id']))).toBe(
    'hmac-fail',
  );
  const large = fresh({ argv: ['true'], nonce: '18446744073709551616' });
  expect(await refused(signed(shared, large), String(large['id']))).toBe('invalid-request');
  expect(wordOf(await answered(shared, { argv: ['true'], nonce: 9_007_199_254_740_991 }))).toBe(
    'exit 0',
  );
});
