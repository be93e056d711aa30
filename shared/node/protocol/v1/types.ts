import type { DecisionWord } from '../../../ask/types.ts';
import type { V1AskRequest, V1ExecOutcome, V1ExecRequest } from '../../../frames/v1.ts';
import type { PeerCredentials } from '../../peer/types.ts';

export interface V1Context {
  /** The client's own id of the request. */
  readonly id: string;
  readonly peer: PeerCredentials | null;
  /** Aborts when the client is gone: nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** The two questions of a version-1 client, as ports: the protocol neither decides nor runs. */
export interface V1Handlers {
  /**
   * Asks a person. `offered` holds the words that the client takes. Null, or a word that was not
   * offered: no allowance, the client is told `deny` where it takes that, else nothing.
   */
  decide(
    request: V1AskRequest,
    offered: readonly DecisionWord[],
    context: V1Context,
  ): Promise<DecisionWord | null>;
  /** Decides about a command and runs it. Its `approvalDecision` is the client's claim, no more. */
  onExec(request: V1ExecRequest, context: V1Context): Promise<V1ExecOutcome>;
}
