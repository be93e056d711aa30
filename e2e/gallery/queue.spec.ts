import type { GalleryWindow } from '../gallery-page/fake-bridge.ts';
import { arm, callsOf, expect, test } from '../support/gallery.ts';

test.describe('the queue', () => {
  test('groups like asks of each agent, the oldest on screen', async ({ page, gallery }) => {
    await gallery.open('queue');
    const queue = page.getByRole('complementary', { name: 'Waiting' });
    await expect(queue.getByRole('region')).toHaveCount(2);
    await expect(page.locator('.command-text')).toContainText('npm test');
    await expect(page).toHaveTitle('7 asks · Interlock');
  });

  test('moves with the keys and answers nothing by it', async ({ page, gallery }) => {
    await gallery.open('queue');
    await arm(page);
    await page.keyboard.press('j');
    await expect(page.locator('.command-text')).toContainText('git show HEAD~0');
    await page.keyboard.press('k');
    await expect(page.locator('.command-text')).toContainText('npm test');
    expect(await callsOf(page)).toEqual([]);
  });

  test('collapses a flood and denies it at once', async ({ page, gallery }) => {
    await gallery.open('flood');
    await expect(page.getByText('claude has asked 40 times. Shown as one.')).toBeVisible();
    await expect(page.getByRole('button', { name: /git show/ })).toHaveCount(1);
    await page.getByRole('button', { name: 'Show each' }).click();
    await expect(page.getByRole('button', { name: /git show/ })).toHaveCount(40);
    await page.getByRole('button', { name: 'Deny all 40' }).click();
    await expect(page.getByText('claude has asked')).toHaveCount(0);
    const [call] = await callsOf(page);
    expect(call?.name).toBe('answerMany');
    expect((call?.args as { answers: unknown[] } | undefined)?.answers).toHaveLength(40);
  });

  test('allows like asks only after the list was seen', async ({ page, gallery }) => {
    await gallery.open('queue');
    await page.getByRole('button', { name: 'Review and allow 3' }).click();
    const dialog = page.getByRole('dialog', { name: 'Allow these 3 once each?' });
    await expect(dialog.getByRole('listitem')).toHaveCount(3);
    const allow = dialog.getByRole('button', { name: 'Allow all 3 once' });
    await allow.click({ force: true });
    expect(await callsOf(page)).toEqual([]);
    await gallery.pass(700);
    await allow.click();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole('button', { name: /git show/ })).toHaveCount(0);
  });

  test('offers no common answer but Deny to what can do harm', async ({ page, gallery }) => {
    await gallery.open('queue');
    const codex = page.getByRole('region', { name: 'codex' });
    await expect(codex.getByRole('button', { name: /Review and allow/ })).toHaveCount(1);
    await expect(codex.getByRole('button', { name: 'Review and allow 2' })).toBeVisible();
  });

  test('says what like ones share, and marks each risk with a word', async ({ page, gallery }) => {
    await gallery.open('queue');
    const queue = page.getByRole('complementary', { name: 'Waiting' });
    await expect(queue.getByText('3 alike: git show')).toBeVisible();
    await expect(queue.getByText('This can do harm')).toHaveCount(1);
  });

  test('denies the chosen ones and no other', async ({ page, gallery }) => {
    await gallery.open('queue');
    const boxes = page.getByRole('checkbox', { name: 'Choose this one' });
    await boxes.nth(1).check();
    await boxes.nth(3).check();
    await page.getByRole('button', { name: 'Deny the 2 chosen' }).click();
    const [call] = await callsOf(page);
    expect(call?.name).toBe('answerMany');
    expect((call?.args as { answers: unknown[] } | undefined)?.answers).toHaveLength(2);
    await expect(page.getByText('chosen')).toHaveCount(0);
  });

  test('what can do harm is chosen to be denied, never to be allowed', async ({
    page,
    gallery,
  }) => {
    await gallery.open('queue');
    const risky = page.locator('.queue-row').filter({ hasText: 'This can do harm' });
    await risky.getByRole('checkbox').check();
    const picked = page.getByRole('group', { name: '1 chosen' });
    await expect(picked.getByRole('button', { name: /Deny/ })).toBeVisible();
    await expect(picked.getByRole('button', { name: /allow/i })).toHaveCount(0);
    await expect(risky.getByRole('button', { name: 'Allow…' })).toHaveCount(0);
  });

  test('one is allowed from its row only after all of it was seen', async ({ page, gallery }) => {
    await gallery.open('queue');
    const row = page.locator('.queue-row').nth(1);
    await row.getByRole('button', { name: 'Allow…' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('listitem')).toHaveCount(1);
    const allow = dialog.getByRole('button', { name: /^Allow/ });
    await allow.click({ force: true });
    expect(await callsOf(page)).toEqual([]);
    await gallery.pass(700);
    await allow.click();
    await expect(dialog).toHaveCount(0);
    expect(await callsOf(page)).toHaveLength(1);
  });

  test('nothing in it slides while a pointer is on it', async ({ page, gallery }) => {
    await gallery.open('queue');
    const denyAll = page.getByRole('button', { name: 'Deny all 3' });
    await denyAll.hover();
    const place = await denyAll.boundingBox();
    await page.evaluate(() =>
      (window as unknown as GalleryWindow).pushState((state) => {
        const [first, ...rest] = state.queue;
        if (first === undefined) return state;
        const ask = { ...first.ask, id: 'fresh', command: 'git show fresh' };
        return { ...state, queue: [...rest.slice(1), { ask, askDigest: 'e'.repeat(64) }] };
      }),
    );
    await expect(page.getByText('1 more came')).toBeVisible();
    await expect(page.getByText('gone', { exact: true })).toHaveCount(2);
    expect(await denyAll.boundingBox()).toEqual(place);
    await denyAll.click();
    const [call] = await callsOf(page);
    const denied =
      (call?.args as { answers: readonly { id: string }[] } | undefined)?.answers ?? [];
    // Only what the button stood for, and only what waits.
    expect(denied.map(({ id }) => id)).not.toContain('fresh');
    expect(denied).toHaveLength(2);
  });
});
