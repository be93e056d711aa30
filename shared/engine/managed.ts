import { compile, fileHead, readJson, refuse, s } from '../base/index.ts';
import type { Refusal, Static } from '../base/index.ts';
import { strictest } from './policy/resolve.ts';
import type { Said } from './policy/resolve.ts';
import { askModes, newRuleSchema, securityModes } from './policy/types.ts';
import type { AskMode, PolicyDocument, PolicyModes, Rule, Security } from './policy/types.ts';
import { ruleProblem } from './rules/compiled-rule.ts';

/**
 * Files that bound what the person's own files say, and loosen nothing: those of the machine's
 * administrator, what its fleet was sent, and those of projects that the person trusted.
 */

const bounds = {
  /** The loosest `security` and `ask` that anything may give. */
  security: s.optional(s.oneOf(securityModes)),
  ask: s.optional(s.oneOf(askModes)),
  /** The only hosts that commands may run on. */
  hosts: s.optional(s.array(s.oneOf(['sandbox', 'gateway', 'node', 'auto']), { maxItems: 4 })),
  /** Rules that deny, whoever allows. */
  deny: s.optional(s.array(newRuleSchema, { maxItems: 1_000 })),
};

const managedSchema = s.file({
  ...fileHead,
  ...bounds,
  /** The same for one agent, beside what holds for all. */
  agents: s.optional(
    s.record(s.file(bounds), {
      maxProperties: 1_000,
      names: s.string({ pattern: '^(?:\\*|[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127})$' }),
    }),
  ),
});
type ManagedText = Static<typeof managedSchema>;
type Bounds = Pick<ManagedText, 'security' | 'ask' | 'hosts'>;

interface ManagedEntry extends Bounds {
  readonly rules: readonly Rule[];
}

/** One file, read. */
export interface Managed {
  /** Where it lies. */
  readonly path: string;
  readonly layer: 'managed' | 'fleet' | 'project';
  readonly all: ManagedEntry;
  readonly agents: Readonly<Record<string, ManagedEntry>>;
}

const check = compile(managedSchema);

/** Reads the text of one file; `problem` is a sentence about what is not valid in it. */
export function parseManaged(
  text: string,
  path: string,
  layer: Managed['layer'] = 'managed',
):
  | { readonly ok: true; readonly managed: Managed }
  | { readonly ok: false; readonly problem: string } {
  const checked = readJson(check, text);
  if (!checked.ok) return { ok: false, problem: checked.error };
  const { agents = {}, ...all } = checked.value;
  const wrong = [all, ...Object.values(agents)].flatMap(({ deny = [] }) =>
    deny.flatMap((rule) =>
      rule.effect !== undefined && rule.effect !== 'deny'
        ? ['A rule there can deny and nothing else.']
        : (ruleProblem({ ...rule, id: 'x', effect: 'deny' }) ?? []),
    ),
  );
  const [first] = wrong;
  if (first !== undefined) return { ok: false, problem: first };
  return {
    ok: true,
    managed: {
      path,
      layer,
      all: entryOf(all, `${layer}:${path}`),
      agents: Object.fromEntries(
        Object.entries(agents).map(([name, own]) => [
          name,
          entryOf(own, `${layer}:${path}:${name}`),
        ]),
      ),
    },
  };
}

function entryOf(
  { security, ask, hosts, deny = [] }: Omit<ManagedText, 'agents' | 'version'>,
  whose: string,
): ManagedEntry {
  return {
    ...(security !== undefined && { security }),
    ...(ask !== undefined && { ask }),
    ...(hosts !== undefined && { hosts }),
    rules: deny.map((rule, index) => ({
      ...rule,
      id: `${whose}:${String(index)}`,
      effect: 'deny',
    })),
  };
}

/** What the files hold one agent to, each bound with its file. */
interface ManagedBounds {
  readonly security: readonly Said<Security>[];
  readonly ask: readonly Said<AskMode>[];
  readonly hosts: readonly Said<readonly string[]>[];
  readonly rules: readonly Rule[];
}

const none: ManagedBounds = { security: [], ask: [], hosts: [], rules: [] };

