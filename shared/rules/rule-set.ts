import type { Executable, Stage } from '../analysis/types.ts';
import type { Rule, RuleEffect } from '../policy/types.ts';
import { compileRule } from './compiled-rule.ts';
import type { CompiledRule, RuleSurroundings } from './compiled-rule.ts';
import { missOf } from './covers.ts';
import { indexRules } from './rule-index.ts';
import type { Program, RuleIndex } from './rule-index.ts';
import { namesOf, pathsOf, subjectsOf, wordsOf } from './subject.ts';
import { touches } from './touches.ts';
import type { MatchContext } from './touches.ts';

/** A list of rules, compiled and indexed. The order of the list matters to no verdict. */
export interface RuleSet {
  readonly size: number;
  /** True when there is any rule that denies or asks. */
  readonly holdsBack: boolean;
  /** The deny or ask rule that holds for a stage, for what is around it or what it carries. */
  holding(effect: 'deny' | 'ask', stage: Stage, context: MatchContext): Rule | null;
  /** The allow rule that covers a stage. */
  covering(stage: Stage, context: MatchContext): Rule | null;
  /** The allow rules that name the program of a stage, for saying why none of them covers it. */
  near(stage: Stage): Iterable<CompiledRule>;
}

export function compileRules(rules: readonly Rule[], around: RuleSurroundings): RuleSet {
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
      if (isBefore(compiled, first) && touches(compiled, subject, context)) first = compiled;
    }
  }
  return first?.rule ?? null;
}

function coveringRule(index: RuleIndex, stage: Stage, context: MatchContext): Rule | null {
  let first: CompiledRule | null = null;
  for (const compiled of index.find(coveredProgram(stage.executable), wordsOf(stage))) {
    if (isBefore(compiled, first) && missOf(compiled, stage, context) === null) first = compiled;
  }
  return first?.rule ?? null;
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
