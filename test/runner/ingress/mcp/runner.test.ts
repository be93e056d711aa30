import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { auditRows, makeHome, startApprover, startRunnerProcess } from '../../service/support.ts';
import { connectMcp, textOf } from './support.ts';

test('through the whole of it: exec runs after a yes, and a permission becomes a ticket that runs once', async () => {
  const paths = await makeHome();
  const folder = dirname(paths.home);
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const client = await connectMcp({ home: paths.home, folder });
  onTestFinished(async () => client.close());

  const command = 'echo one; rmdir /nowhere 2>/dev/null; exit 4';
  const running = client.callTool({ name: 'exec', arguments: { command, reason: 'a try' } });
  const asked = await approver.next('ask');
  expect(asked.ask).toMatchObject({ command, session: 's1', statedReason: 'a try', cwd: folder });
  approver.decide(asked, { decision: 'allow-once' });
  const ran = await running;
  expect(ran.structuredContent).toMatchObject({ exitCode: 4, stdout: 'one\n' });

  const input = {
    command: 'rmdir /nowhere 2>/dev/null; echo ticketed',
    description: 'Says a word',
  };
  const approving = client.callTool({
    name: 'approve',
    arguments: { tool_name: 'Bash', input, tool_use_id: 'toolu_1' },
  });
  approver.decide(await approver.next('ask'), { decision: 'allow-once' });
  const behaviour = JSON.parse(textOf(await approving)) as {
    readonly behavior: string;
    readonly updatedInput: { readonly command: string };
  };
  expect(behaviour.behavior).toBe('allow');
  const inShell = (): ReturnType<typeof spawnSync> =>
    spawnSync('bash', ['-c', behaviour.updatedInput.command], { cwd: folder, encoding: 'utf8' });
  expect(inShell()).toMatchObject({ status: 0, stdout: 'ticketed\n' });
  expect(inShell()).toMatchObject({ status: 126, stdout: '' });

  const denied = client.callTool({
    name: 'approve',
    arguments: { tool_name: 'Write', input: { file_path: '/w/x', content: 'y' } },
  });
  const edit = await approver.next('ask');
  expect(edit.ask).toMatchObject({ kind: 'edit' });
  approver.decide(edit, { decision: 'deny', note: 'Not there.' });
  expect(JSON.parse(textOf(await denied))).toEqual({
    behavior: 'deny',
    message:
      'confirm-rejected: A person said no: Not there.\nDo not ask for the same again; take another way or stop.',
  });
  expect(auditRows(paths).filter(({ type }) => type === 'decision')).toHaveLength(4);
});
