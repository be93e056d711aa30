import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { startInterlock } from '../support/interlock.ts';

test('an agent is connected from the page, with the diff that install --dry-run shows', async ({
  page,
}) => {
  const interlock = await startInterlock(tmpdir(), { ownHome: true });
  try {
    const settings = join(interlock.work, '.claude/settings.json');
    await mkdir(join(interlock.work, '.claude'));
    await writeFile(settings, '{\n  "theme": "dark"\n}\n', { mode: 0o600 });
    const { stdout: diff } = await interlock.call('install', 'claude', '--dry-run').done;
    await page.goto(await interlock.openConsole());
    await page.getByRole('button', { name: 'Connect an agent' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect an agent' });
    await dialog.getByLabel('Agent').selectOption('Claude Code');
    const shown = dialog.getByRole('group', { name: 'What would change' });
    await expect(shown).toContainText('"theme": "dark"');
    expect((await shown.innerText()).replaceAll(/\s/g, '')).toBe(diff.replaceAll(/\s/g, ''));
    expect(await readFile(settings, 'utf8')).not.toContain('hooks');
    await dialog.getByRole('button', { name: 'Accept and connect' }).click();
    await expect(dialog.getByText('Connected')).toBeVisible();
    const written = await readFile(settings, 'utf8');
    expect(written).toContain('"theme": "dark"');
    expect(written).toContain('hooks');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    // The step of the guide is done by it.
    await expect(page.getByText('An agent that asks: done')).toBeAttached();
  } finally {
    await interlock.close();
  }
});
