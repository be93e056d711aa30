import { applyListChange, listChange, listChangeSchema, s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import { agentsOf, modeValues, mostRules, ruleSchema } from './types.ts';
import type { AgentPolicy, PolicyDocument, PolicyModes, Rule } from './types.ts';

/** Modes with their new value; null takes a mode out, so that the next level decides. */
const modePatchSchema = s.object({
  security: s.optional(s.nullable(modeValues.security)),
  ask: s.optional(s.nullable(modeValues.ask)),
  askFallback: s.optional(s.nullable(modeValues.askFallback)),
  askTimeoutMs: s.optional(s.nullable(modeValues.askTimeoutMs)),
  presence: s.optional(s.nullable(modeValues.presence)),
  approvers: s.optional(s.nullable(modeValues.approvers)),
});
export type ModePatch = Static<typeof modePatchSchema>;

const agentPatchSchema = s.object({
  modes: s.optional(modePatchSchema),
  /** The change of the allowlist; rules are known by their ids. */
  rules: s.optional(listChangeSchema(ruleSchema, mostRules)),
});
type AgentPatch = Static<typeof agentPatchSchema>;

/**
 * What turns one policy document into another. It can say everything that a person edits, and no
 * more: the socket, the version and fields of other programs are out of its reach.
 */
const policyPatchSchema = s.object({
  defaults: s.optional(modePatchSchema),
  agents: agentsOf(agentPatchSchema),
});
export type PolicyPatch = Static<typeof policyPatchSchema>;

/**
 * An unsaved edit of the policy: the hash of the file that it was made from, and what it changes
 * there. This is its form; what its rules say is checked by `applyPatch`.
 */
export const policyEditSchema = s.object({
  baseHash: s.string({ pattern: '^[0-9a-f]{64}$' }),
  patch: policyPatchSchema,
});
export type PolicyEdit = Static<typeof policyEditSchema>;

/** One edit may be longer than a message; its parts have an id in common and are saved as one. */
const partSchema = s.object({
  id: s.string({ minLength: 1, maxLength: 64 }),
  index: s.integer({ minimum: 0, maximum: 999 }),
  count: s.integer({ minimum: 1, maximum: 1_000 }),
});

/** An edit that is to be saved; `accepted`: also with rules that can hardly be meant. */
export const policySaveSchema = s.object({
  baseHash: s.string({ pattern: '^[0-9a-f]{64}$' }),
  patch: policyPatchSchema,
  accepted: s.optional(s.boolean()),
  part: s.optional(partSchema),
});
export type PolicySave = Static<typeof policySaveSchema>;

/**
 * A document with a patch in it, or null when the patch was not made for this document. What a rule
 * says is not looked at here: who takes a patch from outside uses `applyPatch`, which does.
 */
export function withPatch(document: PolicyDocument, patch: PolicyPatch): PolicyDocument | null {
  const { defaults, agents: changed = {} } = patch;
  const agents = new Map(Object.entries(document.agents ?? {}));
  for (const [name, { modes, rules }] of Object.entries(changed)) {
    const policy = agents.get(name) ?? {};
    const allowlist = rules && applyListChange(policy.allowlist ?? [], rules, idOf);
    if (allowlist === null) return null;
    const level = modes === undefined ? policy : withModes(policy, modes);
    agents.set(name, allowlist === undefined ? level : { ...level, allowlist });
  }
  return {
    ...document,
    ...(defaults !== undefined && { defaults: withModes(document.defaults ?? {}, defaults) }),
    ...(patch.agents !== undefined && { agents: Object.fromEntries(agents) }),
  };
}

/** The document as pages and gateways may see it: without the token of its socket. */
export function withoutSocketToken(document: PolicyDocument): PolicyDocument {
  if (document.socket?.token === undefined) return document;
  const { token: _token, ...socket } = document.socket;
  return { ...document, socket };
}

/** A level with some of its modes changed; null takes one out. */
export function withModes<T extends PolicyModes>(level: T, modes: ModePatch): T {
  const entries = Object.entries({ ...level, ...modes }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(entries) as unknown as T;
}

const idOf = ({ id }: Rule): string => id;
const sameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** What of a level is edited as one thing each. */
export const modeFields = [
  'security',
  'ask',
  'askFallback',
  'askTimeoutMs',
  'presence',
  'approvers',
] as const satisfies readonly (keyof PolicyModes)[];

/** Everything of a level that a patch cannot say. */
function beyondModes(level: PolicyModes & { readonly allowlist?: unknown }): unknown {
  const {
    security: _s,
    ask: _a,
    askFallback: _f,
    askTimeoutMs: _t,
    presence: _p,
    approvers: _n,
    allowlist: _l,
    ...rest
  } = level;
  return rest;
}

function modePatch(before: PolicyModes, after: PolicyModes): ModePatch | undefined {
  const changes = modeFields
    .filter((field) => !sameValue(before[field], after[field]))
    .map((field) => [field, after[field] ?? null]);
  return changes.length === 0 ? undefined : (Object.fromEntries(changes) as ModePatch);
}

function agentPatch(
  before: AgentPolicy | undefined,
  after: AgentPolicy,
): AgentPatch | undefined | null {
  if (before === after) return undefined;
  if (!sameValue(beyondModes(before ?? {}), beyondModes(after))) return null;
  if (before?.allowlist !== undefined && after.allowlist === undefined) return null;
  const rules = listChange(before?.allowlist ?? [], after.allowlist ?? [], {
    key: idOf,
    same: sameValue,
  });
  if (rules === null) return null;
  const modes = modePatch(before ?? {}, after);
  const listed = before?.allowlist === undefined && after.allowlist !== undefined;
  if (before !== undefined && modes === undefined && !listed && Object.keys(rules).length === 0) {
    return undefined;
  }
  return {
    ...(modes !== undefined && { modes }),
    ...((listed || Object.keys(rules).length > 0) && { rules }),
  };
}

/** The patch from one document to another, or null where a patch cannot say the difference. */
export function patchBetween(before: PolicyDocument, after: PolicyDocument): PolicyPatch | null {
  const { defaults: modesBefore = {}, agents: agentsBefore = {}, ...restBefore } = before;
  const { defaults: modesAfter = {}, agents: agentsAfter = {}, ...restAfter } = after;
  if (!sameValue(restBefore, restAfter)) return null;
  if (!sameValue(beyondModes(modesBefore), beyondModes(modesAfter))) return null;
  if (Object.keys(agentsBefore).some((name) => !Object.hasOwn(agentsAfter, name))) return null;
  const changed: [string, AgentPatch][] = [];
  for (const [name, policy] of Object.entries(agentsAfter)) {
    const own = Object.hasOwn(agentsBefore, name) ? agentsBefore[name] : undefined;
    const patch = agentPatch(own, policy);
    if (patch === null) return null;
    if (patch !== undefined) changed.push([name, patch]);
  }
  const modes = modePatch(modesBefore, modesAfter);
  return {
    ...(modes !== undefined && { defaults: modes }),
    ...(changed.length > 0 && { agents: Object.fromEntries(changed) }),
  };
}
