import { arm, callsOf, expect, test, withdrawAll } from '../support/gallery.ts';

test.describe('the prompt', () => {
  test('gives the first focus to Deny, which shows the time left', async ({ page, gallery }) => {
    await gallery.open('plain');
    const deny = page.getByRole('button', { name: /^Deny/ });
    await expect(deny).toBeFocused();
    await expect(deny).toContainText('1:4');
  });

  test('shows the use of a tool with its file and its diff, as text', async ({ page, gallery }) => {
    await gallery.open('change');
    await expect(
      page.getByRole('heading', { name: 'claude wants to change a file' }),
    ).toBeVisible();
    const diff = page.getByRole('region', { name: 'What would change' });
    await expect(diff).toContainText('-  return Number(process.env.PORT ?? port); // <b>twice</b>');
    await expect(diff.locator('.detail-added')).toContainText('+  return port;');
    await expect(page.getByText('/home/ana/src/app/src/gate/route.ts').first()).toBeVisible();
    await expect(page.getByText('program not found')).toHaveCount(0);
    const colours = await diff
      .locator('.detail-added, .detail-removed')
      .evaluateAll((lines) => lines.map((line) => getComputedStyle(line).backgroundColor));
    expect(new Set(colours).size).toBe(2);
    expect(colours).not.toContain('rgba(0, 0, 0, 0)');
  });

  test('marks what a node asks with its name, and offers once and no alone', async ({
    page,
    gallery,
  }) => {
    await gallery.open('ofNode');
    const prompt = page.getByRole('article', { name: 'claude wants to run' });
    await expect(prompt.locator('.prompt-head')).toContainText('on build machine');
    await expect(prompt).toContainText('build machine asks, and says all of this itself.');
    await expect(prompt).toContainText('node build machine');
    const queue = page.getByRole('complementary');
    await expect(queue.getByRole('listitem').filter({ hasText: 'make deploy' })).toContainText(
      'build machine',
    );
    await expect(queue.getByRole('listitem').filter({ hasText: 'npm test' })).not.toContainText(
      'build machine',
    );
    await expect(prompt.getByRole('button', { name: /always|15 min/i })).toHaveCount(0);
    await arm(page);
    await page.getByRole('button', { name: 'Allow once' }).click();
    expect(await callsOf(page)).toMatchObject([
      { name: 'answer', args: { id: 'of-node', decision: 'allow-once' } },
    ]);
  });

  test('takes no allow before it is armed, and one afterwards', async ({ page, gallery }) => {
    await gallery.open('plain');
    const allow = page.getByRole('button', { name: 'Allow once' });
    await expect(allow).toHaveAttribute('aria-disabled', 'true');
    await allow.click({ force: true });
    await page.keyboard.press('a');
    expect(await callsOf(page)).toEqual([]);
    await gallery.pass(700);
    await expect(allow).toHaveAttribute('aria-disabled', 'false');
    await page.keyboard.press('a');
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
    expect(await callsOf(page)).toMatchObject([
      { name: 'answer', args: { id: 'plain', decision: 'allow-once' } },
    ]);
  });

  test('starts its delay anew for whoever goes on typing', async ({ page, gallery }) => {
    await gallery.open('plain');
    for (const key of ['s', 'a', 'f', 'a']) {
      await gallery.pass(400);
      await page.keyboard.press(key);
    }
    expect(await callsOf(page)).toEqual([]);
  });

  test('never lets a key answer two asks', async ({ page, gallery }) => {
    await gallery.open('queue');
    await arm(page);
    await page.keyboard.press('d');
    await expect(page.locator('.command-text')).toContainText('git show HEAD~0');
    await page.keyboard.press('d');
    await page.keyboard.press('Enter');
    await page.keyboard.press('a');
    expect(await callsOf(page)).toHaveLength(1);
    await arm(page);
    await page.keyboard.press('d');
    await expect(page.locator('.command-text')).toContainText('git show HEAD~1');
    expect(await callsOf(page)).toMatchObject([
      { args: { id: 'plain', decision: 'deny' } },
      { args: { id: 'read-0', decision: 'deny' } },
    ]);
  });

  test('lets a held key answer once', async ({ page, gallery }) => {
    await gallery.open('queue');
    await arm(page);
    await page.keyboard.down('d');
    for (let repeat = 0; repeat < 4; repeat += 1) {
      await gallery.pass(700);
      await page.keyboard.down('d');
    }
    await page.keyboard.up('d');
    expect(await callsOf(page)).toHaveLength(1);
  });

  test('wants high risk held to the end, by pointer or by key', async ({ page, gallery }) => {
    await gallery.open('risky');
    await arm(page);
    await expect(page.getByText('Always')).toHaveCount(0);
    const allow = page.getByRole('button', { name: 'Hold to allow once' });
    await allow.click();
    await allow.hover();
    await page.mouse.down();
    await gallery.pass(1000);
    await page.mouse.up();
    await gallery.pass(1000);
    expect(await callsOf(page)).toEqual([]);
    await page.keyboard.down('a');
    await gallery.pass(1000);
    await page.keyboard.up('a');
    expect(await callsOf(page)).toEqual([]);
    await page.keyboard.down('a');
    await gallery.pass(1700);
    await page.keyboard.up('a');
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
    expect(await callsOf(page)).toMatchObject([
      { name: 'answer', args: { id: 'risky', decision: 'allow-once' } },
    ]);
  });

  test('takes a typed word from who cannot hold', async ({ page, gallery }) => {
    await gallery.open('risky');
    await arm(page);
    await page.getByRole('button', { name: 'Can’t hold? Type a word instead' }).click();
    const field = page.getByLabel('Type yes to allow this once');
    const allow = page.getByRole('button', { name: 'Allow once', exact: true });
    await field.fill('ye');
    await expect(allow).toBeDisabled();
    await field.fill('yes');
    await allow.click();
    expect(await callsOf(page)).toMatchObject([{ args: { id: 'risky', decision: 'allow-once' } }]);
  });

  test('says what a rule would cover before it is remembered', async ({ page, gallery }) => {
    await gallery.open('plain');
    await arm(page);
    await expect(page.getByText('Allows exactly "npm test"')).toBeVisible();
    await page.getByRole('radio', { name: 'This subcommand' }).check({ force: true });
    await expect(page.getByText('Allows npm test with any arguments after it.')).toBeVisible();
    await page.getByText('Would have covered 2 past commands').click();
    await expect(page.getByText('npm test --watch')).toBeVisible();
    const always = page.getByRole('button', { name: 'Always allow npm test …' });
    await expect(always).toHaveAttribute('aria-disabled', 'true');
    await gallery.pass(700);
    await always.click();
    expect(await callsOf(page)).toMatchObject([
      {
        args: {
          decision: 'allow-always',
          remember: { duration: 'always', proposalId: 'subcommand' },
        },
      },
    ]);
  });

  test('remembers with one key what its sentence says, and only once that was seen', async ({
    page,
    gallery,
  }) => {
    await page.setViewportSize({ width: 480, height: 720 });
    await gallery.open('plain', 'prompt/plain');
    const always = page.getByRole('button', { name: 'Always allow npm test', exact: true });
    await page.keyboard.press('Shift+A');
    expect(await callsOf(page)).toEqual([]);
    await arm(page);
    await expect(always).toHaveAttribute('aria-disabled', 'false');
    await expect(page.getByText('Allows exactly "npm test"')).toBeInViewport({ ratio: 1 });
    await expect(always).toBeInViewport({ ratio: 1 });
    // Another width is another sentence, which has to be seen anew.
    await page.keyboard.press('w');
    await expect(page.getByText('Allows npm test with any arguments')).toBeVisible();
    await page.keyboard.press('Shift+A');
    expect(await callsOf(page)).toEqual([]);
    await page.keyboard.press('2');
    await gallery.pass(700);
    await expect(page.getByRole('button', { name: 'For 15 minutes npm test …' })).toHaveAttribute(
      'aria-disabled',
      'false',
    );
    await page.keyboard.press('Shift+A');
    expect(await callsOf(page)).toMatchObject([
      { args: { remember: { duration: '15-minutes', proposalId: 'subcommand' } } },
    ]);
  });

  test('offers no wider answer that was not read to its end', async ({ page, gallery }) => {
    await gallery.open('wordy');
    await arm(page);
    await gallery.pass(700);
    const always = page.getByRole('button', { name: /^Always allow/ });
    await expect(always).toHaveAttribute('aria-disabled', 'true');
    await page.keyboard.press('Shift+A');
    expect(await callsOf(page)).toEqual([]);
    await page.locator('.offer').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await expect(async () => {
      await gallery.pass(700);
      await expect(always).toHaveAttribute('aria-disabled', 'false', { timeout: 100 });
    }).toPass();
    await page.keyboard.press('Shift+A');
    expect(await callsOf(page)).toMatchObject([{ args: { decision: 'allow-always' } }]);
  });

  test('chooses again, for the next command of the kind, what was chosen for the last', async ({
    page,
    gallery,
  }) => {
    await gallery.open('queue');
    await page.evaluate(() => window.location.assign('#/asks/read-0'));
    await arm(page);
    await page.keyboard.press('w');
    await page.keyboard.press('3');
    const wide = page.getByRole('button', { name: 'For this session git …' });
    await gallery.pass(700);
    await expect(wide).toHaveAttribute('aria-disabled', 'false');
    await page.keyboard.press('Shift+A');
    await page.evaluate(() => window.location.assign('#/asks/read-1'));
    await expect(page.locator('.command-text')).toContainText('git show HEAD~1');
    await expect(wide).toBeVisible();
  });

  test('says whom an answer holds for, and has it read anew for every agent', async ({
    page,
    gallery,
  }) => {
    await gallery.open('plain');
    await arm(page);
    const sentence = page.locator('.offer');
    const always = page.getByRole('button', { name: /^Always allow/ });
    await expect(sentence).toContainText('Holds for claude only.');
    await expect(always).toHaveAttribute('aria-disabled', 'false');
    await page.keyboard.press('e');
    await expect(sentence).toContainText('Holds for every agent, also for those that come later.');
    await expect(always).toHaveAttribute('aria-disabled', 'true');
    await gallery.pass(800);
    await page.keyboard.press('2');
    await expect(sentence).toContainText('Holds for claude only.');
    await page.keyboard.press('5');
    await expect(sentence).toContainText('Holds for every agent');
    await gallery.pass(800);
    await page.keyboard.press('A');
    expect(await callsOf(page)).toMatchObject([
      { name: 'answer', args: { remember: { duration: 'always', everyAgent: true } } },
    ]);
  });

  test('in a window of its own has no way to other views, and every answer in view', async ({
    page,
    gallery,
  }) => {
    await page.setViewportSize({ width: 480, height: 720 });
    for (const scenario of ['plain', 'risky', 'change', 'long']) {
      await gallery.open(scenario, `prompt/${scenario}`);
      await expect(page.getByRole('navigation')).toHaveCount(0);
      await expect(page.getByRole('button', { name: 'Lock out', exact: true })).toBeVisible();
      for (const button of await page.locator('.answers .button').all())
        await expect(button, scenario).toBeInViewport({ ratio: 1 });
      const scrolls = await page.evaluate(
        () => document.documentElement.scrollHeight - document.documentElement.clientHeight,
      );
      expect(scrolls, scenario).toBeLessThanOrEqual(0);
    }
  });

  test('says in one sentence what one plain stage does, and folds the rest away', async ({
    page,
    gallery,
  }) => {
    await gallery.open('plain');
    await expect(page.getByText('Runs the tests of the project: runs package.json.')).toBeVisible();
    await expect(page.getByText('/usr/bin/npm')).toBeHidden();
    await expect(page.getByText('There is no rule for npm yet.')).toHaveCount(1);
    // What it does comes before why it is asked about.
    const said = await page.locator('.reasons').innerText();
    expect(said.split('\n').filter((line) => line !== '')).toEqual([
      'Runs the tests of the project: runs package.json.',
      'Why you are asked:',
      'There is no rule for npm yet.',
    ]);
    await page.locator('summary', { hasText: 'What it runs' }).click();
    await expect(page.getByText('/usr/bin/npm')).toBeVisible();
    await gallery.open('risky');
    await expect(page.getByText('/usr/bin/git')).toBeVisible();
  });

  test('sends a note with a denial, and none of its letters answers', async ({ page, gallery }) => {
    await gallery.open('plain');
    await arm(page);
    await page.keyboard.press('n');
    await page.keyboard.type('add a dead-line');
    expect(await callsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    expect(await callsOf(page)).toMatchObject([
      { args: { decision: 'deny', note: 'add a dead-line' } },
    ]);
  });

  test('vanishes when it is withdrawn, and lands in Missed', async ({ page, gallery }) => {
    await gallery.open('plain');
    await withdrawAll(page);
    await expect(page.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
    await expect(page.getByRole('status').filter({ hasText: 'Time ran out' })).toHaveCount(1);
    await page.getByRole('link', { name: 'Missed' }).click();
    await expect(page.getByText('Time ran out', { exact: true })).toBeVisible();
  });

  test('says it when an answer came too late', async ({ page, gallery }) => {
    await gallery.open('late');
    await arm(page);
    await page.keyboard.press('a');
    await expect(page.getByRole('alert')).toContainText('Nothing was allowed by it');
  });

  test('shows hostile text as text', async ({ page, gallery }) => {
    await gallery.open('hostile');
    await expect(page.getByRole('heading', { name: '<b>claude</b> wants to run' })).toBeVisible();
    await expect(page.locator('.command-text')).toContainText('U+202E');
    await expect(page.locator('.command-text')).toContainText('<script>alert(1)</script>');
    expect(await page.locator('main :is(script, img, b)').count()).toBe(0);
    const shown = await page.locator('main').innerText();
    for (const unseen of ['\u202e', '\u200b', '\u001b']) expect(shown).not.toContain(unseen);
  });

  test('shows a command of any length to its end', async ({ page, gallery }) => {
    await gallery.open('long');
    const command = page.locator('.command-text');
    await expect(page.getByText('More below')).toBeVisible();
    await expect(command).not.toContainText('the-very-end');
    const more = page.getByRole('button', { name: 'Show the next part' });
    await expect(more).toBeVisible();
    for (let part = 0; part < 20 && (await more.count()) > 0; part += 1) await more.click();
    await expect(command).toContainText('the-very-end');
    await expect(page.getByRole('button', { name: /Show \d+ more stages/ })).toBeVisible();
  });

  test('swallows the click that focuses the window, and only there: views and the lockout take it', async ({
    page,
    gallery,
  }) => {
    await gallery.open('plain');
    await gallery.pass(1500);
    const refocus = async (): Promise<void> => {
      await page.evaluate(() => {
        window.dispatchEvent(new Event('blur'));
        window.dispatchEvent(new Event('focus'));
      });
    };
    await refocus();
    await page.getByRole('button', { name: /^Deny/ }).click();
    expect(await callsOf(page)).toEqual([]);
    await refocus();
    await page.getByRole('link', { name: 'History' }).click();
    await expect(page).toHaveURL(/#\/history/u);
    await refocus();
    await page.getByRole('button', { name: 'Lock out' }).click();
    await expect(page.getByRole('heading', { name: 'Everything is locked out' })).toBeVisible();
  });
});

test('nothing of a hostile ask stands beyond the edge of its prompt', async ({ page, gallery }) => {
  await gallery.open('hostile');
  for (const width of [320, 700, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const beyond = await page.locator('.prompt').evaluate((prompt) => {
      const edge = prompt.getBoundingClientRect().right + 1;
      return [...prompt.querySelectorAll('*')]
        .filter((element) => element.closest('.visually-hidden') === null)
        .filter((element) => element.getBoundingClientRect().right > edge)
        .map(({ className, tagName }) => `${tagName} ${className}`);
    });
    expect(beyond, `at ${width}`).toEqual([]);
  }
});

test('a machine whose clock jumps takes no time away, and answers as before', async ({
  page,
  gallery,
}) => {
  await gallery.open('plain');
  await arm(page);
  for (const hours of [5, -9]) {
    await page.clock.setSystemTime(Date.UTC(2026, 9, 14, 9 + hours, 30));
    await gallery.pass(1000);
    await expect(page.getByRole('button', { name: /^Deny/ })).toContainText(/1:4\d/);
  }
  await page.keyboard.press('a');
  const answers = (await callsOf(page)).filter(({ name }) => name === 'answer');
  expect(answers).toMatchObject([{ args: { id: 'plain', decision: 'allow-once' } }]);
});
