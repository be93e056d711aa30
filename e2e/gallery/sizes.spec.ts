import { expect, test } from '../support/gallery.ts';

const lists = [
  { scenario: 'many-rules', view: 'allowlist', box: '.rules-box', rows: '.rules-body .rule-row' },
  { scenario: 'records', view: 'history', box: '.history-box', rows: '.history-row' },
] as const;

for (const { scenario, view, box, rows } of lists) {
  test(`the list of "${scenario}" scrolls to its end with few rows in the page`, async ({
    page,
    gallery,
  }) => {
    await page.setViewportSize({ width: 1000, height: 1800 });
    await gallery.open(scenario, view);
    await gallery.pass(500);
    if (view === 'allowlist') {
      await page.getByRole('combobox', { name: 'Agent' }).selectOption('claude');
    }
    const list = page.locator(box);
    await expect(list).toBeVisible();
    let most = 0;
    for (const share of [0.01, 0.2, 0.5, 0.77, 1, 1, 1]) {
      await list.evaluate((element, part) => {
        element.scrollTop = (element.scrollHeight - element.clientHeight) * part;
      }, share);
      await gallery.pass(150);
      most = Math.max(most, await page.locator(rows).count());
      await expect(page.locator(rows).first()).toBeAttached();
    }
    expect(most).toBeLessThan(60);
    const end =
      view === 'allowlist'
        ? page.getByRole('row', { name: /tool-9999/ })
        : page.locator('[aria-posinset="100000"]');
    await expect(end).toBeInViewport();
  });
}

const views = [
  ['risky', 'asks'],
  ['records', 'allowlist'],
  ['records', 'history'],
  ['records', 'missed'],
  ['records', 'health'],
  ['settings', 'settings'],
  ['guide', 'asks'],
  ['locked', 'asks'],
] as const;

for (const [scenario, view] of views) {
  test(`${view} with "${scenario}" fits at 200 % zoom, also of the text alone`, async ({
    page,
    gallery,
  }) => {
    await gallery.open(scenario, view);
    await gallery.pass(800);
    const overflow = (): Promise<number> =>
      page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
    // A window of 1280 pixels, and one of 640, magnified twice.
    for (const width of [640, 320]) {
      await page.setViewportSize({ width, height: 400 });
      expect(await overflow(), `at ${width}`).toBeLessThanOrEqual(0);
    }
    await page.setViewportSize({ width: 640, height: 700 });
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    expect(await overflow(), 'with text of double size').toBeLessThanOrEqual(0);
    await expect(page.getByRole('button', { name: /^Lock(ed)? out$/ })).toBeInViewport();
  });
}

test('an option is never cut after its hyphens, and a long word still wraps', async ({
  page,
  gallery,
}) => {
  await gallery.open('risky');
  for (const width of [320, 360, 420, 500, 640]) {
    await page.setViewportSize({ width, height: 700 });
    const cut = await page.locator('.whole').evaluateAll((words) =>
      words
        .filter((word) => {
          const range = document.createRange();
          range.selectNodeContents(word);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          return lines.size > 1;
        })
        .map(({ textContent }) => textContent),
    );
    expect(cut, `at ${width}`).toEqual([]);
  }
  await gallery.open('hyphens');
  await page.setViewportSize({ width: 320, height: 700 });
  const box = page.locator('.command-box');
  expect(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});

test('German shows its sentence for a code, with the gate’s own words beneath', async ({
  page,
  gallery,
}) => {
  await gallery.open('settings', 'settings');
  await page.getByRole('radio', { name: 'Deutsch' }).check({ force: true });
  await gallery.open('risky');
  const finding = page.getByRole('listitem').filter({ hasText: 'entfernten Repository' });
  await expect(finding.locator('[lang="en"]')).toHaveText(
    'Replaces the history of main on the remote origin.',
  );
});
