import { beforeAll, describe, test } from 'vitest';
import { buildHook } from '../hook/support.ts';
import { buildRunner } from '../runner/support.ts';
import { scenarios } from './scenarios.ts';
import { byContract } from './support/by-contract.ts';
import { play } from './support/play.ts';

beforeAll(() => {
  buildRunner();
  buildHook();
}, 180_000);

// The real runner and the real hook program; the host is played, by what it was seen to do.
describe.each(['claude', 'codex', 'gemini'] as const)(
  'a host that keeps to the contract of %s',
  (host) => {
    test.each(scenarios)('$name', async (scenario) => play(scenario, byContract(host)));
  },
);
