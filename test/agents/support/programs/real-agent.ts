import type { ToolGroup } from '../../../../shared/agents/hook-entries.ts';
import type { AgentHost } from '../../../../shared/agents/list.ts';
import type { Agent, Started } from '../agent.ts';
import { startModel } from '../model/server.ts';
import type { Stage } from '../stage.ts';
import { fetchProgram, pinFor } from './fetch.ts';
import type { Fetched, Pin } from './fetch.ts';

/** How a program is started. */
export interface Launch {
  /** Where its model is, without a slash at the end. */
  readonly model: string;
  /** Whether our hook is in its settings. */
  readonly gated: boolean;
  /** More words for its command line. */
  readonly words?: readonly string[];
  /** What of it is behind the gate; all where absent. */
  readonly tools?: readonly ToolGroup[];
  /** In a terminal, as a person has it; not known of every program. */
  readonly terminal?: boolean;
}

/** An agent whose program the registry has. */
export interface Known {
  readonly pin: Pin;
  readonly host: AgentHost;
  readonly launch: (program: string, stage: Stage, launch: Launch) => Started;
  /** Starts within a second or two, so that every run can afford all scenarios. */
  readonly quick: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The real program, or why it is not tested. `INTERLOCK_REAL_AGENTS` names agents, or says `all` or
 * `off`; those named are fetched. Unset: the quick ones, where the cache has them.
 */
export function realProgram({ pin, quick }: Pick<Known, 'pin' | 'quick'>, env: Variables): Fetched {
  const said = env['INTERLOCK_REAL_AGENTS'] ?? '';
  const isNamed = said === 'all' || said.split(',').includes(pin.name);
  if (said === '' && !quick)
    return { ok: false, why: `it starts slowly; INTERLOCK_REAL_AGENTS=${pin.name} runs it` };
  if (said !== '' && !isNamed) return { ok: false, why: `INTERLOCK_REAL_AGENTS is "${said}"` };
  return fetchProgram(pinFor(pin, env), isNamed);
}

/** The agent with its real program, or why it is not tested. */
export function realAgent(known: Known, env: Variables): Agent | string {
  const found = realProgram(known, env);
  if (!found.ok) return found.why;
  return {
    host: known.host,
    start: async (stage) =>
      known.launch(found.path, stage, { model: await startModel(stage.command), gated: true }),
  };
}
