import { callsOf, expect, savedPolicy, test } from '../support/gallery.ts';

test('a change in the editor is said with a way back, and so is a save', async ({
  page,
  gallery,
}) => {
  await gallery.open('records', 'allowlist');
  const before = await savedPolicy(page);
  await page.getByRole('button', { name: 'Delete' }).first().click();
  const toast = page.locator('.header .toast');
  await expect(toast).toContainText('Changed, not saved yet');
  await toast.getByRole('button', { name: 'Undo' }).click();
  await expect(toast).toContainText('Taken back');
  await expect(page.getByText('1 change not saved')).toHaveCount(0);

  await page.getByRole('button', { name: 'Delete' }).first().click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(toast).toContainText('Rules saved');
  expect(await savedPolicy(page)).not.toEqual(before);
  await toast.getByRole('button', { name: 'Undo' }).click();
  await expect(toast).toContainText('Taken back');
  expect(await savedPolicy(page)).toEqual(before);
});

test('a toast of an edit never undoes another step than its own', async ({ page, gallery }) => {
  await gallery.open('records', 'allowlist');
  await page.getByLabel('When you are asked').selectOption('Every time');
  await page.getByRole('button', { name: 'Delete' }).first().click();
  await expect(page.getByText('2 changes not saved')).toBeVisible();
  const toast = page.locator('.header .toast');
  await page.locator('#main').focus();
  await page.keyboard.press('Control+z');
  await expect(toast).toHaveCount(0);
  await expect(page.getByText('1 change not saved')).toBeVisible();
});

test('a setting is taken back to what it was', async ({ page, gallery }) => {
  await gallery.open('settings', 'settings');
  await page.getByRole('radio', { name: 'Dark' }).click({ force: true });
  const toast = page.locator('.header .toast');
  await expect(toast).toContainText('Setting changed');
  await toast.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('radio', { name: 'As the system' }).first()).toBeChecked();
  const saved = (await callsOf(page)).filter(({ name }) => name === 'changeSettings');
  expect(saved.map(({ args }) => args)).toEqual([
    { choice: { theme: 'dark' } },
    { choice: { theme: 'system' } },
  ]);
});

test('who waits is said beside what was changed', async ({ page, gallery }) => {
  await gallery.open('plain', 'settings');
  await expect(page.getByRole('button', { name: 'Review' })).toBeVisible();
  await gallery.open('plain', 'allowlist');
  await page.getByRole('button', { name: 'Delete' }).first().click();
  await expect(page.getByText('Changed, not saved yet')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Review' })).toBeVisible();
});

test('where nothing waits: agents, the day, and the last answers', async ({ page, gallery }) => {
  await gallery.open('records');
  await gallery.pass(300);
  await expect(page.getByRole('region', { name: 'Agents' })).toContainText('Claude Code');
  await expect(page.getByRole('region', { name: 'Today' })).toContainText('ran unasked');
  const last = page.getByRole('region', { name: 'Last answers' });
  await expect(last.getByRole('listitem')).toHaveCount(5);
  await last.getByRole('button', { name: 'The whole history' }).click();
  await expect(page.getByRole('heading', { name: 'History' })).toBeVisible();
});
