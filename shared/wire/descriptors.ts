import { refusalCodes, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { maxArgvLength, maxCommandLength, maxVariables } from './limits.ts';

/**
 * The files of a shared folder: what an agent that has nothing else asks with, and what it is told.
 * Names are those of the files, so they are written as there. Unknown fields are refused.
 */

const noNul = '^[^\\u0000]*$';
const id = s.string({ pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });
const principal = s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' });
/** RFC 3339, UTC. */
const moment = s.string({
  pattern:
    '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?Z$',
});
/**
 * 64 random bits. RFC 8785 writes numbers as doubles, under which two of them can have one signature:
 * so it is decimal text, and a number only as far as doubles are exact.
 */
const nonce = s.union(
  s.string({ pattern: '^(?:0|[1-9][0-9]{0,19})$' }),
  s.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
);
/** HMAC-SHA256 in base64. */
const hmac = s.string({ pattern: '^[A-Za-z0-9+/]{43}=$' });

/** Largest file of a request, and of a teardown, in bytes. */
export const maxDescriptorBytes = 256 * 1024;
/** Largest file of an answer, in bytes: output is cut before, and every character of it can take six. */
export const maxAnswerFileBytes = 64 * 1024 * 1024;

/** What every file says of itself. */
const head = { id, created_at: moment, nonce, principal };
const word = s.string({ maxLength: maxCommandLength, pattern: noNul });

/** `requests/ID.yaml`. That exactly one of the ways to say what is wanted is there is checked apart. */
export const descriptorSchema = s.object({
  ...head,
  /** A brokered tool by its name, with its `args`; or `pause`, which runs nothing. */
  subcommand: s.optional(s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' })),
  /** The same under another name. */
  tool: s.optional(s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' })),
  args: s.optional(s.array(word, { maxItems: maxArgvLength })),
  /** A program with its arguments, by the agent's rules. */
  argv: s.optional(s.array(word, { minItems: 1, maxItems: maxArgvLength })),
  /** Shell text, by the agent's rules. */
  command: s.optional(s.string({ minLength: 1, maxLength: maxCommandLength, pattern: noNul })),
  env: s.optional(
    s.record(s.string({ maxLength: 32_768, pattern: noNul }), {
      maxProperties: maxVariables,
      names: s.string({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,255}$' }),
    }),
  ),
  /** Below the shared folder, and relative to it: the two sides see it under different names. */
  cwd: s.optional(
    s.string({ minLength: 1, maxLength: 4_096, pattern: '^[^/\\u0000][^\\u0000]*$' }),
  ),
  requires_confirm: s.optional(s.boolean()),
  timeout_sec: s.optional(s.integer({ minimum: 1, maximum: 86_400 })),
  /** Standard input, base64. */
  stdin: s.optional(s.string({ maxLength: maxDescriptorBytes, pattern: '^[A-Za-z0-9+/]*={0,2}$' })),
  session: s.optional(s.string({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$' })),
  /** In the agent's words; of a pause, what is shown wherever something is refused because of it. */
  reason: s.optional(s.string({ minLength: 1, maxLength: 500 })),
  hmac,
});
export type Descriptor = Static<typeof descriptorSchema>;

/** `teardowns/ID.yaml`: whoever asked waits no longer. `nonce` is that of the request. */
export const teardownSchema = s.object({ ...head, teardown: s.literal(true), hmac });
export type Teardown = Static<typeof teardownSchema>;

/** `responses/ID.yaml`. `nonce` is that of the request. */
export const answerFileSchema = s.object({
  ...head,
  ok: s.boolean(),
  exit_code: s.nullable(s.integer()),
  signal: s.nullable(s.string({ maxLength: 32 })),
  stdout: s.string(),
  stderr: s.string(),
  truncated: s.boolean(),
  duration_ms: s.nullable(s.number()),
  refusal: s.nullable(
    s.object({ code: s.oneOf(refusalCodes), message: s.string(), hint: s.string() }),
  ),
  /** Null where there is no key to sign with: then it can only be a refusal. */
  hmac: s.nullable(hmac),
});
export type AnswerFile = Static<typeof answerFileSchema>;

/** Names that are not tools: what they mean is fixed. */
export const pauseWord = 'pause';
