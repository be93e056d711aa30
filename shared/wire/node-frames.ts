import { refusalCodePattern, s } from '../base/index.ts';
import type { Schema, Static } from '../base/index.ts';
import { askModes, policyEditSchema, sandboxLimits, securityModes } from '../engine/index.ts';
import { maxResultLength, truncationMark } from './limits.ts';
import { commandFields, execName } from './requests.ts';

/**
 * What a gateway and its nodes say to each other once they are linked, whatever carries it: each frame
 * is one JSON text. A frame never says whom it is from: the link has proof of that.
 */

/** How a run ended, as far as anybody can know. */
export type RunEnd<O> =
  | { readonly kind: 'done'; readonly outcome: O }
  /** The node died while it ran. It may have done anything, so it is never run again. */
  | { readonly kind: 'unknown' }
  /** The gateway asked after it before the node had heard of it. It is never run later. */
  | { readonly kind: 'never-started' };

/** The shape of how a run ended, for files and frames, with the shape of an outcome. */
export function runEndSchema<O>(outcome: Schema<O>): Schema<RunEnd<O>> {
  return s.union(
    s.object({ kind: s.literal('done'), outcome }),
    s.object({ kind: s.oneOf(['unknown', 'never-started']) }),
  );
}

/** From the gateway to the node, about one run. */
export type ToNode<T> =
  | { readonly type: 'run'; readonly run: number; readonly digest: string; readonly task: T }
  /** Asks after a run whose caller is gone: it may end, and may not begin. */
  | { readonly type: 'recall'; readonly run: number; readonly digest: string }
  /** The same, and where it has begun, it is to be stopped. */
  | { readonly type: 'cancel'; readonly run: number; readonly digest: string }
  /** The gateway has the end of this run on its disk, and of all up to `floor`. */
  | { readonly type: 'settled'; readonly run: number; readonly floor: number };

/** From the node to the gateway: sent until it is settled. */
export interface ToGateway<O> {
  readonly type: 'end';
  readonly run: number;
  readonly digest: string;
  readonly end: RunEnd<O>;
}

/** Longest standard input that goes along, decoded, in bytes; a frame has at most 2 MB. */
export const maxNodeStdinBytes = 1024 * 1024;
/** Longest tail of an output, in UTF-16 units. */
export const maxTailLength = 20_000;

