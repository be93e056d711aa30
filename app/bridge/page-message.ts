import { compile, compileAll, readJson, s } from '../../shared/base/index.ts';
import { bridgeCalls, callSchemas } from './calls.ts';
import { pageMessageLimit } from './messages.ts';
import type { BridgeCall } from './types.ts';

/** A call as it came in: its name is known, its arguments are still to be checked. */
interface IncomingCall {
  readonly id: number;
  readonly name: BridgeCall;
  readonly args: unknown;
}

const check = compile(
  s.object({
    type: s.literal('call'),
    id: s.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    name: s.oneOf(bridgeCalls),
    args: s.record(s.unknown()),
  }),
);

/** A compiled check for the arguments of every call. For hosts only: a page cannot compile. */
export const callChecks = compileAll(callSchemas);

/** A text from a page as a call, or the sentence that says what is wrong with it. */
export function decodePageMessage(
  text: string,
): { readonly ok: true; readonly call: IncomingCall } | { readonly ok: false; error: string } {
  if (text.length > pageMessageLimit) return { ok: false, error: 'The message is too long.' };
  const checked = readJson(check, text);
  if (!checked.ok) return { ok: false, error: checked.error };
  const { id, name, args } = checked.value;
  return { ok: true, call: { id, name, args } };
}
