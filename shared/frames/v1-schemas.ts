import type { SchemaObject } from '../schema/compile.ts';
import { compile } from '../schema/compile.ts';
import type { V1ExecFrame, V1ExecRequest, V1RequestFrame } from './v1.ts';

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
