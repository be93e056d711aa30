import { expect, test } from 'vitest';
import { isOwnDescendant } from '../../../runner/principals/provenance.ts';
import type { ProcessView, Standing } from '../../../runner/principals/provenance.ts';

/** pid → parent, group, session */
const table: Readonly<Record<number, readonly [number, number, number]>> = {
  100: [1, 100, 100],
  200: [100, 200, 200],
  201: [200, 200, 200],
  202: [201, 202, 202],
  300: [1, 200, 200],
  301: [1, 301, 200],
  400: [1, 400, 400],
  500: [1, 500, 500],
  501: [500, 501, 500],
};

const view = (marked: readonly number[] = []): ProcessView => ({
  marked: (pid) => marked.includes(pid),
  standing: async (pid): Promise<Standing | null> => {
    const found = table[pid];
    return found === undefined ? null : { parent: found[0], group: found[1], session: found[2] };
  },
});

const own = { runner: 100, groups: [200] };

test.each([
  ['the command itself', 200, true],
  ['its child', 201, true],
  ['a grandchild in a group and session of its own', 202, true],
  ['an orphan in the group of the command', 300, true],
  ['an orphan in the session of the command', 301, true],
  ['the runner', 100, true],
  ['a shell elsewhere', 500, false],
  ['a program of that shell', 501, false],
  ['a process that is gone', 999, true],
])('%s', async (_name, pid, expected) => {
  expect(await isOwnDescendant(pid, own, view())).toBe(expected);
});

test('a process that slipped out of everything is known by its mark', async () => {
  expect(await isOwnDescendant(400, own, view())).toBe(false);
  expect(await isOwnDescendant(400, own, view([400]))).toBe(true);
});

test('a chain that goes in a circle counts as ours', async () => {
  const circle: ProcessView = {
    marked: () => false,
    standing: async (pid) => ({ parent: pid === 7 ? 8 : 7, group: pid, session: pid }),
  };
  expect(await isOwnDescendant(7, own, circle)).toBe(true);
});

test('the test itself does not come from a runner', async () => {
  expect(await isOwnDescendant(process.pid, { runner: 1_999_999, groups: [] })).toBe(false);
});
