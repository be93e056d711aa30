import { callsOf, expect, test } from '../support/gallery.ts';

test('the settings say what a browser page cannot do, and keep it all the same', async ({
  page,
  gallery,
}) => {
  await gallery.open('settings', 'settings');
  const absence = page.getByRole('region', { name: 'When you are away' });
  await expect(absence.getByText('A browser page cannot do this.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Look' })).not.toContainText('cannot do this');
  await page.getByRole('checkbox', { name: 'Sound' }).uncheck();
  await absence
    .getByRole('group', { name: 'When the screen locks' })
    .getByRole('radio', { name: 'Pause' })
    .check({ force: true });
  expect(await callsOf(page)).toMatchObject([
    { name: 'changeSettings', args: { choice: { sound: false } } },
    { name: 'changeSettings', args: { choice: { onScreenLock: 'pause' } } },
  ]);
});

test('a shortcut is pressed, taken away, and told when another program has it', async ({
  page,
  gallery,
}) => {
  await gallery.open('settings', 'settings');
  await expect(page.getByText('Another program has this shortcut')).toHaveCount(1);
  const field = page.getByLabel('Lock out from anywhere', { exact: true });
  await field.press('x');
  await expect(page.getByText('Use at least one of')).toBeVisible();
  await field.press('Control+Shift+K');
  await expect(field).toHaveValue('Control+Shift+K');
  await field.press('Delete');
  await expect(field).toHaveValue('none');
  expect((await callsOf(page)).map(({ args }) => args)).toEqual([
    { choice: { lockoutShortcut: 'Control+Shift+K' } },
    { choice: { lockoutShortcut: null } },
  ]);
});

test('an update feed has to be a plain https address', async ({ page, gallery }) => {
  await gallery.open('settings', 'settings');
  const updates = page.getByRole('region', { name: 'Updates' });
  await updates.getByRole('textbox').fill('http://updates.example.test');
  await expect(updates.getByRole('button', { name: 'Save' })).toBeDisabled();
  await updates.getByRole('textbox').fill('https://updates.example.test/feed');
  await updates.getByRole('button', { name: 'Save' }).click();
  expect(await callsOf(page)).toMatchObject([
    { args: { choice: { updateFeed: 'https://updates.example.test/feed' } } },
  ]);
});

test('a damaged settings file is told, and nothing is written over it', async ({
  page,
  gallery,
}) => {
  await gallery.open('settings-damaged', 'settings');
  await expect(page.getByRole('alert')).toContainText('ui.json is not JSON.');
  await expect(page.getByRole('checkbox', { name: 'Sound' })).toBeDisabled();
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  expect(await callsOf(page)).toEqual([]);
});

test('what another shell chose is followed', async ({ page, gallery }) => {
  await gallery.open('settings', 'settings');
  await page.evaluate(() =>
    (
      window as unknown as {
        pushState: (change: (state: { settings: { settings: object } }) => object) => void;
      }
    ).pushState((state) => ({
      ...state,
      settings: { ...state.settings, settings: { ...state.settings.settings, language: 'de' } },
    })),
  );
  await expect(page.getByRole('heading', { name: 'Einstellungen' })).toBeVisible();
});

test('an address brings an ask on screen, the same one twice, and a view', async ({
  page,
  gallery,
}) => {
  await gallery.open('queue', 'asks/codex-2');
  await expect(page.locator('.command-text')).toHaveText('cargo build');
  const go = (hash: string): Promise<void> =>
    page.evaluate((to) => {
      location.hash = to;
    }, hash);
  await go('#/settings');
  await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible();
  await go('#/asks/read-1');
  await expect(page.locator('.command-text')).toContainText('HEAD~1');
  await page.keyboard.press('k');
  await expect(page.locator('.command-text')).toContainText('HEAD~0');
  await go('#/asks/read-1');
  await expect(page.locator('.command-text')).toContainText('HEAD~1');
  await go('#/asks/never-there');
  await expect(page.locator('.command-text')).toHaveText('npm test');
});

test('the keys are listed on their own key', async ({ page, gallery }) => {
  await gallery.open('plain');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toContainText('Allow and remember');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await callsOf(page)).toEqual([]);
});

test('secrets are listed with what they are for, and one goes after a second look', async ({
  page,
  gallery,
}) => {
  await gallery.open('settings', 'settings');
  const secrets = page.getByRole('region', { name: 'Secrets' });
  await expect(secrets).toContainText("Secrets are kept in the system's keychain.");
  await expect(secrets).toContainText('for the brokered tool gh · in a header for api.github.com');
  await expect(secrets).toContainText('key of claude with interlock wrap');
  await expect(secrets).toContainText('It is not kept yet: interlock secret set npm');
  await expect(secrets.getByRole('button', { name: 'Remove: npm' })).toHaveCount(0);
  await secrets.getByRole('button', { name: 'Remove: old-token' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
  expect(await callsOf(page)).toEqual([]);
  await secrets.getByRole('button', { name: 'Remove: old-token' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await callsOf(page)).toEqual([{ name: 'removeSecret', args: { name: 'old-token' } }]);
});
