import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hookCommand } from '../../shared/agents/hook-command.ts';
import { startApprover, startRunnerProcess } from '../runner/service/support.ts';
import { recordedInput } from './support/recorded.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 240_000 });

const program = fileURLToPath(new URL('../fixtures/agents/waiting-host.mjs', import.meta.url));

/** A host that waits for its hook, while a person is asked. */
async function waiting(stage: Stage) {
  const approver = await startApprover(stage.paths);
  await startRunnerProcess(stage.paths);
  const line = hookCommand({ ...stage.hookFor('codex'), node: process.execPath });
  const input = JSON.stringify({ ...recordedInput('codex'), cwd: stage.work });
  const host = spawn(process.execPath, [program, line, input], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void host.kill('SIGKILL'));
  const lines: string[] = [];
  const reader = createInterface({ input: host.stdout }).on('line', (said) => lines.push(said));
  const { ask } = await approver.next('ask');
  const withdrawn = async (): Promise<void> => {
    expect(await approver.next('withdraw')).toMatchObject({ id: ask.id });
  };
  return { host, lines, closed: once(reader, 'close'), withdrawn };
}

const shellIn = (lines: readonly string[]): number => Number(/\d+/u.exec(lines[0] ?? '')?.[0]);

// Where a process stands in the tree of processes is read from /proc.
test.runIf(process.platform === 'linux')(
  'a host that would go on without the shell around its hook is ended, and does not go on',
  async () => {
    const { host, lines, closed, withdrawn } = await waiting(await setStage());
    const exit = once(host, 'exit');
    process.kill(shellIn(lines), 'SIGKILL');
    expect(await exit).toEqual([null, 'SIGTERM']);
    await closed;
    expect(lines).toHaveLength(1);
    await withdrawn();
  },
);

test('a host that gives up waiting, as when a person stops a turn, is left alone', async () => {
  const { host, lines, withdrawn } = await waiting(await setStage());
  host.stdin.write('give up\n');
  await withdrawn();
  await expect.poll(() => lines.length).toBe(2);
  expect(lines[1]).toBe('went on after SIGKILL');
  expect(host.signalCode).toBeNull();
});
