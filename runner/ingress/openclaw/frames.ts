import { compile, displayPlain } from '../../../shared/base/index.ts';
import type { SchemaObject } from '../../../shared/base/index.ts';

/** Frames of OpenClaw's Gateway, protocol 4, as far as an approver needs them. All of it is untrusted. */

export interface ResponseFrame {
  readonly type: 'res';
  readonly id: string;
  readonly ok: boolean;
  readonly payload?: unknown;
  readonly error?: GatewayError;
}

interface GatewayError {
  readonly code?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface EventFrame {
  readonly type: 'event';
  readonly event: string;
  readonly payload?: unknown;
}

const id = { type: 'string', minLength: 1, maxLength: 256 } as const;
const text = { type: 'string' } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const time = { type: 'number', minimum: 0, maximum: 8_640_000_000_000_000 } as const;

/** Newer releases add fields; those named here have to fit. */
function open(properties: Record<string, SchemaObject>, required: readonly string[]): SchemaObject {
  return { type: 'object', required, properties, additionalProperties: true };
}

export const checkFrame = compile<ResponseFrame | EventFrame>({
  type: 'object',
  required: ['type'],
  properties: { type: { enum: ['res', 'event'] } },
  oneOf: [
    open(
      {
        type: { const: 'res' },
        id,
        ok: { type: 'boolean' },
        error: open({ code: text, message: text, details: { type: 'object' } }, []),
      },
      ['type', 'id', 'ok'],
    ),
    open({ type: { const: 'event' }, event: text }, ['type', 'event']),
  ],
});

export const checkChallenge = compile<{ readonly nonce: string }>(
  open({ nonce: { type: 'string', minLength: 1, maxLength: 1024 } }, ['nonce']),
);

export interface Hello {
  readonly type: 'hello-ok';
  readonly protocol: number;
  readonly policy?: { readonly tickIntervalMs?: number };
}

export const checkHello = compile<Hello>(
  open(
    {
      type: { const: 'hello-ok' },
      protocol: { const: 4 },
      policy: open({ tickIntervalMs: { type: 'number', minimum: 100, maximum: 3_600_000 } }, []),
    },
    ['type', 'protocol'],
  ),
);

/** What OpenClaw is about to run, and for whom. */
export interface ApprovalRequest {
  readonly command?: string;
  readonly cwd?: string | null;
  readonly host?: string | null;
  readonly nodeId?: string | null;
  readonly agentId?: string | null;
  readonly sessionKey?: string | null;
  readonly warningText?: string | null;
  readonly envKeys?: readonly string[];
  readonly allowedDecisions?: readonly string[];
  /** For host `node`: what the node will really be told to run. */
  readonly systemRunPlan?: {
    readonly argv: readonly string[];
    readonly cwd?: string | null;
  } | null;
}

/** One request that waits, as events and the list tell it. Times are milliseconds since the epoch. */
export interface ApprovalRecord {
  readonly id: string;
  readonly request: ApprovalRequest;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

const words = { type: 'array', items: text } as const;
const recordSchema = open(
  {
    id,
    request: open(
      {
        command: text,
        cwd: textOrNull,
        host: textOrNull,
        nodeId: textOrNull,
        agentId: textOrNull,
        sessionKey: textOrNull,
        warningText: textOrNull,
        envKeys: words,
        allowedDecisions: words,
        systemRunPlan: {
          anyOf: [{ type: 'null' }, open({ argv: words, cwd: textOrNull }, ['argv'])],
        },
      },
      [],
    ),
    createdAtMs: time,
    expiresAtMs: time,
  },
  ['id', 'request', 'createdAtMs', 'expiresAtMs'],
);

export const checkRecord = compile<ApprovalRecord>(recordSchema);
export const checkList = compile<readonly unknown[]>({ type: 'array', maxItems: 10_000 });
export const checkResolved = compile<{ readonly id: string }>(open({ id }, ['id']));

/** Answer of `exec.approval.get`: what is shown to reviewers. */
export const checkDetails = compile<{
  readonly commandText: string;
  readonly allowedDecisions?: readonly string[];
}>(
  open({ commandText: { type: 'string', minLength: 1 }, allowedDecisions: words }, ['commandText']),
);

/** Answer of `exec.approvals.get` and `set`: the policy with the hash that a `set` must name. */
export interface PolicySnapshot {
  readonly path?: string;
  readonly exists: boolean;
  readonly hash: string;
  readonly file: Readonly<Record<string, unknown>>;
}

export const checkSnapshot = compile<PolicySnapshot>(
  open({ exists: { type: 'boolean' }, hash: id, file: { type: 'object' }, path: text }, [
    'exists',
    'hash',
    'file',
  ]),
);

/** A Gateway that said no, went away, or spoke otherwise than the contract. */
export class GatewayFailure extends Error {
  /** True where trying again cannot help: a person has to change something first. */
  readonly isFinal: boolean;
  readonly hint: string;

  constructor(message: string, hint = '', isFinal = false) {
    super(message);
    this.name = 'GatewayFailure';
    this.hint = hint;
    this.isFinal = isFinal;
  }
}

/** A Gateway that answered, and said no. */
export class GatewayRefusal extends GatewayFailure {}

const finalSteps = new Set([
  'update_auth_configuration',
  'update_auth_credentials',
  'review_auth_configuration',
]);

/** The failure that an error answer stands for; its words are the Gateway's and are shown as data. */
export function failureOf(method: string, error: GatewayError | undefined): GatewayRefusal {
  const code = wordOf(error?.details?.['code']) ?? wordOf(error?.code) ?? 'unknown';
  const said = displayPlain((error?.message ?? 'no reason given').slice(0, 300));
  const sentence = `OpenClaw's Gateway refused ${method} (${code}): ${said}`;
  if (code === 'PAIRING_REQUIRED')
    return new GatewayRefusal(
      sentence,
      `On the machine of the Gateway: openclaw devices approve ${wordOf(error?.details?.['requestId']) ?? 'REQUEST'}`,
    );
  const isFinal =
    finalSteps.has(wordOf(error?.details?.['recommendedNextStep']) ?? '') ||
    code === 'PROTOCOL_MISMATCH';
  return new GatewayRefusal(sentence, isFinal ? 'Check the token and the address.' : '', isFinal);
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.:-]{1,100}$/.test(value) ? value : null;
}
