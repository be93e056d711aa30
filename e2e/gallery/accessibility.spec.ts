import { axeFindings } from '../support/axe.ts';
import { expect, test } from '../support/gallery.ts';

const states: readonly (readonly [scenario: string, view: string])[] = [
  ['ofNode', 'asks'],
  ['empty', 'asks'],
  ['plain', 'asks'],
  ['widths', 'asks'],
  ['advised', 'asks'],
  ['advised-against', 'asks'],
  ['change', 'asks'],
  ['risky', 'asks'],
  ['opaque', 'asks'],
  ['low', 'asks'],
  ['hostile', 'asks'],
  ['long', 'asks'],
  ['first', 'asks'],
  ['guide', 'asks'],
  ['settings', 'settings'],
  ['settings-damaged', 'settings'],
  ['plain', 'settings'],
  ['queue', 'asks'],
  ['flood', 'asks'],
  ['records', 'allowlist'],
  ['many-rules', 'allowlist'],
  ['bounded', 'allowlist'],
  ['records', 'history'],
  ['empty', 'history'],
  ['records', 'missed'],
  ['empty', 'missed'],
  ['records', 'health'],
  ['raised', 'asks'],
  ['nodes', 'nodes'],
  ['boxes', 'boxes'],
  ['empty', 'boxes'],
  ['locked', 'asks'],
  ['paused', 'asks'],
  ['no-runner', 'asks'],
  ['lost', 'asks'],
  ['ended', 'asks'],
  ['invalid', 'allowlist'],
];

const looks = [
  { colorScheme: 'light', width: 1100, height: 800 },
  { colorScheme: 'dark', width: 320, height: 700 },
] as const;

for (const [scenario, view] of states) {
  test(`${view} with "${scenario}" is accessible and fits, in both themes`, async ({
    page,
    gallery,
  }) => {
    await gallery.open(scenario, view);
    await gallery.pass(1500);
    if (scenario === 'many-rules') {
      await page.getByRole('combobox', { name: 'Agent' }).selectOption('claude');
    }
    // axe waits with timers.
    await page.clock.resume();
    for (const { colorScheme, width, height } of looks) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, `${colorScheme} at ${width}: wider than the screen by`).toBeLessThanOrEqual(
        0,
      );
      expect(await axeFindings(page), `${colorScheme} at ${width}`).toEqual([]);
    }
  });
}
