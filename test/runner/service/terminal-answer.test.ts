import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { signAnswer } from '../../../shared/ipc/macs.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { writePolicyFile } from '../../../shared/home/policy-file.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import {
  endOf,
  exec,
  makeHome,
  readPolicy,
  startApprover,
  startRunnerProcess,
  stdoutOf,
} from './support.ts';

const script = fileURLToPath(
  new URL('../../../dist/test/fixtures/runner/self-approve.js', import.meta.url),
);

async function answerPending(paths: HomePaths, decision: 'allow-once' | 'deny'): Promise<void> {
  const client = runnerClient({ socketPath: paths.runnerSocket });
  const [pending] = await client.pending();
  if (pending === undefined) throw new Error('nothing is pending');
  const token = readPolicy(paths).document.socket?.token ?? '';
  const signing = { token, askId: pending.ask.id, now: Date.now };
  const body = signAnswer(signing, { askDigest: pending.askDigest, decision, note: 'from here' });
  await client.answer(pending.ask.id, body);
  await expect(client.answer(pending.ask.id, body)).rejects.toMatchObject({
    refusal: { code: 'replay-detected' },
  });
}

test('a person at a terminal can answer, and the app’s prompt goes away', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const file = join(paths.home, '..', 'made');
  const run = exec(paths, { argv: ['touch', file] });
  const asked = await approver.next('ask');
  await answerPending(paths, 'allow-once');
  expect(endOf(await run.done)).toBe('exit 0');
  expect(existsSync(file)).toBe(true);
  expect(await approver.next('withdraw')).toMatchObject({ id: asked.ask.id, reason: 'answered' });
});

test('a person’s no from a terminal carries its note to the agent', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const run = exec(paths, { argv: ['touch', join(paths.home, '..', 'x')] });
  await approver.next('ask');
  await answerPending(paths, 'deny');
  expect((await run.done).at(-1)).toMatchObject({
    refusal: { code: 'confirm-rejected', message: 'A person said no: from here.' },
  });
});

test.each([
  ['as a child of the command', ''],
  ['from a session of its own', 'setsid -w '],
  ['in the background of a shell', '( ', ' & wait )'],
])(
  'a command cannot answer for another one, though it reads the token: %s',
  async (_name, before, after = '') => {
    const paths = await makeHome();
    const { document, hash } = readPolicy(paths);
    const agents = { ...document.agents, insider: { security: 'full', ask: 'off' } as const };
    const uid = process.getuid?.() ?? -1;
    await writePolicyFile(paths.policy, { ...document, agents }, { uid, baseHash: hash });
    const approver = await startApprover(paths);
    await startRunnerProcess(paths);
    const victim = exec(paths, { argv: ['touch', join(paths.home, '..', 'never')] });
    const asked = await approver.next('ask');
    // Not in the text of the command, which would be held back for naming what is Interlock's own.
    const hidden = join(paths.home, '..', 'hidden.sh');
    writeFileSync(hidden, `exec '${process.execPath}' '${script}' '${paths.home}'\n`);
    const command = `${before}sh ${hidden}${after}`;
    const insider = await exec(paths, { command, agent: 'insider' }).done;
    expect(stdoutOf(insider)).toBe('hmac-fail A command cannot answer for a person.\n');
    approver.decide(asked, { decision: 'deny' });
    expect(endOf(await victim.done)).toBe('confirm-rejected');
    expect(existsSync(join(paths.home, '..', 'never'))).toBe(false);
  },
);
