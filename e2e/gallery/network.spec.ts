import { arm, callsOf, expect, savedPolicy, test } from '../support/gallery.ts';

test.describe('an ask about a host', () => {
  test('says who wants to reach what, and never is a rule of its own', async ({
    page,
    gallery,
  }) => {
    await gallery.open('network');
    await expect(page.getByRole('heading', { name: 'claude wants to reach' })).toBeVisible();
    await expect(page.locator('.command-text')).toContainText('registry.example.org:443');
    await expect(
      page.getByText('Never lets claude reach registry.example.org, on any port.'),
    ).toBeVisible();
    const never = page.getByRole('button', { name: /^Never/ });
    await expect(never).toHaveAttribute('aria-disabled', 'true');
    await page.keyboard.press('D');
    expect(await callsOf(page)).toEqual([]);
    await arm(page);
    await page.keyboard.press('D');
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
    expect(await callsOf(page)).toMatchObject([
      {
        name: 'answer',
        args: { decision: 'deny', remember: { duration: 'always', proposalId: 'never-host' } },
      },
    ]);
  });

  test('of an agent whose name nothing proves says so, and that "always" is for every agent', async ({
    page,
    gallery,
  }) => {
    await gallery.open('unproven');
    await expect(
      page.getByRole('heading', { name: 'An unproven agent wants to reach' }),
    ).toBeVisible();
    await arm(page);
    await expect(page.locator('.offer')).toContainText('Holds for every agent');
    await expect(page.getByText('*', { exact: true })).toHaveCount(0);
  });

  test('is allowed for good by the rule in the sentence', async ({ page, gallery }) => {
    await gallery.open('network');
    await arm(page);
    await page.clock.runFor(700);
    await page.getByRole('button', { name: 'Always allow registry.example.org:443' }).click();
    expect(await callsOf(page)).toMatchObject([
      {
        args: {
          decision: 'allow-always',
          remember: { duration: 'always', proposalId: 'same-host' },
        },
      },
    ]);
  });

  test('of a command has no "never"', async ({ page, gallery }) => {
    await gallery.open('plain');
    await arm(page);
    await expect(page.getByRole('button', { name: /^Never/ })).toHaveCount(0);
    await page.keyboard.press('D');
    expect(await callsOf(page)).toEqual([]);
  });

  for (const [width, height] of [
    [360, 640],
    [480, 720],
    [1180, 800],
  ] as const)
    for (const language of ['en', 'de'])
      test(`fits ${String(width)} pixels in "${language}"`, async ({ page, gallery }) => {
        await page.setViewportSize({ width, height });
        await page.addInitScript((code) => {
          Object.defineProperty(navigator, 'languages', { get: () => [code] });
        }, language);
        await gallery.open('network');
        await expect(page.locator('html')).toHaveAttribute('lang', language);
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(wide).toBe(0);
        await expect(page.locator('.never')).toBeInViewport();
      });
});

test.describe('what an agent reaches', () => {
  test('is listed, and an address is tried without connecting', async ({ page, gallery }) => {
    await gallery.open('records', 'allowlist');
    await page.getByText('What it reaches from the sandbox').click();
    await gallery.pass(300);
    const reach = page.locator('.reach');
    await expect(reach).toContainText('only what is allowed');
    await expect(reach).toContainText('docs.example');
    const address = page.getByRole('textbox', { name: 'Address' });
    for (const [text, said] of [
      ['https://registry.npmjs.org/x', 'Would be reached'],
      ['https://unknown.example/', 'You would be asked'],
      ['https://a.ads.example/', 'Would be refused'],
      ['http://127.1/', 'Would be refused'],
    ] as const) {
      await address.fill(text);
      await gallery.pass(300);
      await expect(reach.locator('.tester-word')).toContainText(said);
    }
  });

  test('is edited as two lists of hosts, saved like any rule, and taken out again', async ({
    page,
    gallery,
  }) => {
    await gallery.open('records', 'allowlist');
    await page.getByText('What it reaches from the sandbox').click();
    const allowed = page.getByRole('region', { name: 'Reaches', exact: true });
    const denied = page.getByRole('region', { name: 'Never reaches' });
    const add = async (list: typeof allowed, host: string): Promise<void> => {
      await list.getByRole('textbox').fill(host);
      await list.getByRole('button', { name: 'Add host' }).click();
    };
    await add(allowed, 'foo*.example.com');
    await expect(allowed.getByRole('alert')).toContainText('is not a host');
    await expect(page.getByText('not saved')).toHaveCount(0);
    await add(allowed, '*.example.com:8443');
    await add(allowed, '*.example.com:8443');
    await expect(allowed.getByRole('alert')).toContainText('stands there already');
    await add(denied, 'ads.example');
    await add(denied, 'left.example');
    await denied.getByRole('button', { name: 'Take out left.example' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await gallery.pass(300);
    const rules = (await savedPolicy(page))?.agents?.['*']?.allowlist ?? [];
    expect(rules.filter(({ kind }) => kind === 'egress')).toMatchObject([
      { effect: 'allow', pattern: '*.example.com:8443' },
      { effect: 'deny', pattern: 'ads.example' },
    ]);
  });

  test('is saved over what somebody else has changed meanwhile', async ({ page, gallery }) => {
    await gallery.open('conflict', 'allowlist');
    await page.getByText('What it reaches from the sandbox').click();
    const denied = page.getByRole('region', { name: 'Never reaches' });
    await denied.getByRole('textbox').fill('ads.example');
    await denied.getByRole('button', { name: 'Add host' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await gallery.pass(300);
    const saves = (await callsOf(page)).filter(({ name }) => name === 'savePolicy');
    expect(saves.map(({ args }) => (args as { baseHash: string }).baseHash)).toEqual([
      'first',
      'second',
    ]);
    const rules = (await savedPolicy(page))?.agents?.['*']?.allowlist ?? [];
    expect(rules).toContainEqual(expect.objectContaining({ pattern: 'ads.example' }));
  });

  test('is changed by rules in the list', async ({ page, gallery }) => {
    await gallery.open('records', 'allowlist');
    await page.getByRole('button', { name: 'Add rule' }).first().click();
    await page.getByRole('radio', { name: 'Network' }).check({ force: true });
    const hosts = page.getByRole('textbox', { name: 'Hosts' });
    await hosts.fill('foo*.example.com');
    await page.getByRole('button', { name: 'Apply' }).click();
    await expect(page.getByText('A host: example.com')).toBeVisible();
    await hosts.fill('*.example.com:8443');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await gallery.pass(300);
    const rules = (await savedPolicy(page))?.agents?.['*']?.allowlist ?? [];
    expect(rules.at(-1)).toMatchObject({ kind: 'egress', pattern: '*.example.com:8443' });
    expect(rules.at(-1)).not.toHaveProperty('args');
  });
});
