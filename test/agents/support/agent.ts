import type { AgentHost } from '../../../shared/agents/list.ts';
import type { Stage } from './stage.ts';

/** An agent's program, or something that keeps to its contract. */
export interface Agent {
  readonly host: AgentHost;
  /** Has the agent run the stage's command, once, and end. */
  start(stage: Stage): Promise<Started>;
}

export interface Started {
  /** Settles with everything it said, when the agent and what it started have ended. */
  readonly ended: Promise<string>;
}
