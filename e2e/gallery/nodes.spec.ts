import { callsOf, expect, test } from '../support/gallery.ts';

test('a machine is paired once its code was compared, and removed by a person', async ({
  page,
  gallery,
}) => {
  await gallery.open('nodes', 'nodes');
  const view = page.getByRole('region', { name: 'Nodes' });
  await expect(view).toContainText('Other machines may connect to 0.0.0.0:7433.');
  await expect(view).toContainText('7KQ2-M0XD');
  await expect(view).toContainText(/9:\d\d left/);
  await expect(view.getByRole('listitem').filter({ hasText: 'mac mini' })).toContainText('Online');
  await view.getByRole('button', { name: 'Pair… build machine' }).click();
  const dialog = page.getByRole('dialog', { name: 'Does build machine show this code?' });
  await expect(dialog).toContainText('7KQ2-M0XD');
  expect(await callsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'It is the same: pair' }).click();
  await expect(view).not.toContainText('7KQ2-M0XD');
  await expect(view.getByRole('listitem').filter({ hasText: 'build machine' })).toContainText(
    'never seen',
  );
  await view.getByRole('button', { name: 'Remove: mac mini' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(view.getByRole('listitem').filter({ hasText: 'mac mini' })).toContainText('Removed');
  expect(await callsOf(page)).toEqual([
    { name: 'approveNode', args: { code: '7KQ2-M0XD' } },
    { name: 'removeNode', args: { node: 'c4'.repeat(32) } },
  ]);
});

test('without machines the view says what to type', async ({ page, gallery }) => {
  await gallery.open('empty', 'nodes');
  const view = page.getByRole('region', { name: 'Nodes' });
  await expect(view).toContainText('interlock node pair HOST');
  await expect(view).toContainText('No other machine may connect');
});

test('each machine has a tick once a lockout has reached it', async ({ page, gallery }) => {
  await gallery.open('lockedNodes', 'nodes');
  const view = page.getByRole('region', { name: 'Nodes' });
  await expect(view.getByRole('listitem').filter({ hasText: 'mac mini' })).toContainText(
    'Online ✓ Locked',
  );
  await expect(view.getByRole('listitem').filter({ hasText: 'old laptop' })).toContainText(
    'Offline Not locked yet',
  );
});