const taskId = s.string({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
/** A command as the gateway passes it on. Everything in it is its word, and may only tighten. */
const nodeTaskSchema = s.object({
  /** Of the request at the gateway: stands in the record of both. */
  id: taskId,
  agent: execName,
  /** Whether that name counts at the gateway; it may still tighten where it does not. */
  isNamed: s.boolean(),
  session: s.optional(s.string({ minLength: 1, maxLength: 192 })),
  argv: commandFields.argv,
  command: commandFields.command,
  env: commandFields.env,
  /** Absolute, on the node. */
  cwd: commandFields.cwd,
  stdin: s.optional(
    s.string({
      maxLength: Math.ceil(maxNodeStdinBytes / 3) * 4,
      pattern: '^[A-Za-z0-9+/]*={0,2}$',
    }),
  ),
  timeoutMs: s.integer({ minimum: 1, maximum: 86_400_000 }),
  statedReason: s.optional(s.string({ maxLength: 4_096 })),
  /** What the gateway's policy says for this agent; the node's own holds where it is stricter. */
  security: s.oneOf(securityModes),
  ask: s.oneOf(askModes),
  sandbox: s.optional(s.object(s.partial(sandboxLimits))),
});
export type NodeTask = Static<typeof nodeTaskSchema>;

/** Of a node that may be newer: one that is not known here is a no all the same. */
const refusalCode = s.string({ pattern: refusalCodePattern });

const output = s.string({ maxLength: maxResultLength + truncationMark.length });

const outputFields = {
  /** Standard output and error, each from its start, together within 200,000 signs. */
  stdout: output,
  stderr: output,
  truncated: s.boolean(),
  /** The end of both as they came. */
  tail: s.string({ maxLength: maxTailLength + truncationMark.length + 1 }),
};

/** What became of a command on a node. */
export const nodeOutcomeSchema = s.union(
  s.object({
    kind: s.literal('ran'),
    /** Null when a signal ended it. */
    exitCode: s.nullable(s.integer({ minimum: 0, maximum: 255 })),
    signal: s.nullable(s.string({ pattern: '^[A-Z0-9+-]{1,24}$' })),
    durationMs: s.integer({ minimum: 0 }),
    ...outputFields,
  }),
  s.object({
    kind: s.literal('refused'),
    /** Whether it had begun: then it may have done something, and was stopped. */
    begun: s.boolean(),
    code: refusalCode,
    message: s.string({ maxLength: 16_384 }),
    hint: s.string({ maxLength: 16_384 }),
    ...outputFields,
  }),
);
export type NodeOutcome = Static<typeof nodeOutcomeSchema>;

const run = s.integer({ minimum: 1 });
const digest = s.string({ pattern: '^[0-9a-f]{64}$' });
/** Numbers of lockouts grow, so that each is acknowledged by itself. */
const order = s.integer({ minimum: 1 });

/** Of a question of either side; never used again by the same process of who asks. */
const question = s.integer({ minimum: 1 });
/** Longest policy that goes over a link, as JSON, in UTF-16 units: an escaped one fits into a frame. */
export const maxNodePolicyLength = 900_000;
const words = s.string({ maxLength: 16_384 });

/** What a node answers about its policy. */
const policyAnswerSchema = s.union(
  s.object({
    kind: s.literal('policy'),
    /** sha256 (hex) of the file: what an edit has to name. */
    hash: digest,
    /** The document as JSON, without the token of its socket. */
    text: s.string({ maxLength: maxNodePolicyLength }),
    mayEdit: s.boolean(),
  }),
  s.object({ kind: s.literal('saved'), hash: digest }),
  /** It was made from another file than there is. Nothing was written. */
  s.object({ kind: s.literal('conflict') }),
  s.object({
    kind: s.literal('refused'),
    code: refusalCode,
    message: words,
    hint: words,
    /** Rules that can hardly be meant, a sentence each; absent: something else is wrong. */
    doubts: s.optional(s.array(words, { maxItems: 50 })),
  }),
);
export type PolicyAnswer = Static<typeof policyAnswerSchema>;

/** Longest ask that goes over a link, as JSON, in UTF-16 units: it has to fit into a frame of the app. */
export const maxRelayedAskLength = 150_000;

/** What becomes at the gateway of an ask that a node has raised there. */
const relayToldSchema = s.union(
  s.object({
    kind: s.oneOf([
      /** It is in front of somebody. */
      'shown',
      /** Nobody is there to see it, or it cannot be shown. */
      'nobody',
      /** It ended there without an answer. */
      'over',
    ]),
  }),
  s.object({
    kind: s.literal('answer'),
    /** sha256 (hex) of the text that was shown: the answer counts for that alone. */
    digest,
    /** This once, or not at all. */
    said: s.oneOf(['yes', 'no']),
    /** How it was given there, in the gateway's words. */
    by: s.string({ minLength: 1, maxLength: 300 }),
    /** For the agent, with a no. */
    note: s.optional(s.string({ maxLength: 2_000 })),
  }),
);
export type RelayTold = Static<typeof relayToldSchema>;

/** What a node may be told. */
export const toNodeSchema = s.union(
  s.object({ type: s.literal('run'), run, digest, task: nodeTaskSchema }),
  s.object({ type: s.oneOf(['recall', 'cancel']), run, digest }),
  s.object({ type: s.literal('settled'), run, floor: s.integer({ minimum: 0 }) }),
  /** A person locks the gateway and all its nodes. Sent until it is acknowledged. */
  s.object({
    type: s.literal('lockout'),
    order,
    reason: s.nullable(s.string({ maxLength: 1_024 })),
  }),
  /** A person at the gateway wants to see the policy that decides there. */
  s.object({ type: s.literal('policy-read'), question }),
  /** The same person has edited it. Whether that counts is the node's own setting. */
  s.object({
    type: s.literal('policy-edit'),
    question,
    edit: policyEditSchema,
    accepted: s.boolean(),
  }),
  s.object({ type: s.literal('ask-told'), question, told: relayToldSchema }),
);
export type ToNodeFrame = Static<typeof toNodeSchema>;

/** What a gateway may be told by a node. */
export const toGatewaySchema = s.union(
  s.object({ type: s.literal('end'), run, digest, end: runEndSchema(nodeOutcomeSchema) }),
  /** It has begun. May be lost: nothing depends on it. */
  s.object({ type: s.literal('started'), run, digest }),
  /** Nothing runs there any more, and nothing will until a person unlocks that machine. */
  s.object({ type: s.literal('locked'), order }),
  s.object({ type: s.literal('policy-answer'), question, answer: policyAnswerSchema }),
  /** Has a person asked at the gateway, too, about a run that it has passed on. */
  s.object({
    type: s.literal('ask'),
    question,
    run,
    /** How long it waits from now on, in milliseconds. */
    leftMs: s.integer({ minimum: 1, maximum: 86_400_000 }),
    /** A `RelayedAsk` as JSON, so that one which cannot be read here ends no link. */
    text: s.string({ maxLength: maxRelayedAskLength }),
  }),
  /** Nobody has to answer it any more. */
  s.object({ type: s.literal('ask-over'), question }),
  /**
   * What became of a run of another gateway of the same fleet, which is not there to hear it: said to
   * the rest, without output, and maybe more than once.
   */
  s.object({
    type: s.literal('end-of'),
    /** Id of the gateway that had asked for it. */
    gateway: digest,
    /** Of the request there. */
    id: taskId,
    end: s.oneOf(['unknown', 'never-started', 'ran', 'refused']),
    /** How it exited, which signal ended it, or why it was refused; null where nobody knows. */
    code: s.nullable(s.string({ pattern: '^[A-Za-z0-9+-]{1,64}$' })),
  }),
);
export type ToGatewayFrame = Static<typeof toGatewaySchema>;
