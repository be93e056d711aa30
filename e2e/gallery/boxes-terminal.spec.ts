import type { Page } from '@playwright/test';
import type { GalleryWindow } from '../gallery-page/fake-bridge.ts';
import { expect, test } from '../support/gallery.ts';

interface Opened {
  readonly page: Page;
  readonly gallery: { readonly pass: (ms: number) => Promise<void> };
}

async function attach({ page, gallery }: Opened) {
  await page.getByRole('button', { name: 'Attach fix' }).click();
  const rows = page.locator('.xterm-rows');
  await expect(async () => {
    await gallery.pass(100);
    await expect(rows).toContainText('Running the tests', { timeout: 200 });
  }).toPass();
  return rows;
}

async function write({ page, gallery }: Opened, text: string): Promise<void> {
  await page.evaluate((each) => (window as unknown as GalleryWindow).terminal.write(each), text);
  await gallery.pass(100);
}

const typedOf = async (page: Page): Promise<string> =>
  page.evaluate(() => (window as unknown as GalleryWindow).terminal.typed());

/** Every form of a sequence that a terminal may know, with numbers that ask for something. */
function everySequence(): readonly string[] {
  const finals = Array.from({ length: 63 }, (_, index) => String.fromCharCode(0x40 + index));
  const between = [
    '',
    ...Array.from({ length: 16 }, (_, index) => String.fromCharCode(0x20 + index)),
  ];
  const csi = ['', '?', '>', '=', '<'].flatMap((prefix) =>
    between.flatMap((middle) =>
      finals.flatMap((final) =>
        ['', '5', '6', '14', '18', '1004', '2026'].map(
          (number) => `\u001b[${prefix}${number}${middle}${final}`,
        ),
      ),
    ),
  );
  const osc = Array.from({ length: 1_400 }, (_, number) =>
    ['?', '0;?', 'c;?', 'c;aGk='].map((rest) => `\u001b]${String(number)};${rest}\u0007`),
  ).flat();
  const dcs = between.flatMap((middle) =>
    finals.map((final) => `\u001bP${middle}${final}m\u001b\\`),
  );
  return [...csi, ...osc, ...dcs, '\u0005', '\u001bZ'];
}

test('a box is at a terminal in the page, which takes keys and says how it ended', async ({
  page,
  gallery,
}) => {
  await gallery.open('boxes', 'boxes');
  await attach({ page, gallery });
  await page.keyboard.type('a D L k');
  await page.keyboard.press('Control+k');
  await gallery.pass(50);
  // Keys of the page are words here.
  expect(await typedOf(page)).toBe('a D L k\u000b');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Shift+F6');
  await expect(page.locator('.box-terminal-foot')).toBeFocused();
  await page.evaluate(() => (window as unknown as GalleryWindow).terminal.end('stopped'));
  await expect(page.getByRole('status').filter({ hasText: 'The box was stopped.' })).toBeVisible();
  await page.getByRole('button', { name: 'Attach again' }).click();
  await gallery.pass(100);
  await expect(page.getByText('Attached.')).toBeVisible();
  await page.getByRole('button', { name: 'All boxes' }).click();
  await expect(page.getByRole('button', { name: 'Attach fix' })).toBeVisible();
});

test('nothing that a box writes has its terminal answer', async ({ page, gallery }) => {
  test.slow();
  await gallery.open('boxes', 'boxes');
  await attach({ page, gallery });
  const all = everySequence();
  for (let from = 0; from < all.length; from += 2_000)
    await write({ page, gallery }, all.slice(from, from + 2_000).join(''));
  await write({ page, gallery }, '\u001bc\u001b[?25hall were seen');
  await expect(async () => {
    await gallery.pass(500);
    await expect(page.locator('.xterm-rows')).toContainText('all were seen', { timeout: 200 });
  }).toPass();
  expect(await typedOf(page)).toBe('');
});

test('a box sets no title, no link and no clipboard, and holds up nothing', async ({
  page,
  gallery,
}) => {
  await gallery.open('boxes', 'boxes');
  const rows = await attach({ page, gallery });
  const title = await page.title();
  const much = ['b', 'S', 'T', 'L', 'M', 'I', 'Z', '@', 'P', 'X', ' @', ' A', "'}", "'~"]
    .map((final) => `x\u001b[2147483647${final}`)
    .join('');
  await write(
    { page, gallery },
    `\u001b]0;Allow all\u0007\u001b]52;c;aGk=\u0007${much}\u001bc` +
      '\u001b]8;;https://example.com/\u0007here\u001b]8;;\u0007 \u0007\u0007 end',
  );
  await expect(async () => {
    await gallery.pass(200);
    await expect(rows).toContainText('here  end', { timeout: 200 });
  }).toPass();
  expect(await page.title()).toBe(title);
  await rows.getByText('here').hover({ force: true });
  await expect(page.locator('.box-terminal a')).toHaveCount(0);
  await expect(page.locator('.xterm-screen.xterm-cursor-pointer')).toHaveCount(0);
});
