import { callsOf, expect, test } from '../support/gallery.ts';

test('the history is narrowed by who decided and by time', async ({ page, gallery }) => {
  await gallery.open('records', 'history');
  await gallery.pass(300);
  await page.getByLabel('Who decided').selectOption('by you');
  await page.getByLabel('When').selectOption('Last hour');
  await gallery.pass(300);
  await expect(page.getByRole('status').filter({ hasText: 'decisions' })).toHaveText(
    '54 decisions',
  );
  const last = (await callsOf(page)).findLast(({ name }) => name === 'history');
  expect(last?.args).toMatchObject({ by: 'person' });
  await page.getByLabel('When').selectOption('At any time');
  await page.getByLabel('Who decided').selectOption('Anyone');
  await gallery.pass(300);
  await expect(page.getByText('100000 decisions')).toBeVisible();
});

test('the whole command of a row is shown by click and by keyboard', async ({ page, gallery }) => {
  await gallery.open('records', 'history');
  await gallery.pass(300);
  const row = page.getByRole('button', { name: 'rm -rf node_modules && npm ci' }).first();
  await row.click();
  const dialog = page.getByRole('dialog', { name: 'One decision' });
  await expect(dialog.getByText('rm -rf node_modules && npm ci')).toBeVisible();
  await expect(dialog.getByText('/home/ana/src/app')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(row).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toBeVisible();
});
