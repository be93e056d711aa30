import type { Agent } from '../agent.ts';
import { fetchProgram } from './fetch.ts';
import type { Fetched, Pin } from './fetch.ts';

/** An agent whose program the registry has. */
export interface Known {
  readonly pin: Pin;
  readonly agent: (program: string) => Agent;
  /** Starts within a second or two, so that every run can afford all scenarios. */
  readonly quick: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The real program, or why it is not tested. `INTERLOCK_REAL_AGENTS` names agents, or says `all` or
 * `off`; those named are fetched. Unset: the quick ones, where the cache has them.
 */
export function realProgram({ pin, quick }: Omit<Known, 'agent'>, env: Variables): Fetched {
  const said = env['INTERLOCK_REAL_AGENTS'] ?? '';
  const isNamed = said === 'all' || said.split(',').includes(pin.name);
  if (said === '' && !quick)
    return { ok: false, why: `it starts slowly; INTERLOCK_REAL_AGENTS=${pin.name} runs it` };
  if (said !== '' && !isNamed) return { ok: false, why: `INTERLOCK_REAL_AGENTS is "${said}"` };
  return fetchProgram(pin, isNamed);
}

/** The agent with its real program, or why it is not tested. */
export function realAgent(known: Known, env: Variables): Agent | string {
  const found = realProgram(known, env);
  return found.ok ? known.agent(found.path) : found.why;
}
