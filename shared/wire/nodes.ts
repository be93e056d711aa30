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
  /** Whether it is locked, by whomever, as it says itself; absent: it is not there, or does not say. */
  readonly isLocked?: boolean;
  /** How it stands with the gateways of its fleet, as it says itself; absent as above. */
  readonly gateways?: readonly NodeStanding[];
}

/** How a node stands with one of its gateways. */
export interface NodeStanding {
  /** Of the gateway. */
  readonly id: string;
  readonly connected: boolean;
  /** Since when that is so, by the clock of this machine; null: never since its runner was started. */
  readonly since: number | null;
}

/** A gateway of the fleet, as the nodes that are connected here tell of it. */
export interface FleetGatewayInfo {
  readonly id: string;
  /** Null: the one that made the fleet, which has no name in it. */
  readonly displayName: string | null;
  readonly isThis: boolean;
  /** How many nodes that are connected here have a link to it; null: none of them says. */
  readonly links: number | null;
  /** When one of them had a link to it last, where none has; null: it is not known. */
  readonly lastSeenAt: number | null;
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
    /** When there was a link to it last, where there is none now; null: not since the start. */
    readonly lastSeenAt: number | null;
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
  /** All gateways of the fleet, this one too; empty where it is the only one. */
  readonly gateways: readonly FleetGatewayInfo[];
  /** Null where this machine is not a node. */
  readonly own: OwnNode | null;
}

/** Answer of `POST /v1/nodes/approve` and `/v1/nodes/remove`. */
export interface NodeBody {
  readonly ok: true;
  readonly node: NodeInfo;
}

/** How it stands with the lockout of a node: of the machine here, or of whoever locked it. */
export function lockOf({
  state,
  lockout,
  isLocked,
}: Pick<NodeInfo, 'state' | 'lockout' | 'isLocked'>): 'waiting' | 'locked' | 'unlocked' | null {
  if (state === 'removed') return null;
  if (lockout === 'waiting') return 'waiting';
  if (isLocked === true) return 'locked';
  // It has heard of it, and a person there has unlocked it since.
  return lockout === 'locked' && isLocked === false ? 'unlocked' : (lockout ?? null);
}

/** The gateways of the fleet to which a node says that it has no link, and since when. */
export function lostLinks(
  { gateways = [] }: Pick<NodeInfo, 'gateways'>,
  known: readonly FleetGatewayInfo[],
): readonly { readonly gateway: FleetGatewayInfo; readonly since: number | null }[] {
  return known.flatMap((gateway) => {
    const standing = gateways.find(({ id }) => id === gateway.id);
    if (gateway.isThis || standing === undefined || standing.connected) return [];
    return { gateway, since: standing.since };
  });
}
