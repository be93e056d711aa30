import type { Clock } from '../../../shared/clock/types.ts';
import type { AskingAgent } from '../asking/speaker.ts';
import type { OwnProgram } from '../asking/ticket-line.ts';
import type { AskingClient } from '../asking/types.ts';

/** What the tools need. */
export interface McpParts {
  readonly client: AskingClient;
  readonly speaker: AskingAgent;
  /** The folder that the host started the server in; absolute. */
  readonly cwd: string;
  readonly program: OwnProgram;
  readonly clock: Clock;
}
