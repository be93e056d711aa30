import { compile } from '../base/index.ts';
import type { SchemaObject } from '../base/index.ts';
import type { DecisionWord } from '../engine/index.ts';

/** One line each way per connection: what older clients of the approvals socket speak. */
interface V1RequestFrame {
  readonly type: 'request';
  readonly token: string;
  readonly id: string;
  readonly request: V1AskRequest;
}

/** Only `command` is sure to be there; null means absent. */
export interface V1AskRequest {
  readonly command: string;
  readonly cwd?: string | null;
  readonly host?: string | null;
  readonly security?: string | null;
  readonly ask?: string | null;
  readonly agentId?: string | null;
  readonly resolvedPath?: string | null;
  readonly sessionKey?: string | null;
  readonly allowedDecisions?: readonly string[] | null;
}

export interface V1DecisionFrame {
  readonly type: 'decision';
  readonly id: string;
  readonly decision: DecisionWord;
}

export interface V1ExecFrame {
  readonly type: 'exec';
  readonly id: string;
  readonly nonce: string;
  readonly ts: number;
  readonly hmac: string;
  /** JSON of a `V1ExecRequest`, as the exact text that was signed. */
  readonly requestJson: string;
}

/** A command to decide on and to run in one go. Null means absent. */
export interface V1ExecRequest {
  readonly command: readonly string[];
  readonly rawCommand?: string | null;
  readonly cwd?: string | null;
  readonly env?: Readonly<Record<string, string>> | null;
  readonly timeoutMs?: number | null;
  readonly needsScreenRecording?: boolean | null;
  readonly agentId?: string | null;
  readonly sessionKey?: string | null;
  /** What the client says was decided before. Never taken for an approval by itself. */
  readonly approvalDecision?: string | null;
}

export interface V1ExecPayload {
  readonly exitCode?: number;
  readonly timedOut: boolean;
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly error?: string;
}

export interface V1ExecError {
  readonly code: 'INVALID_REQUEST' | 'UNAVAILABLE';
  readonly message: string;
  readonly reason?: string;
}

export type V1ExecOutcome =
  | { readonly ok: true; readonly payload: V1ExecPayload }
  | { readonly ok: false; readonly error: V1ExecError };

export type V1ExecResultFrame = { readonly type: 'exec-res'; readonly id: string } & V1ExecOutcome;

/** Longest line that a version-1 client may send, in bytes. */
export const v1MaxFrameBytes = 256_000;
/** How far `ts` of an exec frame may be from our clock, either way. */
export const v1TtlMs = 10_000;
/** Longest stdout or stderr in an answer, in characters; the tail is kept. */
export const v1MaxOutput = 200_000;

/**
 * Unknown fields are let through here, and only here: later clients add fields of their own, and
 * nothing reads them.
 */
const open = (properties: Record<string, SchemaObject>, required: string[]): SchemaObject => ({
  type: 'object',
  required,
  properties,
});

const id: SchemaObject = { type: 'string', minLength: 1, maxLength: 200 };
const text: SchemaObject = { type: ['string', 'null'] };

export const checkV1Request = compile<V1RequestFrame>(
  open(
    {
      type: { const: 'request' },
      token: { type: 'string' },
      id,
      request: open(
        {
          command: { type: 'string', minLength: 1 },
          cwd: text,
          host: text,
          security: text,
          ask: text,
          agentId: text,
          resolvedPath: text,
          sessionKey: text,
          allowedDecisions: { type: ['array', 'null'], items: { type: 'string' }, maxItems: 20 },
        },
        ['command'],
      ),
    },
    ['type', 'token', 'id', 'request'],
  ),
);

export const checkV1Exec = compile<V1ExecFrame>(
  open(
    {
      type: { const: 'exec' },
      id,
      nonce: { type: 'string', minLength: 1, maxLength: 200 },
      ts: { type: 'integer' },
      hmac: { type: 'string', maxLength: 200 },
      requestJson: { type: 'string' },
    },
    ['type', 'id', 'nonce', 'ts', 'hmac', 'requestJson'],
  ),
);

export const checkV1ExecRequest = compile<V1ExecRequest>(
  open(
    {
      command: { type: 'array', items: { type: 'string' }, maxItems: 10_000 },
      rawCommand: text,
      cwd: text,
      env: { type: ['object', 'null'], additionalProperties: { type: 'string' } },
      timeoutMs: { type: ['number', 'null'], minimum: 0 },
      needsScreenRecording: { type: ['boolean', 'null'] },
      agentId: text,
      sessionKey: text,
      approvalDecision: text,
    },
    ['command'],
  ),
);
