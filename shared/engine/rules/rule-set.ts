import type { Executable, Stage } from '../plan/types.ts';
import { presenceModes } from '../policy/types.ts';
import type { Rule, RuleEffect } from '../policy/types.ts';
import { keyOfWords } from './args.ts';
import type { Words } from './args.ts';
import { compileRule, ignoresCase } from './compiled-rule.ts';
import type { CompiledRule, RuleSurroundings } from './compiled-rule.ts';
import {
  baseName,
  meansProgram,
  missOf,
  namesOf,
  pathsOf,
  subjectsOf,
  touches,
  wordsOf,
} from './matching.ts';
import type { MatchContext } from './matching.ts';

/** The rules for one program, sorted by what they say of its arguments. */
interface Shelf {
  /** Rules with one fixed list of words. */
  readonly exact: Map<string, CompiledRule[]>;
  /** Rules with a fixed first word. */
  readonly first: Map<string, CompiledRule[]>;
  readonly others: CompiledRule[];
}

function emptyShelf(): Shelf {
  return { exact: new Map(), first: new Map(), others: [] };
}

function put(shelf: Shelf, compiled: CompiledRule): void {
  const { args } = compiled;
  if (args === null || args.problem !== null) shelf.others.push(compiled);
  else if (args.key !== null) push(shelf.exact, args.key, compiled);
  else if (args.firstLiteral === null) shelf.others.push(compiled);
  else push(shelf.first, args.firstLiteral, compiled);
}

