import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { auditRows, makeHome, startApprover, startRunnerProcess } from '../../service/support.ts';
import { standInGateway } from './gateway.ts';
import type { StandIn } from './gateway.ts';
import { listing, record, token } from './support.ts';

/** A runner that config.json sends to a stand-in Gateway, and a person at its approver. */
async function setUp(): Promise<{
  readonly gateway: StandIn;
  readonly paths: Awaited<ReturnType<typeof makeHome>>;
  readonly approver: Awaited<ReturnType<typeof startApprover>>;
  readonly runner: Awaited<ReturnType<typeof startRunnerProcess>>;
}> {
  const gateway = await standInGateway({ token, answer: listing(() => []) });
  onTestFinished(async () => gateway.close());
  const paths = await makeHome();
  const tokenFile = join(paths.home, 'openclaw.token');
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const config = JSON.parse(readFileSync(paths.config, 'utf8')) as object;
  const openclaw = { url: gateway.url, tokenFile };
  writeFileSync(paths.config, JSON.stringify({ ...config, openclaw }), { mode: 0o600 });
  const approver = await startApprover(paths);
  const runner = await startRunnerProcess(paths);
  await gateway.next('exec.approval.list');
  return { gateway, paths, approver, runner };
}

const waiting = (id: string, command: string): object => ({
  ...record(id, { command }),
  expiresAtMs: Date.now() + 600_000,
});

test("a person answers OpenClaw's asks in our queue, and both answers are in our record", async () => {
  const { gateway, paths, approver } = await setUp();
  gateway.tell('exec.approval.requested', waiting('a1', 'sh -c "echo $RANDOM"'));
  const asked = await approver.next('ask');
  expect(asked.ask).toMatchObject({
    command: 'sh -c "echo $RANDOM"',
    session: 'openclaw:main',
    toolUseId: 'a1',
    cwd: '/tmp',
  });
  approver.decide(asked, { decision: 'allow-once' });
  const yes = await gateway.next('exec.approval.resolve');
  expect(yes.params).toEqual({ id: 'a1', decision: 'allow-once' });

  gateway.tell('exec.approval.requested', waiting('a2', 'rm -rf build'));
  approver.decide(await approver.next('ask'), { decision: 'deny' });
  const no = await gateway.next('exec.approval.resolve');
  expect(no.params).toEqual({ id: 'a2', decision: 'deny' });
  expect(auditRows(paths).filter(({ type }) => type === 'decision')).toMatchObject([
    { decision: 'allow', code: 'allow-once', by: 'person' },
    { decision: 'deny', code: 'confirm-rejected', by: 'person' },
  ]);
});

test('an answer given elsewhere takes the prompt away', async () => {
  const { gateway, approver } = await setUp();
  gateway.tell('exec.approval.requested', waiting('a1', 'make all'));
  const { ask } = await approver.next('ask');
  gateway.tell('exec.approval.resolved', { id: 'a1', decision: 'allow-once', ts: 1 });
  expect(await approver.next('withdraw')).toMatchObject({ id: ask.id, reason: 'requester-gone' });
});

test('a runner that stops takes its prompts back and leaves the decision to others', async () => {
  const { gateway, approver, runner } = await setUp();
  gateway.tell('exec.approval.requested', waiting('a1', 'make all'));
  await approver.next('ask');
  await runner.kill('SIGTERM');
  expect(gateway.calls.map(({ method }) => method)).toEqual(['exec.approval.list']);
});
