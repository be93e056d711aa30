import { callsOf, expect, test } from '../support/gallery.ts';

test('boxes are shown with what goes on in them, started, stopped and locked', async ({
  page,
  gallery,
}) => {
  await gallery.open('boxes', 'boxes');
  const view = page.getByRole('region', { name: 'Boxes' });
  const of = (name: string) => view.getByRole('listitem').filter({ hasText: `worktrees/${name}` });
  await expect(of('fix')).toContainText('Running');
  await expect(of('fix')).toContainText('only hosts of its template');
  await expect(of('fix')).toContainText('claude, shell · shown at 1 terminal');
  await expect(of('fix')).toContainText('interlock box attach fix');
  await expect(of('docs')).toContainText('interlock box start docs');
  await expect(of('spike')).toContainText('Locked');
  await expect(of('spike')).toContainText('interlock unlock --box spike');
  await expect(of('spike').getByRole('button')).toHaveText(['Output']);
  await view.getByRole('button', { name: 'Stop… fix' }).click();
  expect(await callsOf(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Stop the box' }).click();
  await expect(of('fix')).toContainText('Stopped');
  await expect(view.getByRole('status')).toContainText('was moved aside');
  await view.getByRole('button', { name: 'Start docs' }).click();
  await expect(of('docs')).toContainText('Running');
  await view.getByRole('button', { name: 'Lock out… docs' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Lock it out' }).click();
  await expect(of('docs')).toContainText('Locked');
  expect(await callsOf(page)).toEqual([
    { name: 'stopBox', args: { name: 'fix' } },
    { name: 'startBox', args: { name: 'docs' } },
    { name: 'lockBox', args: { name: 'docs' } },
  ]);
});

test('a box leads to the asks that wait in its name', async ({ page, gallery }) => {
  await gallery.open('boxes', 'boxes');
  await page.getByRole('button', { name: '1 ask waits' }).click();
  await expect(page.getByRole('region', { name: 'Boxes' })).toHaveCount(0);
  await expect(page).toHaveURL(/#\/asks/u);
});

test('without boxes the view says what to type', async ({ page, gallery }) => {
  await gallery.open('empty', 'boxes');
  await expect(page.getByRole('region', { name: 'Boxes' })).toContainText('interlock box up NAME');
});

test('what a box wrote is shown as text, window by window', async ({ page, gallery }) => {
  await gallery.open('boxes', 'boxes');
  const lines = page.getByRole('region', { name: 'What claude of fix wrote' });
  await expect(lines).toHaveCount(0);
  await page.getByRole('button', { name: 'Output fix' }).click();
  await expect(lines).toContainText('1 failed | 41 passed');
  await expect(lines.getByRole('link')).toHaveCount(0);
  expect(await lines.innerText()).not.toContain('\u202E');
  await page.getByRole('radio', { name: 'shell' }).click();
  await expect(page.getByRole('region', { name: 'What shell of fix wrote' })).toHaveText(
    'Nothing yet.',
  );
  await page.getByRole('button', { name: 'Output fix' }).click();
  await expect(page.getByRole('region', { name: /wrote/u })).toHaveCount(0);
});
