import { callChecks } from '../bridge/page-message.ts';
import { refuse } from '../../shared/base/index.ts';
import type { BridgeCall, BridgeCalls, BridgeResult } from '../bridge/types.ts';
import { PolicyConflictError, PolicyDoubtError } from './refusals.ts';
import { refusalOfError } from './refusals.ts';

/** One handler for each call, with arguments that passed their schema. */
export type CallHandlers = {
  readonly [C in BridgeCall]: (
    args: BridgeCalls[C]['args'],
  ) => Promise<BridgeCalls[C]['result']> | BridgeCalls[C]['result'];
};

type AnyHandler = (args: unknown) => unknown;

/**
 * Takes the calls of every shell: the name must be known, the arguments must pass their schema, and
 * whatever goes wrong comes back as a refusal.
 */
export function createDispatcher(
  handlers: CallHandlers,
): (call: string, args: unknown) => Promise<BridgeResult<BridgeCall>> {
  return async (call, args) => {
    try {
      if (!isCall(call)) {
        throw refuse('invalid-request', 'There is no such call.', 'Reload the page.');
      }
      const checked = callChecks[call](args);
      if (!checked.ok) throw refuse('invalid-request', checked.error, 'Reload the page.');
      const result = await (handlers[call] as AnyHandler)(checked.value);
      return { ok: true, result } as BridgeResult<BridgeCall>;
    } catch (error) {
      const refusal = refusalOfError(error);
      if (error instanceof PolicyDoubtError) return { ok: false, refusal, doubts: error.doubts };
      return error instanceof PolicyConflictError
        ? { ok: false, refusal, conflict: error.current }
        : { ok: false, refusal };
    }
  };
}

function isCall(call: string): call is BridgeCall {
  return Object.hasOwn(callChecks, call);
}
