import type { Agent } from '../agent.ts';
import { fetchProgram } from './fetch.ts';
import type { Pin } from './fetch.ts';

/** An agent whose program the registry has. */
export interface Known {
  readonly pin: Pin;
  readonly agent: (program: string) => Agent;
  /** Starts within a second or two, so that every run can afford all scenarios. */
  readonly quick: boolean;
}

/**
 * The agent with its real program, or why it is not tested. `INTERLOCK_REAL_AGENTS` names agents,
 * or says `all` or `off`; those named are fetched. Unset: the quick ones, fetched only in CI and
 * else taken from the cache.
 */
export function realAgent(
  { pin, agent, quick }: Known,
  env: Readonly<Record<string, string | undefined>>,
): Agent | string {
  const said = env['INTERLOCK_REAL_AGENTS'] ?? '';
  const isNamed = said === 'all' || said.split(',').includes(pin.name);
  if (said === '' && !quick) return `it starts slowly; INTERLOCK_REAL_AGENTS=${pin.name} runs it`;
  if (said !== '' && !isNamed) return `INTERLOCK_REAL_AGENTS is "${said}"`;
  const found = fetchProgram(pin, isNamed || env['CI'] === 'true');
  return found.ok ? agent(found.path) : found.why;
}
