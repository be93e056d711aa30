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
