import { callsOf, expect, test } from '../support/gallery.ts';

test('a machine is paired once its code was compared, and removed by a person', async ({
  page,
  gallery,
}) => {
  await gallery.open('nodes', 'nodes');
  const view = page.getByRole('region', { name: 'Nodes' });
  await expect(view).toContainText('Other machines may connect to 0.0.0.0:7433.');
  await expect(view).toContainText('7KQ2-M0XD');
  await expect(view).toContainText(/9:\d\d left/);
  await expect(view.getByRole('listitem').filter({ hasText: 'mac mini' })).toContainText('Online');
  await view.getByRole('button', { name: 'Pair… build machine' }).click();
  const dialog = page.getByRole('dialog', { name: 'Does build machine show this code?' });
  await expect(dialog).toContainText('7KQ2-M0XD');
  expect(await callsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'It is the same: pair' }).click();
  await expect(view).not.toContainText('7KQ2-M0XD');
  await expect(view.getByRole('listitem').filter({ hasText: 'build machine' })).toContainText(
    'never seen',
  );
  await view.getByRole('button', { name: 'Remove: mac mini' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(view.getByRole('listitem').filter({ hasText: 'mac mini' })).toContainText('Removed');
  expect(await callsOf(page)).toEqual([
    { name: 'approveNode', args: { code: '7KQ2-M0XD' } },
    { name: 'removeNode', args: { node: 'c4'.repeat(32) } },
  ]);
});

test('without machines the view says what to type', async ({ page, gallery }) => {
  await gallery.open('empty', 'nodes');
  const view = page.getByRole('region', { name: 'Nodes' });
  await expect(view).toContainText('interlock node pair HOST');
  await expect(view).toContainText('No other machine may connect');
});

test('each machine has a tick once a lockout has reached it', async ({ page, gallery }) => {
  await gallery.open('lockedNodes', 'nodes');
  const view = page.getByRole('region', { name: 'Nodes' });
  await expect(view.getByRole('listitem').filter({ hasText: 'mac mini' })).toContainText(
    'Online ✓ Locked',
  );
  await expect(view.getByRole('listitem').filter({ hasText: 'old laptop' })).toContainText(
    'Offline Not locked yet',
  );
});

for (const [language, words] of [
  ['en', { title: 'Nodes', locked: '✓ Locked', lost: 'No link to attic · seen 3 minutes ago' }],
  ['de', { title: 'Rechner', locked: '✓ Gesperrt', lost: 'attic · gesehen vor 3 Minuten' }],
] as const)
  test(`the gateways of a fleet, and who has no link to which, stand in the view in "${language}"`, async ({
    page,
    gallery,
  }) => {
    await page.addInitScript((code) => {
      Object.defineProperty(navigator, 'languages', { get: () => [code] });
    }, language);
    await gallery.open('severalGateways', 'nodes');
    const view = page.getByRole('region', { name: words.title });
    await expect(view).toContainText('tls://nats.example:4222');
    const item = (name: string) =>
      view.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
    await expect(item('mac mini')).toContainText(words.locked);
    await expect(item('mac mini')).toContainText(words.lost);
    await expect(item('old laptop').locator('.node-problems li')).toHaveCount(2);
    await expect(item('attic')).toContainText(language === 'en' ? 'Offline' : 'Nicht verbunden');
    await expect(item('basement')).toContainText('fell silent');
  });

test('the policy of a node is edited where its machine lets this one, and saved there', async ({
  page,
  gallery,
}) => {
  await gallery.open('nodePolicy', 'nodes');
  const view = page.getByRole('region', { name: 'Nodes' });
  await view.getByRole('button', { name: 'Policy…: mac mini' }).click();
  const shown = page.getByRole('region', { name: 'Policy of mac mini' });
  await expect(shown).toContainText('what is saved here holds there at once');
  await expect(shown.getByRole('row', { name: /make/u })).toContainText('all');
  await shown.getByRole('combobox', { name: 'What may run' }).selectOption('deny');
  await shown.getByRole('button', { name: /^Delete.*make$|^Remove.*make$/u }).click();
  await shown.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(shown.getByRole('row', { name: /make/u })).toHaveCount(0);
  const calls = await callsOf(page);
  expect(calls.filter(({ name }) => name === 'saveNodePolicy')).toEqual([
    {
      name: 'saveNodePolicy',
      args: {
        node: 'c4'.repeat(32),
        edit: {
          baseHash: 'd5'.repeat(32),
          patch: {
            agents: { '*': { modes: { security: 'deny' }, rules: { remove: ['make'] } } },
          },
        },
        accepted: false,
      },
    },
  ]);
  expect(calls.some(({ name }) => name === 'savePolicy')).toBe(false);
});

test('what is not saved of a node stays with it, and never reaches this machine', async ({
  page,
  gallery,
}) => {
  await gallery.open('nodePolicy', 'nodes');
  const open = page.getByRole('button', { name: 'Policy…: mac mini' });
  await open.click();
  const shown = page.getByRole('region', { name: 'Policy of mac mini' });
  await shown.getByRole('combobox', { name: 'What may run' }).selectOption('full');
  await expect(shown).toContainText('1 change not saved');
  await page.getByRole('link', { name: 'Allowlist' }).click();
  const own = page.getByRole('region', { name: 'Allowlist' });
  await expect(own.getByRole('combobox', { name: 'What may run' })).not.toHaveValue('full');
  await expect(own).not.toContainText('not saved');
  await page.getByRole('link', { name: 'Nodes' }).click();
  await open.click();
  await expect(shown).toContainText('1 change not saved');
  await expect(shown.getByRole('combobox', { name: 'What may run' })).toHaveValue('full');
});

test('who edits the same on both machines chooses, and nothing is overwritten', async ({
  page,
  gallery,
}) => {
  await gallery.open('nodePolicyConflict', 'nodes');
  await page.getByRole('button', { name: 'Policy…: mac mini' }).click();
  const shown = page.getByRole('region', { name: 'Policy of mac mini' });
  await shown.getByRole('combobox', { name: 'What may run' }).selectOption('full');
  await shown.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('deny');
  await expect(dialog).toContainText('full');
});

test('a policy that is only shown cannot be edited', async ({ page, gallery }) => {
  await gallery.open('nodePolicyRead', 'nodes');
  await page.getByRole('button', { name: 'Policy…: mac mini' }).click();
  const shown = page.getByRole('region', { name: 'Policy of mac mini' });
  await expect(shown).toContainText('does not let this machine edit it');
  await expect(shown.getByRole('combobox', { name: 'What may run' })).toBeDisabled();
});

test('says in German, too, why an ask of a node is not remembered', async ({ page, gallery }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'languages', { get: () => ['de'] });
  });
  await gallery.open('ofNode');
  const prompt = page.getByRole('article');
  await expect(prompt).toContainText('Ein anderer Rechner fragt. Was dort für länger erlaubt ist');
  await expect(prompt).not.toContainText('A node asks');
});

for (const [language, ...said] of [
  ['en', 'could not prove to be it. 1 hour ago', 'It has no policy that it can use'],
  ['de', 'nicht beweisen, dieser Rechner zu sein. vor 1 Stunde', 'Er hat keine Regeln'],
] as const)
  test(`what is wrong with a node stands beside it in "${language}"`, async ({ page, gallery }) => {
    await page.addInitScript((code) => {
      Object.defineProperty(navigator, 'languages', { get: () => [code] });
    }, language);
    await gallery.open('nodes', 'nodes');
    const node = (name: string) =>
      page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });
    for (const words of said) await expect(node('old laptop')).toContainText(words);
    await expect(node('mac mini').locator('.node-problems')).toHaveCount(0);
  });
