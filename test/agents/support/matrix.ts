import { beforeAll, describe, test, vi } from 'vitest';
import { buildHook } from '../../hook/support.ts';
import { buildRunner } from '../../runner/support.ts';
import { scenarios } from '../scenarios.ts';
import { play } from './play.ts';
import { realAgent } from './programs/real-agent.ts';
import type { Known } from './programs/real-agent.ts';

/** All scenarios with a real agent; where it cannot be had, one loud line that says why. */
export function testRealAgent(known: Known): void {
  // Over what the runner's support sets: agents are large programs.
  vi.setConfig({ testTimeout: 240_000 });
  const { name, version } = known.pin;
  const found = realAgent(known, process.env);
  if (typeof found === 'string') {
    process.stderr.write(`NOT TESTED: ${name} ${version}, because ${found}\n`);
    test.skip(`${name} ${version}: not tested, because ${found}`);
    return;
  }
  describe(`${name} ${version}`, () => {
    beforeAll(() => {
      buildRunner();
      buildHook();
    }, 180_000);
    test.each(scenarios)('$name', async (scenario) => play(scenario, found));
  });
}
