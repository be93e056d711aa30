import type { ExecRequest } from '../../../shared/api/types.ts';
import type { RunnerClient } from '../../../shared/node/runner-client/types.ts';
import type { ToolCall } from '../../../shared/tools/types.ts';

/** Body of `POST /v1/permits`: a command to decide about, without running it. */
export interface PermitRequest extends Omit<ExecRequest, 'stdin'> {
  /** `ticket` (default): the runner runs it when the ticket comes. `elsewhere`: the host runs it. */
  readonly by?: 'ticket' | 'elsewhere';
}

/** Body of `POST /v1/tools`: one use of a tool that the agent's host carries out itself. */
export interface ToolRequest
  extends
    ToolCall,
    Pick<ExecRequest, 'cwd' | 'agent' | 'session' | 'toolUseId' | 'statedReason' | 'ask'> {}

/** A yes. */
export interface PermitBody {
  readonly ok: true;
  readonly id: string;
  /** What allowed it, and who. */
  readonly permission: { readonly code: string; readonly by: 'policy' | 'person' | 'fallback' };
  /** Where one was asked for: good for one start of the command. */
  readonly ticket?: string;
  /** Milliseconds since the epoch, on the runner's clock. */
  readonly expiresAt?: number;
}

/**
 * The runner as the gateways of agent hosts see it. Calls last as long as a person takes; aborting
 * the signal takes the ask back. A "no" rejects with a `RefusalError`.
 */
export interface AskingClient extends Pick<RunnerClient, 'exec'> {
  permit(request: PermitRequest, signal?: AbortSignal): Promise<PermitBody>;
  tool(request: ToolRequest, signal?: AbortSignal): Promise<PermitBody>;
}
