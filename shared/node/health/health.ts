import { existsSync } from 'node:fs';
import { clientSocket } from '../home/client-socket.ts';
import { agentChecks } from './agents/checks.ts';
import { gatherAgents } from './agents/facts.ts';
import { checks } from './checks.ts';
import { gatherFacts } from './facts.ts';
import { serviceChecks } from './service/checks.ts';
import { gatherService } from './service/facts.ts';
import { notSetUp } from './home-checks.ts';
import type { HealthCheck, HealthOptions } from './types.ts';

/** Looks at the set-up and judges it; never changes anything. In the order in which a person reads. */
export async function checkHealth(options: HealthOptions): Promise<readonly HealthCheck[]> {
  const { paths, env } = options;
  if (!existsSync(paths.home)) return [notSetUp(paths, clientSocket(env, paths))];
  const facts = await gatherFacts(options);
  const service = serviceChecks(await gatherService(options, facts.config), facts.runnerSocket);
  const agents = agentChecks(gatherAgents(options), facts.runnerSocket);
  return [...checks.map((check) => check(facts)), ...service, ...agents];
}
