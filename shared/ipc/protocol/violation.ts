import { parseJson, refuse } from '../../base/index.ts';
import type { Check, RefusalCode } from '../../base/index.ts';
import type { CloseReason, Duplex } from '../transport/duplex.ts';
import type { Context } from './context.ts';

/** Everything that ends a session because the peer broke the protocol. Stable: they stand in the log. */
const violationCodes = [
  'foreign-peer',
  'handshake-timeout',
  'wrong-version',
  'challenge-expired',
  'nonce-used',
  'bad-mac',
  'bad-sequence',
  'stale-timestamp',
  'bad-json',
  'bad-frame',
  'unknown-type',
  'unexpected-frame',
  'frame-too-long',
  'partial-frame',
  'invalid-utf8',
  'rate-exceeded',
  'peer-silent',
  'duplicate-ask',
  'unknown-ask',
  'already-answered',
  'digest-mismatch',
  'not-offered',
] as const;
export type ViolationCode = (typeof violationCodes)[number];

/** For the audit row; never carries a secret or the frame itself. */
export interface Violation {
  readonly code: ViolationCode;
  /** One sentence. */
  readonly detail: string;
  /** The refusal code under which the log files it. */
  readonly refusal: RefusalCode;
}

const authentic: readonly ViolationCode[] = ['foreign-peer', 'bad-mac', 'challenge-expired'];
const replayed: readonly ViolationCode[] = ['nonce-used', 'bad-sequence', 'stale-timestamp'];

/** Builds a violation; the code decides under which refusal it is filed. */
export function violation(code: ViolationCode, detail: string): Violation {
  return { code, detail, refusal: refusalFor(code) };
}

function refusalFor(code: ViolationCode): RefusalCode {
  if (authentic.includes(code)) return 'hmac-fail';
  if (replayed.includes(code)) return 'replay-detected';
  if (code === 'rate-exceeded') return 'rate-limit';
  return code === 'peer-silent' || code === 'handshake-timeout'
    ? 'approver-unavailable'
    : 'invalid-request';
}

/** Thrown inside the protocol, caught at its edge; nobody outside sees it. */
export class ViolationError extends Error {
  readonly violation: Violation;

  constructor(code: ViolationCode, detail: string) {
    super(detail);
    this.name = 'ViolationError';
    this.violation = violation(code, detail);
  }
}

/** A line or body as a JSON object; anything else breaks the protocol. */
export function parseObject(text: string): Readonly<Record<string, unknown>> {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new ViolationError('bad-json', 'A frame is not valid JSON.');
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ViolationError('bad-frame', 'A frame is not a JSON object.');
  }
  return value as Record<string, unknown>;
}

/** Applies a schema; a failure breaks the protocol. */
export function requireValid<T>(check: Check<T>, value: unknown): T {
  const checked = check(value);
  if (checked.ok) return checked.value;
  throw new ViolationError('bad-frame', checked.error);
}

/** Picks the check for the type that a frame names. */
export function requireTyped<T>(
  checks: Readonly<Record<string, Check<T>>>,
  value: Readonly<Record<string, unknown>>,
): T {
  const type = value['type'];
  if (typeof type !== 'string' || !Object.hasOwn(checks, type)) {
    throw new ViolationError('unknown-type', 'A frame has no type that is known here.');
  }
  return requireValid(checks[type] as Check<T>, value);
}

/** The breach of protocol that made a transport close, or null when it simply closed. */
export function breachOf(reason: CloseReason): ViolationError | null {
  return reason.code === 'frame-too-long' ||
    reason.code === 'partial-frame' ||
    reason.code === 'invalid-utf8'
    ? new ViolationError(reason.code, reason.detail)
    : null;
}

/**
 * Runs a handshake. Whatever fails closes the connection, a breach is told once, and the caller
 * gets a `RefusalError`.
 */
export async function guarded<T>(
  duplex: Duplex,
  context: Context,
  handshake: () => Promise<T>,
): Promise<T> {
  try {
    return await handshake();
  } catch (error) {
    duplex.destroy();
    if (!(error instanceof ViolationError)) throw error;
    context.onViolation(error.violation);
    throw refuse(
      error.violation.refusal,
      `No session with the other side: ${error.violation.detail}`,
      'Check that both sides use the same policy file, and that no other program sits on the socket.',
      { cause: error },
    );
  }
}
