import { createHmac } from 'node:crypto';
import { readJson, refusalOf } from '../../base/index.ts';
import type { Refusal, RefusalCode } from '../../base/index.ts';
import { decisionWords } from '../../engine/index.ts';
import type { DecisionWord } from '../../engine/index.ts';
import {
  checkV1Exec,
  checkV1ExecRequest,
  checkV1Request,
  v1MaxOutput,
  v1TtlMs,
} from '../../wire/index.ts';
import type {
  V1AskRequest,
  V1DecisionFrame,
  V1ExecError,
  V1ExecFrame,
  V1ExecOutcome,
  V1ExecPayload,
  V1ExecRequest,
  V1ExecResultFrame,
} from '../../wire/index.ts';
import { sameMac } from '../macs.ts';
import type { PeerCredentials } from '../peer.ts';
import type { NonceMemory } from './context.ts';
import { violation } from './violation.ts';
import type { Violation } from './violation.ts';

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

const closed: V1ExecError = {
  code: 'UNAVAILABLE',
  message: 'SYSTEM_RUN_DENIED: approval prompt closed without decision',
  reason: 'approval-cancelled',
};

/** The words that version-1 clients know, where they have one for a refusal. */
const known: Readonly<Partial<Record<RefusalCode, V1ExecError>>> = {
  'policy-deny': {
    code: 'UNAVAILABLE',
    message: 'SYSTEM_RUN_DENIED: allowlist miss',
    reason: 'allowlist-miss',
  },
  'confirm-rejected': {
    code: 'UNAVAILABLE',
    message: 'SYSTEM_RUN_DENIED: user denied',
    reason: 'user-denied',
  },
  'approval-timeout': closed,
  'requester-gone': closed,
};

/** A refusal of ours in the terms of the exec flow of version 1. */
function v1ErrorOf(refusal: Refusal): V1ExecError {
  const error = known[refusal.code];
  if (error !== undefined) return error;
  return {
    code: refusal.code === 'invalid-request' ? 'INVALID_REQUEST' : 'UNAVAILABLE',
    message: refusal.message,
    reason: refusal.code,
  };
}

const mark = '... (truncated) ';

/** The payload with its output cut to what an answer may carry; the tail is kept, and marked. */
function cappedPayload(payload: V1ExecPayload): V1ExecPayload {
  return { ...payload, stdout: tail(payload.stdout), stderr: tail(payload.stderr) };
}

function tail(output: string): string {
  if (output.length <= v1MaxOutput) return output;
  const kept = output.slice(output.length - (v1MaxOutput - mark.length));
  // Never start in the middle of a surrogate pair.
  return mark + (/^[\uDC00-\uDFFF]/.test(kept) ? kept.slice(1) : kept);
}

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish']);
const textFlags = new Set(['-c', '-lc', '-cl']);

/**
 * Whether the text that a client shows for a command says the same as its argv. Some clients show
 * the text and run the argv: a difference would let one command pass as another.
 */
export function rawCommandFits(raw: string | null, argv: readonly string[]): boolean {
  const shown = raw?.trim() ?? '';
  if (shown === '') return true;
  return shown === argv.join(' ') || shown === quoted(argv) || shown === shellText(argv);
}

/** Words joined by spaces; those with white space or double quotes in double quotes. */
function quoted(argv: readonly string[]): string {
  return argv
    .map((word) =>
      word === '' || /[\s"]/.test(word) ? `"${word.replaceAll('"', String.raw`\"`)}"` : word,
    )
    .join(' ');
}

/** The text of `sh -c TEXT`, with nothing after it that the shell would see too. */
function shellText(argv: readonly string[]): string | null {
  const [program, flag, text, ...rest] = argv;
  if (program === undefined || flag === undefined || text === undefined || rest.length > 0) {
    return null;
  }
  const name = program.slice(program.lastIndexOf('/') + 1);
  return shells.has(name) && textFlags.has(flag) ? text.trim() : null;
}

/**
 * Answers `{"type":"request"}`. A wrong token is answered `deny`, and a client cannot tell that
 * from a person's `deny`. Null where the client takes no `deny`, or where the frame is malformed.
 */
async function answerAsk(frame: unknown, options: V1Options): Promise<V1DecisionFrame | null> {
  const checked = checkV1Request(frame);
  if (!checked.ok) return null;
  const { id, request, token } = checked.value;
  if (!sameSecret(token, options.token)) {
    options.onViolation(violation('bad-mac', 'A version-1 request carries a wrong token.'));
    return { type: 'decision', id, decision: 'deny' };
  }
  const offered = offeredBy(request);
  const decision = await decide(request, offered, { id, options });
  if (decision !== null && offered.includes(decision)) return { type: 'decision', id, decision };
  return offered.includes('deny') ? { type: 'decision', id, decision: 'deny' } : null;
}

/** The words that a client takes; words that nobody knows are left out. */
function offeredBy(request: V1AskRequest): readonly DecisionWord[] {
  const allowed = request.allowedDecisions ?? null;
  if (allowed !== null) return decisionWords.filter((word) => allowed.includes(word));
  return decisionWords.filter((word) => word !== 'allow-always' || request.ask !== 'always');
}

async function decide(
  request: V1AskRequest,
  offered: readonly DecisionWord[],
  asked: { readonly id: string; readonly options: V1Options },
): Promise<DecisionWord | null> {
  const { handlers, peer, signal } = asked.options;
  try {
    return await handlers.decide(request, offered, { id: asked.id, peer, signal });
  } catch {
    return null;
  }
}

/** Compares two secrets of any length in constant time. */
function sameSecret(one: string, other: string): boolean {
  const hash = (secret: string): string =>
    createHmac('sha256', 'interlock-approval/1').update(secret, 'utf8').digest('hex');
  return sameMac(hash(one), hash(other));
}

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
async function answerExec(frame: unknown, options: V1Options): Promise<V1ExecResultFrame | null> {
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
  const checked = readJson(checkV1ExecRequest, json);
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

export interface V1Options {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Nonces of exec frames that were accepted before. */
  readonly seen: NonceMemory;
  readonly handlers: V1Handlers;
  readonly peer: V1Context['peer'];
  readonly signal: V1Context['signal'];
  /** A wrong token, a wrong hmac or a replay: for the audit row. */
  readonly onViolation: (violation: Violation) => void;
}

/** True when a frame's type is one of version 1. */
export function isV1(frame: Readonly<Record<string, unknown>>): boolean {
  return frame['type'] === 'request' || frame['type'] === 'exec';
}

/**
 * The one line that answers a version-1 frame, without its newline; null: close without a word.
 * Never rejects: whatever goes wrong in a handler is a refusal.
 */
export async function answerV1(
  frame: Readonly<Record<string, unknown>>,
  options: V1Options,
): Promise<string | null> {
  const answer =
    frame['type'] === 'request'
      ? await answerAsk(frame, options)
      : frame['type'] === 'exec'
        ? await answerExec(frame, options)
        : null;
  return answer === null ? null : JSON.stringify(answer);
}
