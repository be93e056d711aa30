import type { Clock } from '../../../shared/clock/types.ts';
import type { AskingAgent } from '../asking/speaker.ts';
import type { AskingClient } from '../asking/types.ts';
import type { CommandLineProgram } from '../hooks/redeem-command.ts';

/** What the tools need. */
export interface McpParts {
  readonly client: AskingClient;
  readonly speaker: AskingAgent;
  /** The folder that the host started the server in; absolute. */
  readonly cwd: string;
  readonly program: CommandLineProgram;
  readonly clock: Clock;
}
