import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Ask } from '../engine/index.ts';
import type {
  AnswerRequest,
  BreachReport,
  Direction,
  HelloFrame,
  ReportedBreach,
  RunnerBody,
  SealedFrame,
} from '../wire/index.ts';

/** Stands under every mac and key, so that none can be used in another protocol or version. */
const protocolLabel = 'interlock-approval/2';

/** Joins fields so that no two lists of fields yield the same bytes: each after its length. */
export function lengthPrefixed(fields: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (const field of fields) {
    const bytes = Buffer.from(field, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}

function keyedMac(key: string | Uint8Array, fields: readonly string[]): string {
  return createHmac('sha256', key)
    .update(lengthPrefixed([protocolLabel, ...fields]))
    .digest('hex');
}

/** The nonces of one handshake, as they stand on the wire. */
export interface Nonces {
  readonly server: string;
  readonly client: string;
}

/** HMAC(token, label ‖ "client" ‖ N1 ‖ N2 ‖ ts): the runner knows the token. */
export function helloMac(token: string, nonces: Nonces, ts: HelloFrame['ts']): string {
  return keyedMac(token, ['client', nonces.server, nonces.client, String(ts)]);
}

/** HMAC(token, label ‖ "server" ‖ N2 ‖ N1): the approver knows the token. */
export function welcomeMac(token: string, nonces: Nonces): string {
  return keyedMac(token, ['server', nonces.client, nonces.server]);
}

/** HKDF-SHA256 of the token, salted with both nonces: good for one session only. */
export function sessionKey(token: string, nonces: Nonces): Uint8Array {
  const salt = lengthPrefixed([nonces.server, nonces.client]);
  const info = lengthPrefixed([protocolLabel, 'session']);
  return new Uint8Array(hkdfSync('sha256', token, salt, info, 32));
}

/** HMAC(K, label ‖ direction ‖ seq ‖ ts ‖ body). */
export function frameMac(
  key: Uint8Array,
  direction: Direction,
  frame: Omit<SealedFrame, 'mac'>,
): string {
  return keyedMac(key, [direction, String(frame.seq), String(frame.ts), frame.body]);
}

/** Compares two macs in hex in constant time. */
export function sameMac(one: string, other: string): boolean {
  const a = Buffer.from(one, 'utf8');
  const b = Buffer.from(other, 'utf8');
  return a.length === b.length && timingSafeEqual(a, b);
}

/** sha256 (hex) of a text's UTF-8 bytes: how a decision names the ask that it answers. */
export function digestOf(body: string): string {
  return createHash('sha256').update(body, 'utf8').digest('hex');
}

/** The digest of an ask as it goes to the approver, for one that no approver of this machine has. */
export function digestOfAsk(ask: Ask): string {
  return digestOf(JSON.stringify({ type: 'ask', ask } satisfies RunnerBody));
}

/** An answer as it is signed: everything but the mac. */
type UnsignedAnswer = Omit<AnswerRequest, 'mac'>;

const label = 'interlock answer 1';

/**
 * HMAC-SHA256 (hex) of an answer to the ask `id`. Every field goes in under its length, an absent
 * one as an empty field with its own mark, so that no two answers share one input.
 */
function answerMac(token: string, id: string, answer: UnsignedAnswer): string {
  const mac = createHmac('sha256', Buffer.from(token, 'utf8'));
  for (const field of [
    label,
    id,
    answer.askDigest,
    answer.decision,
    answer.remember === undefined ? '-' : `+${answer.remember.duration}`,
    answer.remember === undefined ? '-' : `+${answer.remember.proposalId}`,
    answer.note === undefined ? '-' : `+${answer.note}`,
    String(answer.ts),
    answer.nonce,
  ]) {
    const bytes = Buffer.from(field, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    mac.update(length).update(bytes);
  }
  return mac.digest('hex');
}

/** Whether the answer's mac was made with `token`; compared in constant time. */
export function isSigned(token: string, id: string, answer: AnswerRequest): boolean {
  const wanted = Buffer.from(answerMac(token, id, answer), 'hex');
  const given = Buffer.from(answer.mac, 'hex');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

interface SignOptions {
  /** The approvals token of the policy file. */
  readonly token: string;
  readonly askId: string;
  readonly now: () => number;
}

/** A body for `POST /v1/pending/:id/answer`, with a fresh nonce and the present time. */
export function signAnswer(
  options: SignOptions,
  answer: Pick<AnswerRequest, 'askDigest' | 'decision' | 'remember' | 'note'>,
): AnswerRequest {
  const unsigned: UnsignedAnswer = {
    ...answer,
    ts: options.now(),
    nonce: randomBytes(32).toString('base64url'),
  };
  return { ...unsigned, mac: answerMac(options.token, options.askId, unsigned) };
}

type UnsignedReport = Omit<BreachReport, 'mac'>;

const breachLabel = 'interlock breach report 1';

/** HMAC-SHA256 (hex) over every field under its length, so that no two reports share one input. */
function reportMac(token: string, { breaches, ts, nonce }: UnsignedReport): string {
  const told = breaches.flatMap(({ code, count, firstAt, lastAt, pid }) =>
    [code, count, firstAt, lastAt, pid].map(String),
  );
  return createHmac('sha256', Buffer.from(token, 'utf8'))
    .update(lengthPrefixed([breachLabel, String(ts), nonce, ...told]))
    .digest('hex');
}

/** Whether the report's mac was made with `token`; compared in constant time. */
export function isSignedReport(token: string, report: BreachReport): boolean {
  return sameMac(report.mac, reportMac(token, report));
}

/** A body for `POST /v1/breaches`, with a fresh nonce and the present time. */
export function signReport(
  options: {
    /** The approvals token of the policy file. */
    readonly token: string;
    readonly now: () => number;
  },
  breaches: readonly ReportedBreach[],
): BreachReport {
  const nonce = randomBytes(32).toString('base64url');
  const unsigned: UnsignedReport = { breaches, ts: options.now(), nonce };
  return { ...unsigned, mac: reportMac(options.token, unsigned) };
}
