import { applyListChange, listChange, refuse } from '../../base/index.ts';
import type { ListChange } from '../../base/index.ts';
import { objection, setModes } from './edit.ts';
import type { Edited, ExampleCheck, ModeChanges } from './edit.ts';
import { policySchema } from './parse.ts';
import type { AgentPolicy, PolicyDocument, PolicyModes, Rule } from './types.ts';

/** Modes with their new value; null takes a mode out, so that the next level decides. */
export type ModePatch = ModeChanges['modes'];

export interface AgentPatch {
  readonly modes?: ModePatch;
  /** The change of the allowlist; rules are known by their ids. */
  readonly rules?: ListChange<Rule>;
}

/**
 * What turns one policy document into another. It can say everything that a person edits, and no
 * more: the socket, the version and fields of other programs are out of its reach.
 */
export interface PolicyPatch {
  readonly defaults?: ModePatch;
  readonly agents?: Readonly<Record<string, AgentPatch>>;
}

const { defaults, agents } = policySchema.properties;
const rule = agents.additionalProperties.properties.allowlist.items;
const ruleWithId = { ...rule, required: [...rule.required, 'id'] };
const { security, ask, askFallback, askTimeoutMs } = defaults.properties;
const orNull = (schema: object): object => ({ anyOf: [schema, { type: 'null' }] });

const modePatchSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    security: orNull(security),
    ask: orNull(ask),
    askFallback: orNull(askFallback),
    askTimeoutMs: orNull(askTimeoutMs),
  },
};

const rulesPatchSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    remove: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 128 } },
    replace: { type: 'array', items: ruleWithId },
    insert: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['at', 'items'],
        properties: {
          at: { type: 'integer', minimum: 0 },
          items: { type: 'array', minItems: 1, items: ruleWithId },
        },
      },
    },
  },
};

/** The form of a patch that comes from outside. What it says is checked by `applyPatch`. */
export const patchSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    defaults: modePatchSchema,
    agents: {
      type: 'object',
      maxProperties: agents.maxProperties,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: { modes: modePatchSchema, rules: rulesPatchSchema },
      },
    },
  },
};

/**
 * A document with a patch in it. Each rule that is replaced or inserted must be understood, and pass
 * its own examples where there is a check for them. A patch that was not made for this document, or
 * has anything wrong with it, changes nothing.
 */
export function applyPatch(
  document: PolicyDocument,
  patch: PolicyPatch,
  check?: ExampleCheck,
): Edited {
  let edited: Edited = { ok: true, document };
  if (patch.defaults !== undefined) edited = setModes(document, { modes: patch.defaults });
  for (const [agent, { modes = {}, rules }] of Object.entries(patch.agents ?? {})) {
    if (!edited.ok) return edited;
    edited = setModes(edited.document, { agent, modes });
    if (edited.ok && rules !== undefined) {
      edited = withRulesOf(edited.document, { agent, rules, check });
    }
  }
  return edited;
}

function withRulesOf(
  document: PolicyDocument,
  options: {
    readonly agent: string;
    readonly rules: ListChange<Rule>;
    readonly check: ExampleCheck | undefined;
  },
): Edited {
  const { agent, rules, check } = options;
  const written = [...(rules.replace ?? []), ...(rules.insert ?? []).flatMap(({ items }) => items)];
  for (const each of written) {
    const problem = objection(each, check);
    if (problem !== null) return problem;
  }
  const policy = document.agents?.[agent] ?? {};
  const allowlist = applyListChange(policy.allowlist ?? [], rules, idOf);
  if (allowlist === null) {
    const message = 'The edit was made for other rules than these.';
    const { refusal } = refuse('invalid-request', message, 'Read the policy again.');
    return { ok: false, problem: refusal };
  }
  return {
    ok: true,
    document: { ...document, agents: { ...document.agents, [agent]: { ...policy, allowlist } } },
  };
}

const idOf = ({ id }: Rule): string => id;
const sameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

const modeFields = ['security', 'ask', 'askFallback', 'askTimeoutMs'] as const;

/** Everything of a level that a patch cannot say. */
function beyondModes(level: PolicyModes & { readonly allowlist?: unknown }): unknown {
  const {
    security: _s,
    ask: _a,
    askFallback: _f,
    askTimeoutMs: _t,
    allowlist: _l,
    ...rest
  } = level;
  return rest;
}

function modePatch(before: PolicyModes, after: PolicyModes): ModePatch | undefined {
  const changes = modeFields
    .filter((field) => before[field] !== after[field])
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
