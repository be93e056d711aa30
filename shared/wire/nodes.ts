import { s } from '../base/index.ts';
import type { Refusal, Static } from '../base/index.ts';
import { policyEditSchema } from '../engine/index.ts';
import type { PolicyDocument } from '../engine/index.ts';

/** A code of eight letters, as people type it. */
const nodeCode = s.string({ minLength: 8, maxLength: 12 });
const nodeName = s.string({ minLength: 1, maxLength: 256 });

/** `POST /v1/nodes/approve` and `/v1/nodes/decline`. */
export const nodeCodeSchema = s.object({ code: nodeCode });

/** `POST /v1/nodes/remove`: by id, display name, address or the beginning of the id. */
export const nodeRemoveSchema = s.object({ node: nodeName });

/** `POST /v1/nodes/policy`: by id, display name, address or the beginning of the id. */
export const nodePolicySchema = nodeRemoveSchema;
/** `POST /v1/nodes/policy/edit`; `accepted`: also with rules that can hardly be meant. */
export const nodePolicyEditSchema = s.object({
  node: nodeName,
  edit: policyEditSchema,
  accepted: s.boolean(),
});
export type NodePolicyEdit = Static<typeof nodePolicyEditSchema>;

/** Answer of `POST /v1/nodes/policy`: what decides on a node, as it says itself. */
export interface NodePolicyBody {
  readonly ok: true;
  /** sha256 (hex) of the file there. */
  readonly hash: string;
  /** Without the token of its socket. */
  readonly document: PolicyDocument;
  /** Whether that machine lets its gateway edit it. */
  readonly mayEdit: boolean;
}

/** Answer of `POST /v1/nodes/policy/edit`. */
export interface NodePolicyEditBody {
  readonly ok: true;
  readonly edited:
    | { readonly kind: 'saved'; readonly hash: string }
    /** The policy there is another one by now. Nothing was written. */
    | { readonly kind: 'conflict' }
    /** Rules that can hardly be meant, a sentence each. Nothing was written. */
    | { readonly kind: 'doubts'; readonly problem: Refusal; readonly doubts: readonly string[] };
}

/** What may be wrong with a node. */
export const nodeProblemCodes = [
  /** Since it was there last, somebody came under its id without its key or token. */
  'not-proven',
  'too-often',
  /** What it said was not a frame, too much, or contradicts what was said before. */
  'ended-badly',
  'no-policy',
  'older',
  /** By its last signed word, over a fleet. */
  'bounds-behind',
  'lockout-behind',
] as const;
export type NodeProblemCode = (typeof nodeProblemCodes)[number];

/** Something that is wrong with a node, as its gateway sees it. */
export interface NodeProblem {
  readonly code: NodeProblemCode;
  /** One sentence. */
  readonly message: string;
  /** When it happened; null: it is so now. */
  readonly at: number | null;
}

/** A machine that was paired with this one. Times in milliseconds since the epoch, by the gateway. */
export interface NodeInfo {
  readonly id: string;
  readonly displayName: string;
  readonly state: 'approved' | 'removed';
  readonly online: boolean;
  readonly version: string;
  /** sha256 (hex) of the policy that decides there, as it said last; null where it has none. */
  readonly policyHash: string | null;
  readonly pairedAt: number;
  readonly lastSeenAt: number | null;
  readonly lastAddress: string | null;
  /** Whether it has heard of the last lockout of this machine; absent, or null: nothing to tell. */
  readonly lockout?: 'waiting' | 'locked' | null;
  /** What is wrong with it, since the runner here was started; absent: nothing. */
  readonly problems?: readonly NodeProblem[];
}

/** A machine that waits for a person to compare its code. */
export interface WaitingNode {
  readonly id: string;
  readonly displayName: string;
  /** What the other machine shows, too; such as `7KQ2-M0XD`. */
  readonly code: string;
  readonly version: string;
  readonly policyHash: string | null;
  readonly address: string | null;
  readonly since: number;
  readonly expiresAt: number;
  /** It was paired before, and has the same key still. */
  readonly isKnown: boolean;
}

/** How this machine stands as the node of another. */
export interface OwnNode {
  readonly id: string;
  readonly displayName: string;
  readonly gateway: string;
  readonly address: string;
  readonly connected: boolean;
  /** Since when that is so. */
  readonly since: number;
  readonly problem: string | null;
  /** Nothing is tried any more: a person has to help. */
  readonly given: boolean;
  /** The other gateways of its fleet, and how it stands with each; absent: there is none. */
  readonly further?: readonly (Pick<OwnNode, 'id' | 'displayName' | 'connected' | 'since'> & {
    readonly problem: string | null;
  })[];
}

/** Answer of `GET /v1/nodes`. */
export interface NodesBody {
  readonly ok: true;
  /** Where nodes are listened for; null: nowhere. */
  readonly listening: string | null;
  /** How they come without a port: `ssh HOST` for each, and the servers of a fleet. */
  readonly calls: readonly string[];
  /** Why they are not listened for though they should be, or this machine is not a node though it was one. */
  readonly problem: string | null;
  readonly nodes: readonly NodeInfo[];
  readonly waiting: readonly WaitingNode[];
  /** Null where this machine is not a node. */
  readonly own: OwnNode | null;
}

/** Answer of `POST /v1/nodes/approve` and `/v1/nodes/remove`. */
export interface NodeBody {
  readonly ok: true;
  readonly node: NodeInfo;
}
