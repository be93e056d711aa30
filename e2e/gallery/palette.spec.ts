import { arm, callsOf, expect, test } from '../support/gallery.ts';

const openPalette = 'Control+k';

test('Ctrl+K finds a view by its name, and the arrows and Enter go there', async ({
  page,
  gallery,
}) => {
  await gallery.open('records');
  await page.keyboard.press(openPalette);
  const dialog = page.getByRole('dialog', { name: 'Go to or run' });
  await expect(dialog.getByRole('combobox')).toBeFocused();
  await page.keyboard.type('show');
  await page.keyboard.press('ArrowDown');
  await expect(dialog.getByRole('option', { selected: true })).toHaveText('Show Allowlist');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Allowlist' })).toBeVisible();
});

test('it leads to an ask and answers none, whatever is typed', async ({ page, gallery }) => {
  await gallery.open('risky', 'history');
  await page.keyboard.press(openPalette);
  await page.keyboard.type('allow');
  await expect(page.getByRole('option', { name: /^Allow/ })).toHaveCount(0);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('review');
  await page.keyboard.press('Enter');
  await expect(page.locator('.command-text')).toBeVisible();
  // Keys that were meant for the palette answer nothing in the prompt behind it.
  await page.keyboard.press('Enter');
  await page.keyboard.press('d');
  expect((await callsOf(page)).map(({ name }) => name)).not.toContain('answer');
  await gallery.pass(700);
  await page.keyboard.press('d');
  expect((await callsOf(page)).map(({ name }) => name)).toContain('answer');
});

test('keys that are typed into it answer nothing', async ({ page, gallery }) => {
  await gallery.open('plain');
  await arm(page);
  await page.keyboard.press(openPalette);
  await page.keyboard.type('daAL?');
  await page.keyboard.press('Escape');
  expect(await callsOf(page)).toEqual([]);
});

test('it locks out, and offers no second lockout while everything is locked', async ({
  page,
  gallery,
}) => {
  await gallery.open('plain', 'settings');
  await page.keyboard.press(openPalette);
  await page.keyboard.type('lock');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Everything is locked out' })).toBeVisible();
  await page.keyboard.press(openPalette);
  await page.keyboard.type('lock out');
  await expect(page.getByRole('option', { name: 'Lock out', exact: true })).toHaveCount(0);
});

test('words that name nothing search the history', async ({ page, gallery }) => {
  await gallery.open('records');
  await page.keyboard.press(openPalette);
  await page.keyboard.type('left-pad');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Search commands')).toHaveValue('left-pad');
});

test('the prompt window has no palette', async ({ page, gallery }) => {
  await gallery.open('plain', 'prompt');
  await page.keyboard.press(openPalette);
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
