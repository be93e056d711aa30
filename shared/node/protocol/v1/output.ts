import type { V1ExecPayload } from '../../../frames/v1.ts';
import { v1MaxOutput } from '../../../frames/v1.ts';

const mark = '... (truncated) ';

/** The payload with its output cut to what an answer may carry; the tail is kept, and marked. */
export function cappedPayload(payload: V1ExecPayload): V1ExecPayload {
  return { ...payload, stdout: tail(payload.stdout), stderr: tail(payload.stderr) };
}

function tail(output: string): string {
  if (output.length <= v1MaxOutput) return output;
  const kept = output.slice(output.length - (v1MaxOutput - mark.length));
  // Never start in the middle of a surrogate pair.
  return mark + (/^[\uDC00-\uDFFF]/.test(kept) ? kept.slice(1) : kept);
}
