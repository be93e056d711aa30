import { describe, test, vi } from 'vitest';
import { scenarios } from './scenarios.ts';
import { byContract } from './support/by-contract.ts';
import { play } from './support/play.ts';

// Over the default: six processes in a row, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000 });

// The real runner and the real hook program; the host is played, by what it was seen to do.
describe('a host that keeps to the contract of Claude Code', () => {
  test.each(scenarios)('$name', async (scenario) => {
    await play(scenario, byContract('claude'));
  });
});

// Other hosts differ in what they take for a yes and a no, and in what they do without an answer.
describe.each(['codex', 'gemini', 'copilot', 'droid'] as const)(
  'a host that keeps to the contract of %s',
  (host) => {
    test.each(scenarios.filter(({ words }) => words === true))('$name', async (scenario) => {
      await play(scenario, byContract(host));
    });
  },
);
