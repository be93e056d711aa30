import { compile } from '../../shared/base/index.ts';
import { bridgeCalls, pageMessageLimit } from './messages.ts';
import type { BridgeCall } from './types.ts';

/** A call as it came in: its name is known, its arguments are still to be checked. */
export interface IncomingCall {
  readonly id: number;
  readonly name: BridgeCall;
  readonly args: unknown;
}

const check = compile<IncomingCall & { readonly type: 'call' }>({
  type: 'object',
  additionalProperties: false,
  required: ['type', 'id', 'name', 'args'],
  properties: {
    type: { const: 'call' },
    id: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    name: { type: 'string', enum: [...bridgeCalls] },
    args: { type: 'object' },
  },
});

/** A text from a page as a call, or the sentence that says what is wrong with it. */
export function decodePageMessage(
  text: string,
): { readonly ok: true; readonly call: IncomingCall } | { readonly ok: false; error: string } {
  if (text.length > pageMessageLimit) return { ok: false, error: 'The message is too long.' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, error: 'The message is not JSON.' };
  }
  const checked = check(value);
  if (!checked.ok) return { ok: false, error: checked.error };
  const { id, name, args } = checked.value;
  return { ok: true, call: { id, name, args } };
}
