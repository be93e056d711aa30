import { callsOf, expect, test } from '../support/gallery.ts';

test('what a command changed is taken back from the history, file by file', async ({
  page,
  gallery,
}) => {
  await gallery.open('records', 'history');
  await gallery.pass(300);
  await page.getByRole('button', { name: '3 changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'What it changed' });
  await expect(dialog.getByText("+  'Open recent',")).toBeVisible();
  await expect(dialog.getByText('Not kept')).toBeVisible();
  await dialog.getByRole('button', { name: 'Take back: src/menu.ts' }).click();
  await expect(dialog.getByText('Taken back')).toBeVisible();
  await dialog.getByRole('button', { name: 'Take all back' }).click();
  await expect(dialog.getByText('Left: it was changed again since')).toBeVisible();
  await expect(dialog.getByText('2 paths were left as they are.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Put it back' }).click();
  const undone = (await callsOf(page)).filter(({ name }) => name === 'takeBack');
  expect(undone.map(({ args }) => args)).toEqual([
    { id: 'decision-1', files: ['src/menu.ts'] },
    { id: 'decision-1' },
    { id: 'undo-1' },
  ]);
});
