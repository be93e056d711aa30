import { callsOf, expect, savedPolicy, test } from '../support/gallery.ts';
import type { Page } from '@playwright/test';

async function chooseClaude(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Agent' }).selectOption('claude');
}

test.describe('the allowlist editor', () => {
  test('keeps only the rows in view of 10,000 rules in the page', async ({ page, gallery }) => {
    await gallery.open('many-rules', 'allowlist');
    await chooseClaude(page);
    await expect(page.getByText('10,007 rules')).toBeVisible();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    await page.getByLabel('Search rules').fill('tool-9876');
    await expect(page.getByText('1 of 10,007 rules')).toBeVisible();
    await expect(page.getByRole('row', { name: /tool-9876/ })).toBeVisible();
  });

  test('points out what is too wide and what was never used', async ({ page, gallery }) => {
    await gallery.open('records', 'allowlist');
    await chooseClaude(page);
    await page.getByRole('radio', { name: 'Too wide' }).check({ force: true });
    await expect(page.getByText('1 of 7 rules')).toBeVisible();
    await expect(page.getByRole('row', { name: /node/ })).toBeVisible();
    await page.getByRole('radio', { name: 'Unused' }).check({ force: true });
    await expect(page.getByRole('row', { name: /cmake/ })).toBeVisible();
  });

  test('says by default how many people a risk takes, for every agent that says nothing', async ({
    page,
    gallery,
  }) => {
    await gallery.open('records', 'allowlist');
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('*');
    await page.getByText('By default, for who says nothing else').click();
    await page.getByLabel('By default for: High risk').selectOption('two');
    await page.getByLabel('By default for: Low risk').selectOption('passkey');
    await expect(page.getByLabel('What it takes to allow: High risk')).toContainText(
      'By default: Two',
    );
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await savedPolicy(page)).toMatchObject({
      defaults: { approvers: { high: 2 }, presence: { low: 'passkey' } },
    });
  });

  test('shows what the administrator and the fleet have locked, and by whom', async ({
    page,
    gallery,
  }) => {
    await gallery.open('bounded', 'allowlist');
    await gallery.pass(300);
    const modes = page.getByRole('region', { name: 'Modes' });
    const security = modes.getByLabel('What may run');
    await expect(security).toHaveAccessibleDescription(
      /^Locked by the administrator .* \(\/etc\/interlock\/policy\.d\/10-company\.json\)/,
    );
    await expect(security.locator('option[value="full"]')).toBeDisabled();
    await expect(security.locator('option[value="deny"]')).toBeEnabled();
    const ask = modes.getByLabel('When you are asked');
    await expect(ask).toBeDisabled();
    await expect(ask).toHaveAccessibleDescription(/^Locked by the fleet of this machine/);
  });

  test('says what is wrong while a rule is typed, and adds it when it is right', async ({
    page,
    gallery,
  }) => {
    await gallery.open('records', 'allowlist');
    await page.getByRole('button', { name: 'Add rule' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a rule' });
    await dialog.getByLabel('Program').fill('bin/tool');
    await expect(dialog.getByText('Use a full path')).toBeVisible();
    await dialog.getByLabel('Program').fill('/usr/bin/git');
    await dialog.getByRole('textbox', { name: 'These words' }).fill("commit '-m");
    await expect(dialog.getByText('A quotation mark is not closed.')).toBeVisible();
    await dialog.getByRole('textbox', { name: 'These words' }).fill('(status|diff) ...');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await expect(page.getByText('1 change not saved')).toBeVisible();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
    const call = (await callsOf(page)).find(({ name }) => name === 'savePolicy');
    expect(call?.args).toMatchObject({ baseHash: 'first' });
    expect(JSON.stringify(call?.args)).toContain('[["status","diff"],"..."]');
  });

  test('writes a rule about changed files, without arguments', async ({ page, gallery }) => {
    await gallery.open('records', 'allowlist');
    await page.getByRole('button', { name: 'Add rule' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a rule' });
    await dialog.getByRole('radio', { name: 'Changed files' }).check({ force: true });
    await expect(dialog.getByRole('radio', { name: 'Regular expression' })).toHaveCount(0);
    await dialog.getByLabel('Files', { exact: true }).fill('~/src/**');
    await dialog.getByLabel('Only with this tool').fill('Edit');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await expect(page.getByRole('row', { name: /~\/src.*changed files, with Edit/ })).toBeVisible();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
    const call = (await callsOf(page)).find(({ name }) => name === 'savePolicy');
    const rule = { kind: 'edit', pattern: '~/src/**', tool: 'Edit' };
    expect(call?.args).toMatchObject({
      patch: { agents: { '*': { rules: { insert: [{ at: 1, items: [rule] }] } } } },
    });
  });

  test('takes a deletion back', async ({ page, gallery }) => {
    await gallery.open('records', 'allowlist');
    await chooseClaude(page);
    await page.getByRole('button', { name: /^Delete: .*npm/ }).click();
    await expect(page.getByText('6 rules')).toBeVisible();
    await page.locator('#main').getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('7 rules')).toBeVisible();
    await expect(page.getByText('not saved')).toHaveCount(0);
  });

  test('tests a command with the changes that are not saved', async ({ page, gallery }) => {
    await gallery.open('records', 'allowlist');
    await chooseClaude(page);
    await page.getByRole('button', { name: /^Delete: .*cmake/ }).click();
    await page.getByRole('textbox', { name: 'Command' }).fill('git status -s');
    await gallery.pass(300);
    await expect(page.getByText('Would run')).toBeVisible();
    await expect(page.getByText('Tested with your changes')).toBeVisible();
    const call = (await callsOf(page)).find(({ name }) => name === 'simulate');
    expect(call?.args).toMatchObject({
      draft: { baseHash: 'first', patch: { agents: { claude: { rules: { remove: ['make'] } } } } },
    });
  });

  test('says what the broker would do with a call of a tool, and what the tool is given', async ({
    page,
    gallery,
  }) => {
    await gallery.open('records', 'allowlist');
    await chooseClaude(page);
    const command = page.getByRole('textbox', { name: 'Command' });
    await command.fill('gh pr merge 7');
    await gallery.pass(300);
    const tester = page.getByRole('region', { name: 'Would this command match?' });
    await expect(tester.getByText('As the brokered tool gh')).toBeVisible();
    await expect(tester.getByText('It merges.')).toBeVisible();
    await expect(tester.getByText('It gets the secret github as GH_TOKEN')).toBeVisible();
    await command.fill('gh auth token');
    await gallery.pass(300);
    await expect(tester.getByText('The policy of gh does not name "gh auth token".')).toBeVisible();
    await expect(tester.getByText('It gets the secret')).toHaveCount(0);
  });

  test('merges a change made elsewhere, and asks where both changed the same', async ({
    page,
    gallery,
  }) => {
    await gallery.open('conflict', 'allowlist');
    await chooseClaude(page);
    await page.getByRole('button', { name: /^Delete: .*npm/ }).click();
    await page.getByRole('button', { name: /^Delete: .*cmake/ }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Someone else changed the policy' });
    await expect(dialog.getByText('run test')).toBeVisible();
    const use = dialog.getByRole('button', { name: 'Use these' });
    await expect(use).toBeDisabled();
    // Putting it off takes no side: there is nothing to save before the choice is made.
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText('One of them was changed elsewhere too.')).toBeVisible();
    await page.getByRole('button', { name: 'Choose' }).click();
    await dialog.getByRole('radio', { name: 'Keep theirs' }).check({ force: true });
    await use.click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('not saved')).toHaveCount(0);
    const saved = (await callsOf(page)).findLast(({ name }) => name === 'savePolicy');
    expect(saved?.args).toEqual({
      baseHash: 'second',
      patch: { agents: { claude: { rules: { remove: ['make'] } } } },
    });
    const policy = JSON.stringify(await savedPolicy(page));
    expect(policy).toContain('"run","test"');
    expect(policy).not.toContain('cmake');
  });
});
