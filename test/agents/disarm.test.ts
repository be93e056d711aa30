import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { hookCommand } from '../../shared/agents/hook-command.ts';
import { runnerClient } from '../../shared/ipc/runner-client.ts';
import { havePassphrase } from '../support/passphrase.ts';
import { auditRows, startRunnerProcess } from '../runner/service/support.ts';
import { interlock } from './support/acts.ts';
import { recordedInput } from './support/recorded.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 240_000 });

/** Asks the real hook program as the host does, and returns what it says. */
function ask(stage: Stage, tool: string, input: object): string {
  const command = hookCommand({ ...stage.hookFor('claude'), node: process.execPath });
  const recorded = recordedInput('claude');
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', command], {
    cwd: stage.work,
    encoding: 'utf8',
    input: JSON.stringify({ ...recorded, cwd: stage.work, tool_name: tool, tool_input: input }),
  });
  return stdout + stderr;
}

test('an agent cannot write its way out of the gate, and is stopped where it got out otherwise', async () => {
  const stage = await setStage({
    policy: {
      allowlist: [
        { id: 'r1', pattern: 'mktemp' },
        { id: 'r2', kind: 'edit', pattern: '**' },
        { id: 'r3', pattern: 'echo', writes: ['**'] },
      ],
    },
  });
  const { paths, work, command } = stage;
  const settings = join(work, '.claude', 'settings.json');
  mkdirSync(dirname(settings), { recursive: true });
  const handler = {
    type: 'command',
    command: hookCommand({ ...stage.hookFor('claude'), node: process.execPath }),
    timeout: 300,
    onFailure: 'block',
  };
  writeFileSync(
    settings,
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: '*', hooks: [handler] }] } }),
  );
  await startRunnerProcess(paths);
  const local = join(work, '.claude', 'settings.local.json');
  const off = '{"disableAllHooks":true}';

  expect(ask(stage, 'Bash', { command })).toContain('--ticket');
  expect(ask(stage, 'Write', { file_path: join(work, 'a.ts'), content: 'x' })).not.toContain(
    'deny',
  );
  for (const file_path of [local, settings, join(work, '.git', 'hooks', 'pre-commit')])
    expect(ask(stage, 'Write', { file_path, content: off })).toContain('no rule names');
  const text = `echo '${off}' > ${local}`;
  expect(ask(stage, 'Bash', { command: text })).toContain('no rule names');

  // Some other program of the agent's got there all the same.
  writeFileSync(local, off);
  expect(ask(stage, 'Bash', { command })).toContain('gate-disarmed');
  const notes = auditRows(paths).filter((row) => row.type === 'note');
  expect(notes.map(({ code }) => code)).toContain('gate-disarmed');
  expect(JSON.parse(readFileSync(paths.arming, 'utf8'))).toMatchObject({
    disarmed: [{ agent: 'claude', folder: work }],
  });
  expect(interlock(stage, ['doctor'])).toContain(work);

  rmSync(local);
  expect(ask(stage, 'Bash', { command })).toContain('--ticket');
  writeFileSync(local, off);
  expect(ask(stage, 'Bash', { command })).toContain('gate-disarmed');
  // The agent that got out is the same user, so being that user is not enough to let it go on.
  expect(interlock(stage, ['resume', '--agent', 'claude'])).toMatch(/^125 .*person at a terminal/);
  const runner = runnerClient({ socketPath: paths.runnerSocket });
  havePassphrase(paths.passphrase, 'words that only one knows');
  const wrong = { agent: 'claude', passphrase: 'some other words' };
  await expect(runner.resume(wrong)).rejects.toThrow('not the passphrase');
  expect(ask(stage, 'Bash', { command })).toContain('gate-disarmed');
  await runner.resume({ ...wrong, passphrase: 'words that only one knows' });
  expect(ask(stage, 'Bash', { command })).toContain('--ticket');
});
