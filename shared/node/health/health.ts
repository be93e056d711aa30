import { agentChecks } from './agents/checks.ts';
import { gatherAgents } from './agents/facts.ts';
import { checks } from './checks.ts';
import { gatherFacts } from './facts.ts';
import type { HealthCheck, HealthOptions } from './types.ts';

/** Looks at the set-up and judges it; never changes anything. In the order in which a person reads. */
export async function checkHealth(options: HealthOptions): Promise<readonly HealthCheck[]> {
  const facts = await gatherFacts(options);
  const agents = agentChecks(gatherAgents(options), facts.runnerSocket);
  return [...checks.map((check) => check(facts)), ...agents];
}
