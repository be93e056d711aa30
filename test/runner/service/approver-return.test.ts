import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { openHome } from '../../../shared/home/home.ts';
import { openRunnerSession } from '../../../shared/ipc/protocol/runner-session.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { openLock } from '../../../shared/home/stop-journal.ts';
import { connect } from '../../../shared/ipc/transport/ipc.ts';
import {
  auditRows,
  endOf,
  exec,
  makeHome,
  readPolicy,
  realApprover,
  startApproverProcess,
  startRunnerProcess,
} from './support.ts';

const uid = process.geteuid?.() ?? -1;
const tokenOf = (paths: HomePaths): string => readPolicy(paths).document.socket?.token ?? '';

test('an approver is back by itself with the token that a lockout made, and answers count', async () => {
  const paths = await makeHome({ security: 'allowlist', ask: 'on-miss' });
  const approver = await startApproverProcess(paths, realApprover);
  const runner = await startRunnerProcess(paths);
  const client = runnerClient({ socketPath: paths.runnerSocket });
  const isConnected = async (): Promise<boolean> => (await client.status()).approver.connected;
  await expect.poll(isConnected).toBe(true);

  const old = tokenOf(paths);
  expect(await client.lockout('drill')).toMatchObject({ tokenRotated: true });
  expect(tokenOf(paths)).not.toBe(old);
  // Nobody who kept the old token is taken for the runner any more.
  const impostor = await connect(paths.approvalsSocket, { timeoutMs: 5_000 });
  await expect(openRunnerSession(impostor, { token: old, uid })).rejects.toThrow();
  openLock(paths, { uid, now: Date.now(), by: 'a person' });

  await expect.poll(isConnected).toBe(true);
  const file = join(paths.home, '..', 'ran');
  const run = exec(paths, { argv: ['touch', file] });
  approver.decide(await approver.next('ask'), { decision: 'allow-once' });
  expect(endOf(await run.done)).toBe('exit 0');
  expect(existsSync(file)).toBe(true);
  expect(auditRows(paths)).toContainEqual(
    expect.objectContaining({ type: 'decision', decision: 'allow', by: 'person' }),
  );
  expect(runner.child.exitCode).toBeNull();
});

test('an approver that is started with another token is not believed', async () => {
  const paths = await makeHome({ security: 'allowlist', ask: 'on-miss', askFallback: 'full' });
  // It reads the token once, as a program would that copied it.
  const approver = await startApproverProcess(paths);
  await startRunnerProcess(paths);
  const client = runnerClient({ socketPath: paths.runnerSocket });
  await client.lockout('drill');
  openLock(paths, { uid, now: Date.now(), by: 'a person' });
  const file = join(paths.home, '..', 'ran');
  const run = exec(paths, { argv: ['touch', file] });
  expect(endOf(await run.done)).toBe('approver-unavailable');
  expect(existsSync(file)).toBe(false);
  expect(approver.child.exitCode).toBeNull();
});

test('version 1 turned off and on under a running pair: the token moves, answers count before and after', async () => {
  const paths = await makeHome({ security: 'allowlist', ask: 'on-miss' });
  const approver = await startApproverProcess(paths, realApprover);
  await startRunnerProcess(paths);
  const client = runnerClient({ socketPath: paths.runnerSocket });
  const answered = async (name: string): Promise<void> => {
    const run = exec(paths, { argv: ['touch', join(paths.home, '..', name)] });
    approver.decide(await approver.next('ask'), { decision: 'allow-once' });
    expect(endOf(await run.done)).toBe('exit 0');
  };
  const isConnected = async (): Promise<boolean> => (await client.status()).approver.connected;
  await expect.poll(isConnected).toBe(true);
  const turn = async (v1: boolean): Promise<void> => {
    const before = tokenOf(paths);
    writeFileSync(paths.config, JSON.stringify({ version: 1, approvals: { v1 } }), { mode: 0o600 });
    await expect.poll(() => tokenOf(paths)).not.toBe(before);
  };
  const old = tokenOf(paths);
  await answered('before');

  await turn(false);
  expect(tokenOf(paths)).toMatch(/^secret:[a-z0-9]{8}$/u);
  await answered('hidden');
  for (const known of [old, tokenOf(paths).padEnd(16, '.')]) {
    const impostor = await connect(paths.approvalsSocket, { timeoutMs: 5_000 });
    await expect(openRunnerSession(impostor, { token: known, uid })).rejects.toThrow();
  }
  const hidden = await openHome({ INTERLOCK_HOME: paths.home }).tokens()();

  const reference = tokenOf(paths);
  expect(await client.lockout('drill')).toMatchObject({ tokenRotated: true });
  expect(tokenOf(paths)).toMatch(/^secret:[a-z0-9]{8}$/u);
  expect(tokenOf(paths)).not.toBe(reference);
  openLock(paths, { uid, now: Date.now(), by: 'a person' });
  await answered('after-lockout');

  await turn(true);
  expect([reference, hidden]).not.toContain(tokenOf(paths));
  expect(tokenOf(paths)).toMatch(/^[A-Za-z0-9_-]{43}$/u);
  await answered('shown');
  const codes = auditRows(paths).map((row) => ('code' in row ? row.code : ''));
  expect(codes.filter((code) => code === 'approvals-token-moved')).toHaveLength(2);
});
