import { callsOf, expect, test } from '../support/gallery.ts';

test('the lockout takes one click, says what it did, and is left by passphrase and hold', async ({
  page,
  gallery,
}) => {
  await gallery.open('plain');
  await page.getByRole('button', { name: 'Lock out' }).click();
  await expect(page.getByText('2 running commands were stopped')).toBeVisible();
  await expect(page.getByText('3 keys were replaced')).toBeVisible();
  await expect(page).toHaveTitle('Locked out · Interlock');
  const unlock = page.getByRole('button', { name: 'Hold to unlock' });
  await expect(unlock).toHaveAttribute('aria-disabled', 'true');
  await page.getByLabel('Passphrase').fill('open sesame');
  await unlock.focus();
  await page.keyboard.down(' ');
  await gallery.pass(1700);
  await page.keyboard.up(' ');
  await expect(page.getByRole('heading', { name: 'Everything is locked out' })).toHaveCount(0);
  expect(await callsOf(page)).toMatchObject([
    { name: 'lockout' },
    { name: 'unlock', args: { passphrase: 'open sesame', agents: true } },
  ]);
});

test('the lockout has a key, and a text field keeps it from working', async ({ page, gallery }) => {
  await gallery.open('records', 'history');
  await page.getByLabel('Search commands').press('Shift+L');
  expect((await callsOf(page)).some(({ name }) => name === 'lockout')).toBe(false);
  await page.getByRole('link', { name: 'Health' }).press('Shift+L');
  await expect(page.getByRole('heading', { name: 'Everything is locked out' })).toBeVisible();
});

test('pause and resume stand beside it', async ({ page, gallery }) => {
  await gallery.open('empty');
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(page).toHaveTitle('Paused · Interlock');
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page).toHaveTitle('Armed · Interlock');
});

test('the history shows 100,000 decisions without holding them', async ({ page, gallery }) => {
  await gallery.open('records', 'history');
  await gallery.pass(300);
  await expect(page.getByText('100000 decisions')).toBeVisible();
  expect(await page.getByRole('listitem').count()).toBeLessThan(80);
  await page.getByRole('group', { name: 'History' }).evaluate((box) => {
    box.scrollTop = box.scrollHeight;
  });
  await gallery.pass(300);
  await expect(page.locator('[aria-posinset="100000"]')).toContainText('claude');
});

test('health mends what can be mended', async ({ page, gallery }) => {
  await gallery.open('records', 'health');
  await expect(page.getByText('2 things need care')).toBeVisible();
  await page.getByRole('button', { name: /^Mend/ }).click();
  await expect(page.getByText('1 thing needs care')).toBeVisible();
});

test('health looks again when the gate is locked, and shows nothing of before', async ({
  page,
  gallery,
}) => {
  await gallery.open('records', 'health');
  await expect(page.getByText('2 things need care')).toBeVisible();
  const looks = async (): Promise<number> =>
    (await callsOf(page)).filter(({ name }) => name === 'health').length;
  const before = await looks();
  await page.getByRole('button', { name: 'Lock out' }).click();
  await expect(page.getByRole('heading', { name: 'Everything is locked out' })).toBeVisible();
  await expect.poll(looks).toBe(before + 1);
});

test('language and appearance can be chosen and stay', async ({ page, gallery }) => {
  await gallery.open('plain', 'settings');
  await page.getByRole('radio', { name: 'Deutsch' }).check({ force: true });
  await page.getByRole('radio', { name: 'Dunkel' }).check({ force: true });
  await page.getByRole('link', { name: 'Anfragen' }).click();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByRole('button', { name: /^Ablehnen/ })).toBeVisible();
});

test('a policy that is not valid is told in red, with its sentence', async ({ page, gallery }) => {
  await gallery.open('invalid');
  await expect(page.getByRole('alert')).toContainText('everything is refused');
  await expect(page.getByRole('alert')).toContainText('"patern" is not a field');
});

test('without a connection nothing can be allowed', async ({ page, gallery }) => {
  await gallery.open('lost');
  await gallery.pass(700);
  await expect(page.getByRole('alert')).toContainText('connection to the approver is lost');
  await expect(page.getByRole('button', { name: 'Allow once' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
});

test('every other view says who waits, and the way there answers nothing', async ({
  page,
  gallery,
}) => {
  await gallery.open('queue', 'history');
  await expect(page.getByText('claude wants to run npm test')).toBeVisible();
  await page.getByRole('button', { name: 'Review' }).click();
  await expect(page.locator('.command-text')).toContainText('npm test');
  await expect(page.getByRole('button', { name: 'Review', exact: true })).toHaveCount(0);
  expect((await callsOf(page)).filter(({ name }) => name.startsWith('answer'))).toEqual([]);
});

test('a page whose connection ended says how to lock out, and a locked one does not offer it', async ({
  page,
  gallery,
}) => {
  await gallery.open('ended');
  await page.getByRole('button', { name: 'Lock out' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Nothing was locked' })).toContainText(
    'interlock lockout',
  );
  expect((await callsOf(page)).some(({ name }) => name === 'lockout')).toBe(false);
  await gallery.open('locked');
  await expect(page.getByRole('button', { name: 'Locked out' })).toBeDisabled();
});

test('the first passphrase is set in the guide, once it was typed twice', async ({
  page,
  gallery,
}) => {
  await gallery.open('first');
  const set = page.getByRole('button', { name: 'Set the passphrase' });
  await page.getByLabel('Passphrase', { exact: true }).fill('three words here');
  await page.getByLabel('The same again').fill('three words');
  await expect(set).toBeDisabled();
  await expect(page.getByText('The two are not the same')).toBeVisible();
  await page.getByLabel('The same again').fill('three words here');
  await set.click();
  await expect(set).toHaveCount(0);
  expect((await callsOf(page)).filter(({ name }) => name === 'setPassphrase')).toEqual([
    { name: 'setPassphrase', args: { passphrase: 'three words here' } },
  ]);
});
