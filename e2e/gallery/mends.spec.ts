import { callsOf, expect, test } from '../support/gallery.ts';

test('a lockout without a passphrase offers no field for one, and says what to type', async ({
  page,
  gallery,
}) => {
  await gallery.open('unset');
  await expect(page.getByText('interlock unlock')).toBeVisible();
  await expect(page.getByLabel('Passphrase')).toHaveCount(0);
});

test('Ctrl+Z takes the last step of the edit back, and leaves what is typed alone', async ({
  page,
  gallery,
}) => {
  await gallery.open('records', 'allowlist');
  await page.getByRole('button', { name: 'Delete' }).first().click();
  await expect(page.getByText('1 change not saved')).toBeVisible();
  await page.getByLabel('Search rules').press('Control+z');
  await expect(page.getByText('1 change not saved')).toBeVisible();
  await page.locator('#main').focus();
  await page.keyboard.press('Control+z');
  await expect(page.getByText('1 change not saved')).toHaveCount(0);
  expect((await callsOf(page)).map(({ name }) => name)).not.toContain('savePolicy');
});

test('the answer to a long form is in view in a low window', async ({ page, gallery }) => {
  await page.setViewportSize({ width: 800, height: 600 });
  await gallery.open('records', 'allowlist');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await expect(page.getByRole('button', { name: 'Apply' })).toBeInViewport({ ratio: 1 });
});

test('what answers a click is brought into view, however far down it was pressed', async ({
  page,
  gallery,
}) => {
  await page.setViewportSize({ width: 800, height: 420 });
  await gallery.open('lost', 'allowlist');
  await gallery.pass(500);
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await expect(page.getByText('The connection to the approver is lost.')).not.toBeInViewport();
  await page.getByRole('button', { name: 'Lock out' }).click();
  await expect(page.getByText('Nothing was locked')).toBeInViewport({ ratio: 1 });
});

test('the names of the views never run out of a magnified window', async ({ page, gallery }) => {
  await gallery.open('risky');
  for (const width of [832, 720, 640, 590, 480, 360]) {
    await page.setViewportSize({ width, height: 400 });
    await expect(page.getByRole('link', { name: 'Health' })).toBeInViewport({ ratio: 1 });
  }
});

test.describe('in German', () => {
  test.use({ locale: 'de-DE' });
  test('what an answer would cover is said in German', async ({ page, gallery }) => {
    await gallery.open('plain');
    await gallery.pass(800);
    const sentence = page.locator('.offer');
    await expect(sentence).toHaveText('Erlaubt wird: genau „npm test“. Gilt nur für claude.');
    await page.keyboard.press('w');
    await expect(sentence).toContainText('mit beliebigen weiteren Argumenten, außer wenn');
    await page.getByRole('radio', { name: 'Alle Agenten' }).check();
    await expect(sentence).toContainText('Gilt für alle Agenten, auch für künftige.');
  });

  test('why one is asked is said in German, with the words of the check where they say more', async ({
    page,
    gallery,
  }) => {
    await gallery.open('plain');
    await expect(page.getByText('Für npm gibt es noch keine Regel.')).toBeVisible();
    await expect(page.locator('.reasons [lang="en"]')).toHaveCount(0);
    await gallery.open('opaque');
    const stages = page.locator('.stages');
    await expect(stages.getByText('Für curl gibt es noch keine Regel.')).toBeVisible();
    await expect(stages.getByText('Für sh kann es keine Regel geben.')).toBeVisible();
    await expect(stages.locator('.worded-original')).toHaveText(
      'No rule can allow sh: sh runs whatever it is given as input.',
    );
  });
});
