import { describe, expect, test, vi } from 'vitest';
import { scenarios } from '../scenarios.ts';
import { play } from './play.ts';
import { pinFor } from './programs/fetch.ts';
import { realAgent } from './programs/real-agent.ts';
import { recordedInput } from './recorded.ts';
import type { Known } from './programs/real-agent.ts';

/** All scenarios with a real agent; where it cannot be had, one loud line that says why. */
export function testRealAgent(known: Known): void {
  // Over the default: agents are large programs, and the machine may be busy.
  vi.setConfig({ testTimeout: 600_000 });
  const { name, version } = pinFor(known.pin, process.env);
  const found = realAgent(known, process.env);
  if (typeof found === 'string') {
    process.stderr.write(`NOT TESTED: ${name} ${version}, because ${found}\n`);
    test.skip(`${name} ${version}: not tested, because ${found}`);
    return;
  }
  describe(`${name} ${version}`, () => {
    const fields = Object.keys(recordedInput(found.host)).toSorted();
    test.each(scenarios)('$name', async (scenario) => {
      const told = await play(scenario, found);
      // The contract has not drifted from what the fast tests go by.
      expect(told.map((input) => Object.keys(input).toSorted())).toEqual([fields]);
    });
  });
}
