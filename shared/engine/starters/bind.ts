import { sha256 } from '../../base/index.ts';
import { quoteWords } from '../parse/shell-quote.ts';
import type { PolicyChange } from '../policy/edit.ts';
import type { PolicyDocument, Rule } from '../policy/types.ts';
import { escapeGlob } from '../rules/glob.ts';
import { lookAround } from './look-around.ts';
import { project } from './project.ts';
import { folderMark } from './types.ts';
import { forAWhile } from './words.ts';
import type { StarterRule, StarterSet } from './types.ts';

/** All sets there are, from narrow to wide. */
export const starterSets: readonly StarterSet[] = [lookAround, project];

/** A set by its name, after those that come with it; empty for a name that no set has. */
export function startersFor(name: string): readonly StarterSet[] {
  const set = starterSets.find((each) => each.name === name);
  return set === undefined ? [] : [...set.needs.flatMap(startersFor), set];
}

/**
 * The rules of a set, bound to one project. `folder` is its real absolute path, `now` in
 * milliseconds since the epoch. Rules that hold a file of the project take its content from `hashFile`
 * (sha256 in hex, null where there is none). A folder that is `/` throws: that would be no bound.
 */
export function bindStarter(
  set: StarterSet,
  folder: string,
  now: number,
  hashFile: (path: string) => string | null = () => null,
): readonly Rule[] {
  if (!/^\/[^/]/.test(folder) || folder.endsWith('/'))
    throw new Error(`${folder} is not a folder that rules could be bound to`);
  return set.rules.flatMap((rule) => {
    if (rule.held === undefined) return [bound(rule, { set, folder, now })];
    const held = hashFile(`${folder}/${rule.held}`);
    return held === null ? [] : [{ ...bound(rule, { set, folder, now }), sha256: held }];
  });
}

interface Binding {
  readonly set: StarterSet;
  readonly folder: string;
  readonly now: number;
}

function bound(rule: StarterRule, { set, folder, now }: Binding): Rule {
  const { name, why, kind, pattern, args, argPattern, only, changes, examples } = rule;
  const below = `${escapeGlob(folder)}/**`;
  const isCommand = kind === undefined;
  const spelled = (lines: readonly string[]): readonly string[] => {
    const word = isCommand ? quoteWords([folder]) : folder;
    return lines.map((line) => line.replaceAll(folderMark, () => word));
  };
  return {
    id: `${set.name}:${name}:${bindingOf(folder)}`,
    effect: 'allow',
    ...(kind !== undefined && { kind }),
    pattern: pattern.replaceAll(folderMark, () => escapeGlob(folder)),
    ...(args !== undefined && { args }),
    ...(argPattern !== undefined && {
      argPattern: argPattern.replaceAll(folderMark, () => escapeExpression(folder)),
    }),
    ...(only !== undefined && { only }),
    ...(isCommand &&
      changes !== undefined && {
        writes: changes === 'nothing' ? [] : [escapeGlob(folder), below, ...temporary],
      }),
    cwd: below,
    maxRisk: 'low',
    source: `${sourceStart}${set.name}@${String(set.version)}`,
    note: why,
    createdAt: now,
    examples: { match: spelled(examples.match), noMatch: spelled(examples.noMatch) },
  };
}

/** Where what tests and builds print is put for a while: texts and data, and nothing that is run. */
const temporary = ['/tmp', '/private/tmp'].map(
  (folder) => `${folder}/[!.]*.{${forAWhile.join(',')}}`,
);

function escapeExpression(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

const sourceStart = 'starter:';

function bindingOf(folder: string): string {
  return sha256(folder).slice(0, 12);
}

/** The rules that one set brought for one project and one agent. */
export interface StarterGroup {
  readonly agent: string;
  readonly set: string;
  /** The version that the rules come from; the oldest where they differ. */
  readonly version: number;
  /** Null where no rule says it any more: the group can be taken out and not be updated. */
  readonly folder: string | null;
  readonly rules: readonly Rule[];
}

/** Which starter rules a policy holds. */
export function starterGroups(document: PolicyDocument): readonly StarterGroup[] {
  const groups = new Map<string, { agent: string; set: string; binding: string; rules: Rule[] }>();
  for (const [agent, { allowlist = [] }] of Object.entries(document.agents ?? {})) {
    for (const rule of allowlist) {
      const [set = '', , binding = ''] = rule.id.split(':');
      if (rule.source?.startsWith(`${sourceStart}${set}@`) !== true) continue;
      const key = JSON.stringify([agent, set, binding]);
      const group = groups.get(key) ?? { agent, set, binding, rules: [] };
      group.rules.push(rule);
      groups.set(key, group);
    }
  }
  return [...groups.values()].map(({ agent, set, binding, rules }) => ({
    agent,
    set,
    version: Math.min(...rules.map(versionOf)),
    folder: folderOf(rules, binding),
    rules,
  }));
}

function versionOf({ source = '' }: Rule): number {
  const version = Number(source.slice(source.indexOf('@') + 1));
  return Number.isSafeInteger(version) ? version : 0;
}

function folderOf(rules: readonly Rule[], binding: string): string | null {
  for (const { cwd = '' } of rules) {
    const folder = cwd.replace(/\/\*\*$/, '').replaceAll(/\\(.)/g, '$1');
    if (bindingOf(folder) === binding) return folder;
  }
  return null;
}

/** What an update would do to one group, rule by rule. */
export interface StarterUpdate {
  readonly added: readonly Rule[];
  readonly changed: readonly { readonly before: Rule; readonly after: Rule }[];
  readonly removed: readonly Rule[];
  readonly changes: readonly PolicyChange[];
}

/**
 * What turns the rules of a group (none at all, where it is new) into `wanted`. How often a rule was
 * used, and since when it stands there, stays with it.
 */
export function starterUpdate(
  agent: string,
  present: readonly Rule[],
  wanted: readonly Rule[],
): StarterUpdate {
  const there = new Map(present.map((rule) => [rule.id, rule]));
  const kept = new Set(wanted.map(({ id }) => id));
  const added = wanted.filter(({ id }) => !there.has(id));
  const changed = wanted.flatMap((rule) => {
    const before = there.get(rule.id);
    if (before === undefined || textOf(before) === textOf(rule)) return [];
    return [{ before, after: { ...rule, ...usageOf(before) } }];
  });
  const removed = present.filter(({ id }) => !kept.has(id));
  const changes: readonly PolicyChange[] = [
    ...removed.map(({ id }) => ({ change: 'remove', agent, id }) as const),
    ...changed.map(({ after }) => ({ change: 'replace', agent, rule: after }) as const),
    ...(added.length === 0 ? [] : [{ change: 'add', agent, rules: added } as const]),
  ];
  return { added, changed, removed, changes };
}

const usage = ['createdAt', 'lastUsedAt', 'uses', 'lastUsedCommand', 'lastResolvedPath'] as const;

function usageOf(rule: Rule): Partial<Rule> {
  return Object.fromEntries(
    usage.flatMap((name) => (rule[name] === undefined ? [] : [[name, rule[name]]])),
  );
}

/** What a rule says, in any order of its fields. Which examples hold depends on the machine. */
function textOf(rule: Rule): string {
  const { examples, ...said } = rule;
  const fields = Object.entries(said).filter(([name]) => !usage.some((each) => each === name));
  const never = examples?.noMatch ?? [];
  return JSON.stringify([fields.toSorted(([one], [other]) => (one < other ? -1 : 1)), never]);
}
