import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { callsOf, expect, test } from '../support/gallery.ts';

async function expectAccessible(page: Page): Promise<void> {
  await page.clock.resume();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
}

test.describe('import', () => {
  test('shows what would be added and what is left behind, adds what is ticked, and undoes it', async ({
    page,
    gallery,
  }) => {
    await gallery.open('records', 'allowlist');
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('claude');
    await page.getByRole('button', { name: 'Import' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import rules' });
    await dialog.getByRole('radio', { name: 'Claude Code' }).check({ force: true });
    await dialog.getByLabel('Rule file').fill('{"permissions":{"allow":["Bash(git diff:*)"]}}');
    await gallery.pass(400);
    await expect(dialog.getByRole('heading', { name: '5 rules would be added' })).toBeVisible();
    await expect(dialog.getByText('1 is there already')).toBeVisible();
    await expect(dialog.getByText('Only outside of pipes')).toBeVisible();
    await expect(dialog.getByText('2 entries are not carried over')).toBeVisible();
    await expect(dialog.getByText('more is allowed than before')).toHaveCount(1);
    await expect(dialog.getByRole('checkbox', { name: /git status/ })).toBeDisabled();
    await dialog.getByRole('checkbox', { name: /tool-1/ }).uncheck();
    await dialog.getByRole('button', { name: 'Add 4 rules' }).click();
    await expect(page.getByText('4 changes not saved')).toBeVisible();
    await page.locator('#main').getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByText('not saved')).toHaveCount(0);
    expect(await callsOf(page)).toMatchObject([
      { name: 'importRules', args: { format: 'claude', agent: 'claude' } },
    ]);
  });

  test('takes a file, and is accessible in full', async ({ page, gallery }) => {
    await gallery.open('records', 'allowlist');
    await page.getByRole('button', { name: 'Import' }).click();
    const buffer = Buffer.from('prefix_rule(pattern = ["git", "log"])');
    await page
      .getByLabel('Choose a file')
      .setInputFiles({ name: 'default.rules', mimeType: 'text/plain', buffer });
    await expect(page.getByLabel('Rule file')).toHaveValue(/prefix_rule/);
    await gallery.pass(400);
    await expect(page.getByRole('heading', { name: '5 rules would be added' })).toBeVisible();
    await expectAccessible(page);
  });

  test('sends no text that is too long for a rule file', async ({ page, gallery }) => {
    await gallery.open('records', 'allowlist');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByLabel('Rule file').fill('x'.repeat(200_001));
    await gallery.pass(400);
    await expect(page.getByText('too long for a rule file')).toBeVisible();
    expect(await callsOf(page)).toEqual([]);
  });
});

test('export hands out the rules of one agent', async ({ page, gallery }) => {
  await gallery.open('records', 'allowlist');
  await page.getByRole('combobox', { name: 'Agent' }).selectOption('claude');
  await page.getByRole('button', { name: 'Export' }).click();
  const text = await page.getByLabel('Rules as JSON').inputValue();
  expect(text).toContain('"npm-test"');
  expect(text).not.toContain('lastUsedAt');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect((await coming).suggestedFilename()).toBe('interlock-rules-claude.json');
});

test.describe('a rule from a past command', () => {
  test('is chosen among proposals and shows what it would have allowed', async ({
    page,
    gallery,
  }) => {
    await gallery.open('records', 'history');
    await gallery.pass(300);
    await page.locator('.history-rule').nth(1).click();
    const dialog = page.getByRole('dialog', { name: 'Make a rule from a command' });
    await expect(dialog.getByText('Allows exactly "npm test"')).toBeVisible();
    await gallery.pass(400);
    await dialog.getByText('Would have allowed 3 of the last 500 commands').click();
    await expect(dialog.getByText('npm test src/gate')).toBeVisible();
    await expectAccessible(page);
    await dialog.getByRole('radio', { name: 'This subcommand' }).check({ force: true });
    await dialog.getByRole('button', { name: 'Add to the allowlist' }).click();
    await expect(page.getByText('1 change not saved')).toBeVisible();
    await expect(page.getByRole('row', { name: /\/usr\/bin\/npm/ })).toContainText('test ...');
  });

  test('can be changed in the form first, which counts as well', async ({ page, gallery }) => {
    await gallery.open('records', 'history');
    await gallery.pass(300);
    await page.locator('.history-rule').nth(1).click();
    await page.getByRole('button', { name: 'Change it first' }).click();
    const form = page.getByRole('dialog', { name: 'Add a rule' });
    await expect(form.getByLabel('Program')).toHaveValue('/usr/bin/npm');
    await gallery.pass(400);
    await expect(form.getByText('Would have allowed 3 of the last 500 commands')).toBeVisible();
    await form.getByLabel('Program').fill('/usr/bin/true');
    await gallery.pass(400);
    await expect(form.getByText('changed nothing about the last 500 commands')).toBeVisible();
  });

  test('is not made of what should be asked about each time', async ({ page, gallery }) => {
    await gallery.open('records', 'history');
    await gallery.pass(300);
    await page.locator('.history-rule').nth(2).click();
    await expect(page.getByText('No rule should be made of this')).toBeVisible();
    await expect(page.getByText('such a command is asked about each time')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Add to the allowlist' })).toHaveCount(0);
  });
});

test('the chart counts asks and needless ones, in bars and as a table', async ({
  page,
  gallery,
}) => {
  await gallery.open('records', 'history');
  const chart = page.getByRole('region', { name: 'Asks per day' });
  const image = chart.getByRole('img', { name: /^\d+ asks in 30 days, \d+ of them needless$/ });
  await expect(image).toBeVisible();
  await chart.getByText('As a table').click();
  await expect(chart.getByRole('row')).toHaveCount(31);
  await chart.getByRole('button', { name: 'Make a rule from this: npm test' }).click();
  await expect(page.getByRole('dialog', { name: 'Make a rule from a command' })).toBeVisible();
});
