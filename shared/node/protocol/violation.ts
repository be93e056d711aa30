import type { RefusalCode } from '../../refusal/codes.ts';

/** Everything that ends a session because the peer broke the protocol. Stable: they stand in the log. */
export const violationCodes = [
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