/** All rules that could match these words; with words still to be expanded, all rules there are. */
function* candidates(shelf: Shelf, words: Words): Iterable<CompiledRule> {
  yield* shelf.others;
  if (words.open.size > 0) {
    for (const rules of shelf.exact.values()) yield* rules;
    for (const rules of shelf.first.values()) yield* rules;
    return;
  }
  if (shelf.exact.size > 0) yield* shelf.exact.get(keyOfWords(words.values)) ?? [];
  const first = words.values[0];
  if (first !== undefined) yield* shelf.first.get(first) ?? [];
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Values found by what a text starts with; the work depends on the lengths in use, not on their number. */
interface PrefixIndex<T> {
  add(prefix: string, value: T): void;
  find(text: string): Iterable<T>;
}

function prefixIndex<T>(): PrefixIndex<T> {
  const byLength = new Map<number, Map<string, T[]>>();
  return {
    add(prefix, value) {
      let level = byLength.get(prefix.length);
      if (level === undefined) byLength.set(prefix.length, (level = new Map()));
      push(level, prefix, value);
    },
    *find(text) {
      for (const [length, level] of byLength) {
        if (length <= text.length) yield* level.get(text.slice(0, length)) ?? [];
      }
    },
  };
}

/** The rules of one effect, found by the program that they name. */
interface RuleIndex {
  readonly size: number;
  /** Rules that may match a program of one of these paths or names; others surely do not. */
  find(program: Program, words: Words): Iterable<CompiledRule>;
}

interface Program {
  readonly paths: readonly string[];
  readonly names: readonly string[];
  /** Also rules whose path ends in one of the names; for programs that have no path. */
  readonly byEnding: boolean;
}

function indexRules(
  rules: readonly CompiledRule[],
  around: Pick<RuleSurroundings, 'platform'>,
): RuleIndex {
  const fold = ignoresCase(around.platform)
    ? (text: string) => text.toLowerCase()
    : (text: string) => text;
  const byPath = new Map<string, Shelf>();
  const byEnding = new Map<string, Shelf>();
  const byName = new Map<string, Shelf>();
  const pathGlobs = prefixIndex<CompiledRule>();
  const nameGlobs = prefixIndex<CompiledRule>();
  for (const compiled of rules) {
    const { literals } = compiled.pattern;
    if (literals === null) {
      const globs = compiled.isPath ? pathGlobs : nameGlobs;
      for (const prefix of new Set(compiled.pattern.prefixes)) globs.add(prefix, compiled);
    }
    for (const literal of literals ?? []) {
      put(shelfOf(compiled.isPath ? byPath : byName, literal), compiled);
      if (compiled.isPath) put(shelfOf(byEnding, baseName(literal)), compiled);
    }
  }
  return {
    size: rules.length,
    *find(program, words) {
      const names = program.names.map(fold);
      const paths = program.paths.map(fold);
      // A program without a path may still be meant by a pattern for every path.
      for (const path of paths.length === 0 ? [''] : distinct(paths)) yield* pathGlobs.find(path);
      for (const name of distinct(names)) yield* nameGlobs.find(name);
      yield* pick(byPath, paths, words);
      yield* pick(byName, names, words);
      if (program.byEnding) yield* pick(byEnding, names, words);
    },
  };
}

function shelfOf(shelves: Map<string, Shelf>, key: string): Shelf {
  let shelf = shelves.get(key);
  if (shelf === undefined) shelves.set(key, (shelf = emptyShelf()));
  return shelf;
}

function* pick(
  shelves: ReadonlyMap<string, Shelf>,
  keys: readonly string[],
  words: Words,
): Iterable<CompiledRule> {
  for (const key of distinct(keys)) {
    const shelf = shelves.get(key);
    if (shelf !== undefined) yield* candidates(shelf, words);
  }
}

function distinct(keys: readonly string[]): readonly string[] {
  return keys.length < 2 ? keys : [...new Set(keys)];
}

/** A list of rules, compiled and indexed. The order of the list matters to no verdict. */
export interface RuleSet {
  readonly size: number;
  /** True when there is any rule that denies or asks. */
  readonly holdsBack: boolean;
  /** The deny or ask rule that holds for a stage, for what is around it or what it carries. */
  holding(effect: 'deny' | 'ask', stage: Stage, context: MatchContext): Rule | null;
  /** A deny or ask rule for a program of a stage, whatever it says of arguments. */
  naming(stage: Stage, context: MatchContext): Rule | null;
  /** The allow rule that covers a stage. */
  covering(stage: Stage, context: MatchContext): Rule | null;
  /** The allow rules that name the program of a stage, for saying why none of them covers it. */
  near(stage: Stage): Iterable<CompiledRule>;
}

function compileRules(rules: readonly Rule[], around: RuleSurroundings): RuleSet {
  const compiled = rules.map((rule, index) => compileRule(rule, index, around));
  const indexOf = (effect: RuleEffect): RuleIndex =>
    indexRules(
      compiled.filter((each) => each.effect === effect),
      around,
    );
  const indexes = { deny: indexOf('deny'), ask: indexOf('ask'), allow: indexOf('allow') };
  return {
    size: rules.length,
    holdsBack: indexes.deny.size + indexes.ask.size > 0,
    holding: (effect, stage, context) => holdingRule(indexes[effect], stage, context),
    naming: (stage, context) =>
      namingRule(indexes.deny, stage, context) ?? namingRule(indexes.ask, stage, context),
    covering: (stage, context) => coveringRule(indexes.allow, stage, context),
    near: (stage) => indexes.allow.find(coveredProgram(stage.executable), everyWord),
  };
}

/** As if all words were still open: finds rules whatever they say of arguments. */
const everyWord = { values: [], open: new Set([0]) };

function holdingRule(index: RuleIndex, stage: Stage, context: MatchContext): Rule | null {
  if (index.size === 0) return null;
  let first: CompiledRule | null = null;
  for (const subject of subjectsOf(stage)) {
    for (const compiled of index.find(meantProgram(subject.executable), subject.words)) {
      if (isFirmer(compiled, first) && touches(compiled, subject, context)) first = compiled;
    }
  }
  return first?.rule ?? null;
}

function namingRule(index: RuleIndex, stage: Stage, context: MatchContext): Rule | null {
  if (index.size === 0) return null;
  for (const subject of subjectsOf(stage))
    for (const compiled of index.find(meantProgram(subject.executable), everyWord))
      if (meansProgram(compiled, subject, context)) return compiled.rule;
  return null;
}

function coveringRule(index: RuleIndex, stage: Stage, context: MatchContext): Rule | null {
  let first: CompiledRule | null = null;
  for (const compiled of index.find(coveredProgram(stage.executable), wordsOf(stage))) {
    if (isBefore(compiled, first) && missOf(compiled, stage, context) === null) first = compiled;
  }
  return first?.rule ?? null;
}

/** Of several that ask the one counts that wants the most, else the first. */
function isFirmer(one: CompiledRule, other: CompiledRule | null): boolean {
  if (other === null) return true;
  const more = firmness(one) - firmness(other);
  return more === 0 ? isBefore(one, other) : more > 0;
}

function firmness({ rule: { presence, approvers = 1 } }: CompiledRule): number {
  if (approvers > 1) return presenceModes.length + approvers;
  return presence === undefined ? 0 : presenceModes.length - presenceModes.indexOf(presence);
}

/** Of several that match the first of the list is named, so that an index cannot change the answer. */
function isBefore(one: CompiledRule, other: CompiledRule | null): boolean {
  return other === null || one.index < other.index;
}

function meantProgram(executable: Executable): Program {
  const names = namesOf(executable);
  return { paths: pathsOf(executable), names, byEnding: executable.kind !== 'file' };
}

function coveredProgram(executable: Executable): Program {
  if (executable.kind === 'tool') return { paths: [executable.target], names: [], byEnding: false };
  if (executable.kind !== 'file') return { paths: [], names: [executable.name], byEnding: false };
  const { realPath, path, name } = executable;
  return { paths: [realPath, path], names: [name], byEnding: false };
}

const sets = new WeakMap<readonly Rule[], Map<string, RuleSet>>();

/** The compiled form of a list, made once per list and surroundings. Lists are never changed in place. */
export function ruleSetOf(rules: readonly Rule[], around: RuleSurroundings): RuleSet {
  let bySurroundings = sets.get(rules);
  if (bySurroundings === undefined) sets.set(rules, (bySurroundings = new Map()));
  const key = `${around.platform}\0${around.home}`;
  let set = bySurroundings.get(key);
  if (set === undefined) bySurroundings.set(key, (set = compileRules(rules, around)));
  return set;
}
