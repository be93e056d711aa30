import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { homePaths } from '../../shared/home/index.ts';
import { allProcesses, processesOfCommand } from '../../shared/operations/index.ts';

test('commands that are stopped together look at the machine once, and anew in the next turn', async () => {
  const [one, another] = [processesOfCommand('one'), processesOfCommand('another')];
  const first = one.look().processes;
  expect(first.some(({ pid }) => pid === process.pid)).toBe(true);
  expect(another.look().processes).toBe(first);
  await nextTurn();
  expect(one.look().processes).not.toBe(first);
});

test('a lockout looks for itself each time: what was started since the last look is stopped, too', () => {
  const everything = allProcesses(homePaths({ HOME: '/nowhere' }), 0);
  const earlier = processesOfCommand('one').look().processes;
  const first = everything.look().processes;
  expect(first).not.toBe(earlier);
  expect(everything.look().processes).not.toBe(first);
});
