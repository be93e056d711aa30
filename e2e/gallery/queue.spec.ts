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
});
