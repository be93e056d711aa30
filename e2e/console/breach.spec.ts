import { join } from 'node:path';
import { connect, openRunnerSession } from '../../shared/ipc/index.ts';
import { expect, test } from '../support/console.ts';

test('who breaks the approval protocol gets nothing, stands in Health and in the audit log', async ({
  interlock,
  approver,
}) => {
  const socket = join(interlock.home, 'exec-approvals.sock');
  const forger = await connect(socket, { timeoutMs: 15_000 });
  const uid = process.geteuid?.() ?? -1;
  await expect(
    openRunnerSession(forger, { token: 'a-guess-of-at-least-thirty-two-bytes', uid }),
  ).rejects.toThrow();

  await approver.getByRole('link', { name: 'Health' }).click();
  await expect(approver.getByText('Somebody broke the approval protocol')).toBeVisible();
  await expect
    .poll(async () => (await interlock.call('audit', 'tail', '-n', '50').done).stdout, {
      timeout: 60_000,
    })
    .toContain('approver-saw-bad-mac');
  const verified = await interlock.call('audit', 'verify').done;
  expect(verified).toMatchObject({ status: 0 });
});
