import { expect } from 'vitest';
import type { Scenario } from '../scenarios.ts';
import type { Agent } from './agent.ts';
import { setStage } from './stage.ts';

/** Plays a scenario with an agent, and sees what ran and what is on record. */
export async function play(scenario: Scenario, agent: Agent): Promise<void> {
  const stage = await setStage(scenario.stage);
  await scenario.play(stage, agent);
  expect(stage.timesRun()).toBe(scenario.ran);
  expect(stage.recorded()).toEqual(scenario.recorded);
}
