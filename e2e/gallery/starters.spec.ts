import { callsOf, expect, savedPolicy, test } from '../support/gallery.ts';

test('a step of the first steps says what a set would cover before it is used', async ({
  page,
  gallery,
}) => {
  await gallery.open('begin');
  await gallery.pass(500);
  await expect(page.getByText('Would cover 51 of 55 commands of an ordinary day')).toBeVisible();
  await page.getByText('What you would still be asked about').click();
  await expect(page.getByText('git push')).toBeVisible();
  await page.getByRole('radio', { name: 'Look around' }).check();
  await gallery.pass(500);
  await page.getByRole('button', { name: /^Use these \d+ rules$/ }).click();
  await expect(page.getByRole('heading', { name: 'All set' })).toBeVisible();
  expect((await callsOf(page)).at(-1)).toEqual({
    name: 'addStarter',
    args: { set: 'look-around', folder: '/home/ana/src/app', agent: '*' },
  });
});

test('a set is one group in the editor: added by an accepted diff, shown, and switched off', async ({
  page,
  gallery,
}) => {
  await gallery.open('empty', 'allowlist');
  await page.getByRole('button', { name: 'Add a set' }).click();
  await page.getByRole('radio', { name: 'Look around' }).check();
  await gallery.pass(500);
  await expect(page.locator('.starter-line').first()).toBeVisible();
  await page.getByRole('button', { name: 'Add to the allowlist' }).click();

  const group = page.getByRole('listitem', { name: 'Look around' });
  await expect(group).toContainText('/home/ana/src/app');
  await expect(page.getByText('1 rule', { exact: true })).toBeVisible();
  await group.getByRole('button', { name: 'Show rules' }).click();
  await expect(page.getByText('1 rule', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const sources = (await savedPolicy(page))?.agents?.['*']?.allowlist?.map(({ source }) => source);
  expect(sources).toContainEqual(expect.stringMatching(/^starter:look-around@\d+$/));

  await group.getByRole('button', { name: 'Compare' }).click();
  await gallery.pass(500);
  await expect(page.getByText('All of it is in the policy already.')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await group.getByRole('button', { name: 'Switch off' }).click();
  await expect(group).toHaveCount(0);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  expect((await savedPolicy(page))?.agents?.['*']?.allowlist?.map(({ id }) => id)).toEqual(['ls']);
});
