import type { CallContext } from '../../../shared/adapters/types.ts';

/** Who asks, on whose behalf all calls of one gateway are made. */
export interface AskingAgent {
  /** Absent: the runner's name for who gives none. */
  readonly agent?: string;
  /** Where the host tells no conversation of its own. */
  readonly session: string;
}

/** The fields of a call that say who asks, where, and why. */
export interface CallFields {
  readonly cwd: string;
  readonly session: string;
  readonly agent?: string;
  readonly toolUseId?: string;
  readonly statedReason?: string;
}

const longestReason = 4096;
const longestToolUseId = 256;

/**
 * Those fields from what a host told. Texts that the runner would refuse for their length are cut;
 * a session's id that is no plain word is left out for the gateway's own.
 */
export function callFields(context: CallContext, { agent, session }: AskingAgent): CallFields {
  const { statedReason, toolUseId } = context;
  return {
    cwd: context.cwd,
    session: isPlainName(context.session) ? context.session : session,
    ...(agent !== undefined && { agent }),
    ...(toolUseId !== null && { toolUseId: toolUseId.slice(0, longestToolUseId) }),
    ...(statedReason !== null && { statedReason: statedReason.slice(0, longestReason) }),
  };
}

function isPlainName(text: string | null): text is string {
  return text !== null && /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$/.test(text);
}
