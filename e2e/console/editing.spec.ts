import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { axeFindings } from '../support/axe.ts';
import { deny, expect, test } from '../support/console.ts';

test('a rule added in the editor is in the file and lets its command run', async ({
  interlock,
  approver,
}) => {
  await approver.getByRole('link', { name: 'Allowlist' }).click();
  await approver.getByRole('button', { name: 'Add rule' }).click();
  const dialog = approver.getByRole('dialog', { name: 'Add a rule' });
  await dialog.getByLabel('Program').fill('uname');
  await dialog.getByRole('textbox', { name: 'These words' }).fill('(-s|-m)');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await approver.getByRole('textbox', { name: 'Command' }).fill('uname -m');
  await expect(approver.getByText('Would run')).toBeVisible();
  await approver.getByRole('textbox', { name: 'Command' }).fill('uname -a');
  await expect(approver.getByText('You would be asked')).toBeVisible();
  await approver.getByRole('button', { name: 'Save' }).click();
  await expect(approver.getByText('Saved.', { exact: true })).toBeVisible();
  expect((await interlock.policy()).agents?.['*']?.allowlist).toMatchObject([
    { pattern: 'uname', args: [['-s', '-m']] },
  ]);
  expect(await interlock.call('run', '--', 'uname', '-s').done).toMatchObject({ status: 0 });
});

test('what it takes to allow, by risk and by rule, is set in the editor, and taken back', async ({
  interlock,
  approver,
}) => {
  await approver.getByRole('link', { name: 'Allowlist' }).click();
  const high = approver.getByLabel('What it takes to allow: High risk');
  const none = approver.getByLabel('What it takes to allow: No risk');
  await expect(high.locator('option').first()).toHaveText('By default: Hold or passkey');
  await high.selectOption('Two people');
  await none.selectOption('Hold');
  await approver.getByRole('button', { name: 'Add rule' }).click();
  const dialog = approver.getByRole('dialog', { name: 'Add a rule' });
  await dialog.getByRole('radio', { name: 'Ask', exact: true }).check({ force: true });
  await dialog.getByRole('radio', { name: 'Two people' }).check({ force: true });
  await dialog.getByLabel('Program').fill('uname');
  await dialog.getByRole('textbox', { name: 'These words' }).fill('-m');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  expect(await axeFindings(approver)).toEqual([]);
  await approver.getByRole('button', { name: 'Save' }).click();
  await expect(approver.getByText('Saved.', { exact: true })).toBeVisible();
  expect((await interlock.policy()).agents?.['*']).toMatchObject({
    approvers: { high: 2 },
    presence: { none: 'hold' },
    allowlist: [{ effect: 'ask', approvers: 2 }],
  });
  await high.selectOption('By default: Hold or passkey');
  await none.selectOption('By default: One click');
  await approver.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => (await interlock.policy()).agents?.['*'])
    .not.toMatchObject({ presence: expect.anything() });
  expect((await interlock.policy()).agents?.['*']).not.toHaveProperty('approvers');
});

test('a rule that can hardly be meant is saved only by who says that it is meant', async ({
  interlock,
  approver,
}) => {
  await approver.getByRole('link', { name: 'Allowlist' }).click();
  await approver.getByRole('button', { name: 'Add rule' }).click();
  const form = approver.getByRole('dialog', { name: 'Add a rule' });
  await form.getByLabel('Program').fill('bash');
  await form.getByRole('button', { name: 'Apply' }).click();
  const doubt = approver.getByRole('dialog', { name: 'You probably do not mean this' });
  await approver.getByRole('button', { name: 'Save' }).click();
  await expect(doubt).toContainText('bash runs any code');
  await doubt.getByRole('button', { name: 'Keep editing' }).click();
  expect((await interlock.policy()).agents?.['*']?.allowlist ?? []).toEqual([]);
  await approver.getByRole('button', { name: 'Save' }).click();
  await doubt.getByRole('button', { name: 'Save anyway' }).click();
  await expect(approver.getByText('Saved.', { exact: true })).toBeVisible();
  expect((await interlock.policy()).agents?.['*']?.allowlist).toMatchObject([{ pattern: 'bash' }]);
});

test('what was decided stands in the history', async ({ interlock, approver }) => {
  const { done } = interlock.call('run', '--', 'echo', 'for the record');
  await deny(approver);
  await done;
  await approver.getByRole('link', { name: 'History' }).click();
  const row = approver.getByRole('listitem').filter({ hasText: 'for the record' });
  await expect(row).toContainText('Denied');
  await expect(row).toContainText('by you');
  await approver.getByRole('radio', { name: 'Allowed' }).check({ force: true });
  await expect(row).toHaveCount(0);
  await approver.getByRole('radio', { name: 'Denied' }).check({ force: true });
  await expect(row).toBeVisible();
});

test('among 20,000 rules one is added, and only that goes over the wire', async ({
  interlock,
  page,
}) => {
  // Patience, not a measure: a busy machine takes its time over a list of this length.
  test.slow();
  const policy = await interlock.policy();
  const allowlist = Array.from({ length: 20_000 }, (_, index) => ({
    id: `tool-${index}`,
    pattern: `/opt/tools/bin/tool-${index}`,
    args: ['run', '...'],
  }));
  const agents = { '*': { ...policy.agents?.['*'], allowlist } };
  await writeFile(
    join(interlock.home, 'exec-approvals.json'),
    JSON.stringify({ ...policy, agents }),
  );
  const lengths: number[] = [];
  page.on('websocket', (socket) => {
    socket.on('framesent', ({ payload }) => lengths.push(payload.length));
    socket.on('framereceived', ({ payload }) => lengths.push(payload.length));
  });
  await page.goto(await interlock.openConsole());
  await expect(page).toHaveTitle('Armed · Interlock');
  expect(Math.max(...lengths)).toBeLessThan(16 * 1024);

  await page.getByRole('link', { name: 'Allowlist' }).click();
  await expect(page.getByText('20,000 rules')).toBeVisible({ timeout: 60_000 });
  lengths.length = 0;
  await page.getByRole('button', { name: 'Add rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a rule' });
  await dialog.getByLabel('Program').fill('uname');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('textbox', { name: 'Command' }).fill('uname');
  await expect(page.getByText('Would run')).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
  expect((await interlock.policy()).agents?.['*']?.allowlist?.at(-1)).toMatchObject({
    pattern: 'uname',
  });
  expect(Math.max(...lengths)).toBeLessThan(16 * 1024);
});
