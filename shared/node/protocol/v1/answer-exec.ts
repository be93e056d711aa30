import { createHmac } from 'node:crypto';
import type {
  V1ExecError,
  V1ExecFrame,
  V1ExecOutcome,
  V1ExecRequest,
  V1ExecResultFrame,
} from '../../../frames/v1.ts';
import { v1TtlMs } from '../../../frames/v1.ts';
import { checkV1Exec, checkV1ExecRequest } from '../../../frames/v1-schemas.ts';
import { refusalOf } from '../../../refusal/refusal.ts';
import { sameMac } from '../keys.ts';
import { violation } from '../violation.ts';
import type { V1Options } from './answer.ts';
import { v1ErrorOf } from './errors.ts';
import { cappedPayload } from './output.ts';
import { rawCommandFits } from './raw-command.ts';

/** HMAC-SHA256 over `nonce:ts:requestJson`, keyed with the token's UTF-8 bytes; lower hex. */
export function v1Hmac(
  token: string,
  frame: Pick<V1ExecFrame, 'nonce' | 'ts' | 'requestJson'>,
): string {
  return createHmac('sha256', Buffer.from(token, 'utf8'))
    .update(`${frame.nonce}:${String(frame.ts)}:${frame.requestJson}`, 'utf8')
    .digest('hex');
}

/** Answers `{"type":"exec"}`. Null where the frame is malformed: close without a word. */
export async function answerExec(
  frame: unknown,
  options: V1Options,
): Promise<V1ExecResultFrame | null> {
  const checked = checkV1Exec(frame);
  if (!checked.ok) return null;
  const { id } = checked.value;
  const problem = notAuthentic(checked.value, options);
  if (problem !== null) return { type: 'exec-res', id, ok: false, error: problem };
  const request = requestOf(checked.value.requestJson);
  const outcome: V1ExecOutcome =
    'message' in request ? { ok: false, error: request } : await run(request, { id, options });
  return { type: 'exec-res', id, ...outcome };
}

/** Age, then signature, then replay: a nonce is remembered only when its frame is genuine. */
function notAuthentic(frame: V1ExecFrame, options: V1Options): V1ExecError | null {
  if (Math.abs(options.now() - frame.ts) > v1TtlMs) {
    return invalid('expired request', 'ttl');
  }
  if (!sameMac(frame.hmac, v1Hmac(options.token, frame))) {
    options.onViolation(violation('bad-mac', 'A version-1 exec frame carries a wrong hmac.'));
    return invalid('invalid auth', 'hmac');
  }
  // A frame from the future stays valid for longer, and so its nonce must be known for longer.
  if (!options.seen.use(frame.nonce, frame.ts + v1TtlMs)) {
    options.onViolation(violation('nonce-used', 'A version-1 exec frame was replayed.'));
    return invalid('replayed request', 'replay');
  }
  return null;
}

function requestOf(json: string): V1ExecRequest | V1ExecError {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return invalid('invalid payload', 'json');
  }
  const checked = checkV1ExecRequest(value);
  if (!checked.ok) return invalid('invalid payload', 'json');
  const request = checked.value;
  const executable = request.command[0] ?? '';
  if (executable.trim() === '') return invalid('command required', 'invalid');
  if (executable !== executable.trim()) {
    return invalid('executable has surrounding whitespace', 'invalid');
  }
  if (!rawCommandFits(request.rawCommand ?? null, request.command)) {
    return invalid('rawCommand mismatch', 'invalid');
  }
  const claimed = request.approvalDecision ?? null;
  if (claimed !== null && claimed !== 'allow-once' && claimed !== 'allow-always') {
    return invalid('unexpected approval state', 'invalid');
  }
  if (request.needsScreenRecording === true) {
    return {
      code: 'UNAVAILABLE',
      message: 'PERMISSION_MISSING: screenRecording',
      reason: 'permission:screenRecording',
    };
  }
  return request;
}

async function run(
  request: V1ExecRequest,
  asked: { readonly id: string; readonly options: V1Options },
): Promise<V1ExecOutcome> {
  const { handlers, peer, signal } = asked.options;
  try {
    const outcome = await handlers.onExec(request, { id: asked.id, peer, signal });
    return outcome.ok ? { ok: true, payload: cappedPayload(outcome.payload) } : outcome;
  } catch (error) {
    const refusal = refusalOf(error);
    return {
      ok: false,
      error:
        refusal === undefined
          ? { code: 'UNAVAILABLE', message: 'The command could not be run.', reason: 'internal' }
          : v1ErrorOf(refusal),
    };
  }
}

function invalid(message: string, reason: string): V1ExecError {
  return { code: 'INVALID_REQUEST', message, reason };
}
