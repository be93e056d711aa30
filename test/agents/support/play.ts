import { expect } from 'vitest';
import type { Scenario } from '../scenarios.ts';
import type { Agent } from './agent.ts';
import { setStage } from './stage.ts';
import type { Tap } from './tap.ts';

/**
 * Plays a scenario with an agent, and sees what ran and what is on record. Resolves with what the
 * agent told its hooks.
 */
export async function play(scenario: Scenario, agent: Agent): Promise<Tap['told']> {
  const stage = await setStage(scenario.stage);
  await scenario.play(stage, agent);
  expect(stage.timesRun()).toBe(scenario.ran);
  // Where the caller was killed, nobody was told when the row was written.
  await expect.poll(() => stage.recorded(), { interval: 20 }).toEqual(scenario.recorded);
  return stage.tap.told;
}
