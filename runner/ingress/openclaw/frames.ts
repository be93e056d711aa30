import { compile, displayPlain, s } from '../../../shared/base/index.ts';
import type { Static } from '../../../shared/base/index.ts';

/** Frames of OpenClaw's Gateway, protocol 4, as far as an approver needs them. All of it is untrusted. */

const id = s.string({ minLength: 1, maxLength: 256 });
const text = s.string();
const textOrNull = s.optional(s.nullable(text));
const words = s.array(text);
const time = s.number({ minimum: 0, maximum: 8_640_000_000_000_000 });

/** Newer releases add fields; those named here have to fit. */
const gatewayError = s.open({
  code: s.optional(text),
  message: s.optional(text),
  details: s.optional(s.record(s.unknown())),
});
type GatewayError = Static<typeof gatewayError>;

const responseFrame = s.open({
  type: s.literal('res'),
  id,
  ok: s.boolean(),
  payload: s.optional(s.unknown()),
  error: s.optional(gatewayError),
});
export type ResponseFrame = Static<typeof responseFrame>;

const eventFrame = s.open({
  type: s.literal('event'),
  event: text,
  payload: s.optional(s.unknown()),
});
export type EventFrame = Static<typeof eventFrame>;

export const checkFrame = compile(s.union(responseFrame, eventFrame));

export const checkChallenge = compile(
  s.open({ nonce: s.string({ minLength: 1, maxLength: 1_024 }), ts: s.optional(time) }),
);

const hello = s.open({
  type: s.literal('hello-ok'),
  protocol: s.literal(4),
  policy: s.optional(
    s.open({ tickIntervalMs: s.optional(s.number({ minimum: 100, maximum: 3_600_000 })) }),
  ),
  server: s.optional(s.open({ version: s.optional(s.string({ maxLength: 128 })) })),
  /** What the device got; its token is a secret. */
  auth: s.optional(
    s.open({
      deviceToken: s.optional(s.string({ pattern: '^[\\x21-\\x7e]{8,256}$' })),
      scopes: s.optional(words),
    }),
  ),
});
export type Hello = Static<typeof hello>;
export const checkHello = compile(hello);

/** What OpenClaw is about to run, and for whom. */
const approvalRequest = s.open({
  command: s.optional(text),
  cwd: textOrNull,
  host: textOrNull,
  nodeId: textOrNull,
  agentId: textOrNull,
  sessionKey: textOrNull,
  warningText: textOrNull,
  envKeys: s.optional(words),
  allowedDecisions: s.optional(words),
  /** For host `node`: what the node will really be told to run. */
  systemRunPlan: s.optional(s.nullable(s.open({ argv: words, cwd: textOrNull }))),
});
export type ApprovalRequest = Static<typeof approvalRequest>;

/** One request that waits, as events and the list tell it. Times are milliseconds since the epoch. */
const approvalRecord = s.open({
  id,
  request: approvalRequest,
  createdAtMs: time,
  expiresAtMs: time,
});
export type ApprovalRecord = Static<typeof approvalRecord>;

export const checkRecord = compile(approvalRecord);
export const checkList = compile(s.array(s.unknown(), { maxItems: 10_000 }));
export const checkResolved = compile(s.open({ id }));

/** Answer of `exec.approval.get`: what is shown to reviewers. */
export const checkDetails = compile(
  s.open({ commandText: s.string({ minLength: 1 }), allowedDecisions: s.optional(words) }),
);

/** Answer of `exec.approvals.get` and `set`: the policy with the hash that a `set` must name. */
const policySnapshot = s.open({
  path: s.optional(text),
  exists: s.boolean(),
  hash: id,
  file: s.record(s.unknown()),
});
export type PolicySnapshot = Static<typeof policySnapshot>;
export const checkSnapshot = compile(policySnapshot);

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

/** A text of the other end without what is secret between us, should it have been sent back. */
function withoutSecrets(told: string, secrets: readonly string[]): string {
  return secrets.reduce((now, secret) => now.replaceAll(secret, '(secret)'), told);
}

/** The failure that an error answer stands for; its words are the Gateway's and are shown as data. */
export function failureOf(
  method: string,
  error: GatewayError | undefined,
  secrets: readonly string[],
): GatewayRefusal {
  const word = (value: unknown): string | null => {
    const plain = typeof value === 'string' ? withoutSecrets(value, secrets) : '';
    return /^[\w.:-]{1,100}$/.test(plain) ? plain : null;
  };
  const code = word(error?.details?.['code']) ?? word(error?.code) ?? 'unknown';
  const told = withoutSecrets(error?.message ?? 'no reason given', secrets);
  const said = displayPlain(told.slice(0, 300));
  const sentence = `OpenClaw's Gateway refused ${method} (${code}): ${said}`;
  if (code === 'PAIRING_REQUIRED')
    return new GatewayRefusal(
      sentence,
      `On the machine of the Gateway: openclaw devices approve ${word(error?.details?.['requestId']) ?? 'REQUEST'}`,
    );
  const isFinal =
    finalSteps.has(word(error?.details?.['recommendedNextStep']) ?? '') ||
    code === 'PROTOCOL_MISMATCH';
  return new GatewayRefusal(sentence, isFinal ? 'Check the token and the address.' : '', isFinal);
}
