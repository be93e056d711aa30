import { arm, expect, test } from '../support/gallery.ts';

test('the first steps end with a real ask answered, and go away', async ({ page, gallery }) => {
  await gallery.open('guide');
  await page.getByRole('button', { name: 'Try it with a real ask' }).click();
  await expect(page.locator('.command-text')).toContainText('you answered');
  await arm(page);
  await page.keyboard.press('d');
  await expect(page.getByRole('heading', { name: 'All set' })).toBeVisible();
  await page.getByRole('button', { name: 'Close the first steps' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
});

test('the first steps can be skipped, and be called back', async ({ page, gallery }) => {
  await gallery.open('first');
  await expect(page.getByRole('button', { name: 'Try it with a real ask' })).toBeDisabled();
  await page.getByRole('button', { name: 'Skip this' }).click();
  await expect(page.getByRole('heading', { name: 'First steps' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Show the first steps again' }).click();
  await page.getByRole('link', { name: 'Asks' }).click();
  await expect(page.getByRole('heading', { name: 'First steps' })).toBeVisible();
});

test('an ask that comes is never behind the first steps', async ({ page, gallery }) => {
  await gallery.open('plain');
  await gallery.pass(500);
  await expect(page.getByRole('heading', { name: 'First steps' })).toHaveCount(0);
  await expect(page.locator('.command-text')).toContainText('npm test');
});

test('who has finished is not told so again', async ({ page, gallery }) => {
  await gallery.open('empty');
  await gallery.pass(500);
  await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
});

test('the runner is started from here', async ({ page, gallery }) => {
  await gallery.open('first');
  await page.getByRole('button', { name: 'Start the runner' }).click();
  await expect(page).toHaveTitle('Armed · Interlock');
  await expect(page.getByRole('button', { name: 'Try it with a real ask' })).toBeEnabled();
});