/**
 * What all files together hold an agent, by any of its names, to. Nothing in them replaces anything;
 * what stands under `agents."*"` is for each agent.
 */
export function managedBounds(
  files: readonly Managed[] | undefined,
  names: readonly string[],
): ManagedBounds {
  if (files === undefined || files.length === 0) return none;
  const entries = files.flatMap(({ path, layer, all, agents }) =>
    [all, ...new Set(['*', ...names])].flatMap((one) => {
      if (typeof one !== 'string') return [{ path, layer, entry: one }];
      const entry = Object.hasOwn(agents, one) ? agents[one] : undefined;
      return entry === undefined ? [] : [{ path, layer, entry }];
    }),
  );
  const said = <F extends keyof Bounds>(field: F): readonly Said<NonNullable<Bounds[F]>>[] =>
    entries.flatMap(({ path, layer, entry }) => {
      const value = entry[field];
      return value === undefined ? [] : [{ value, layer, setting: path }];
    });
  return {
    security: said('security'),
    ask: said('ask'),
    hosts: said('hosts'),
    rules: entries.flatMap(({ entry }) => entry.rules),
  };
}

/** The loosest that anything may give an agent, with who says so; null where nobody bounds it. */
export interface ModeBounds {
  readonly security: Said<Security> | null;
  readonly ask: Said<AskMode> | null;
}

/** The same from all files, for an agent, for `"*"`, or for the defaults of all (null). */
export function modeBounds(
  files: readonly Managed[] | undefined,
  agent: string | null,
): ModeBounds {
  const { security, ask } = managedBounds(files, agent === null ? [] : [agent]);
  return { security: tightestOf(securityModes, security), ask: tightestOf(askModes, ask) };
}

function tightestOf<T>(order: readonly T[], said: readonly Said<T>[]): Said<T> | null {
  const [first, ...others] = said;
  return first === undefined ? null : strictest(order, first, others);
}

/** Whether a word of a list that is ordered from strict to loose goes beyond a bound. */
export function isBeyond<T>(order: readonly T[], value: T, bound: Said<T> | null): boolean {
  return bound !== null && order.indexOf(value) > order.indexOf(bound.value);
}

/**
 * Why an edit of the policy is not saved: a mode that it writes is looser than a bound, and would hold
 * nowhere. What stood there before is no reason. Null where there is none.
 */
export function boundProblem(
  files: readonly Managed[] | undefined,
  before: PolicyDocument,
  after: PolicyDocument,
): Refusal | null {
  const levels: readonly (readonly [string | null, PolicyModes, PolicyModes])[] = [
    [null, before.defaults ?? {}, after.defaults ?? {}],
    ...Object.entries(after.agents ?? {}).map(([agent, modes]) => {
      const agents = before.agents ?? {};
      return [agent, Object.hasOwn(agents, agent) ? (agents[agent] ?? {}) : {}, modes] as const;
    }),
  ];
  for (const [agent, was, is] of levels) {
    const { security, ask } = modeBounds(files, agent);
    const held =
      heldField('security', [was.security, is.security], securityModes, security) ??
      heldField('ask', [was.ask, is.ask], askModes, ask) ??
      // Nobody to ask gives no more than `security` does.
      heldField('askFallback', [was.askFallback, is.askFallback], securityModes, security);
    if (held === null) continue;
    const { field, value, bound } = held;
    const where = agent === null ? 'defaults' : `agents.${agent}`;
    return refuse(
      'policy-deny',
      `"${where}.${field}" cannot be "${value}": ${bound.setting} gives "${bound.value}" at most.`,
      bound.layer === 'fleet'
        ? 'Nothing was saved. Only the gateway of the fleet changes that bound.'
        : 'Nothing was saved. Only the administrator of this machine changes that bound.',
    ).refusal;
  }
  return null;
}

function heldField<T extends string>(
  field: string,
  [was, is]: readonly [T | undefined, T | undefined],
  order: readonly T[],
  bound: Said<T> | null,
): { readonly field: string; readonly value: T; readonly bound: Said<T> } | null {
  if (is === undefined || is === was || bound === null || !isBeyond(order, is, bound)) return null;
  return { field, value: is, bound };
}
