import { setting } from '../plan/assign.ts';
import type { Stage } from '../plan/types.ts';
import { takesNames } from '../programs/fed.ts';
import type { Rule } from '../policy/types.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import { missOf, missReasons } from '../rules/matching.ts';
import type { MatchContext, MissReason } from '../rules/matching.ts';
import { describeRule } from '../rules/review.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import { givenTo } from '../rules/variables.ts';
import type { StageMatch } from './types.ts';

/**
 * Builtins that need no rule, and why. They run no program and change nothing that lasts. A plan
 * holds them in harmless forms only: `set` with -e, -u, -x and pipefail, `exit` with a status.
 */
const harmlessBuiltins: Readonly<Record<string, string>> = {
  ':': 'It does nothing.',
  [setting]: 'It only sets a variable for the rest of the command.',
  true: 'It does nothing.',
  false: 'It does nothing.',
  cd: 'It only changes the folder for the rest of the command.',
  pushd: 'It only changes the folder for the rest of the command.',
  popd: 'It only changes the folder for the rest of the command.',
  pwd: 'It only prints the folder.',
  echo: 'It only prints its words.',
  printf: 'It only prints its words.',
  test: 'It only looks at its words and at files.',
  '[': 'It only looks at its words and at files.',
  export: 'It only sets a variable for the rest of the command.',
  set: 'It only makes the shell stop earlier, or say what it does.',
  exit: 'It only ends the command.',
  break: 'It only ends a loop.',
  wait: 'It only waits for what the command has started.',
  jobs: 'It only lists what the command has started.',
  kill: 'It only ends what the command has started.',
  read: 'It only takes a line of its input into a variable.',
  continue: 'It only goes on with the next round of a loop.',
  type: 'It only says what a name stands for.',
};

/** Parts of the shell that need no rule while they write no file, as a person would write them. */
export const needNoRule: readonly string[] = Object.keys(harmlessBuiltins).map((name) =>
  name === setting ? 'NAME=VALUE' : name,
);

/** `command -v git` only says what a name stands for; any other `command` is a wrapper. */
function isQuestion({ argv }: Stage): boolean {
  return argv[0] === 'command' && (argv[1] === '-v' || argv[1] === '-V');
}

/**
 * Why a stage needs no rule, or null. What it prints may still not be written to a file, and what it
 * takes in may still be no secret.
 */
function harmlessBuiltin(stage: Stage): string | null {
  if (stage.executable.kind !== 'builtin' || stage.trust.level !== 'open') return null;
  if (stage.writes.length > 0 || stage.carries.length > 0 || stage.guarded.length > 0) return null;
  if (isQuestion(stage)) return 'It only says what a name stands for.';
  const { name } = stage.executable;
  return Object.hasOwn(harmlessBuiltins, name) ? (harmlessBuiltins[name] ?? null) : null;
}

/** Holds one stage against the rules: deny over ask over allow. */
export function matchStage(
  stage: Stage,
  index: number,
  rules: RuleSet,
  context: MatchContext,
): StageMatch {
  for (const effect of ['deny', 'ask'] as const) {
    const rule = rules.holding(effect, stage, context);
    if (rule !== null) {
      const verb = effect === 'deny' ? 'denies' : 'asks about';
      const code = effect === 'deny' ? 'rule-deny' : 'rule-ask';
      return { stage: index, rule, effect, code, why: `A rule ${verb} ${describeRule(rule)}.` };
    }
  }
  const rule = rules.covering(stage, context);
  if (rule !== null) {
    const why = `A rule allows ${describeRule(rule)}.`;
    return { stage: index, rule, effect: 'allow', code: 'rule-allow', why };
  }
  const given = coveringWhatItRuns(stage, rules, context);
  if (given !== null) {
    const why = `A rule allows what it runs: ${describeRule(given)}.`;
    return { stage: index, rule: given, effect: 'allow', code: 'rule-allow', why };
  }
  const harmless = harmlessBuiltin(stage);
  if (harmless !== null)
    return { stage: index, rule: null, effect: 'allow', code: 'harmless', why: harmless };
  return { stage: index, rule: null, effect: null, ...whyNone(stage, rules, context) };
}

/**
 * `xargs` with a program that prints, checks or edits the files that it is given, where a rule lets that program take any further words.
 * Which files its input names was looked at when the plan was made: what leads to a guarded place
 * stands in the stage, and what could not be known may be trusted by no rule.
 */
function coveringWhatItRuns(stage: Stage, rules: RuleSet, context: MatchContext): Rule | null {
  const { executable, trust, carries, globs } = stage;
  const [inner] = carries;
  if (inner === undefined || carries.length > 1 || globs.length > 0) return null;
  if (!takesNames(stage) || executable.kind !== 'file' || !executable.trusted) return null;
  // The record of xargs names a number of words only for programs that print, whatever follows.
  if (trust.level !== 'pinned' || trust.leading === undefined) return null;
  if (inner.trust.level !== 'open' || inner.wrappers.length > 0 || inner.carries.length > 0)
    return null;
  return rules.covering(
    {
      ...inner,
      argv: [...inner.argv, './*'],
      globs: [...inner.globs, inner.argv.length],
      cwd: stage.cwd,
      reads: stage.reads,
      writes: [...stage.writes, ...inner.writes],
      assignments: [...stage.assignments, ...inner.assignments],
      guarded: [...stage.guarded, ...inner.guarded],
      effects:
        inner.effects === null || stage.effects === null
          ? inner.effects
          : { ...inner.effects, writes: [...inner.effects.writes, ...stage.effects.writes] },
    },
    context,
  );
}

/** Rules looked at for the sentence; a policy may hold thousands for one program. */
const looksForSentence = 200;

function whyNone(
  stage: Stage,
  rules: RuleSet,
  context: MatchContext,
): Pick<StageMatch, 'code' | 'why' | 'changed'> {
  const name = stage.argv[0] ?? '';
  if (stage.executable.kind === 'missing')
    return { code: 'missing', why: `No program called ${name} was found.` };
  if (stage.trust.level === 'never')
    return { code: 'never-trusted', why: `No rule can allow ${name}: ${stage.trust.reason}.` };
  const nearest = nearestMiss(stage, rules, context);
  if (nearest === null) return unnamed(stage);
  const { miss, compiled } = nearest;
  const why = sentences[miss](stage, compiled);
  const { executable, script } = stage;
  const { sha256 } = compiled.rule;
  if (miss !== 'content' || sha256 === undefined || executable.kind !== 'file')
    return { code: miss, why };
  return { code: miss, why, changed: { path: script ?? executable.realPath, sha256 } };
}

/** A part of the shell needs a rule only because of what it writes. */
function unnamed(stage: Stage): Pick<StageMatch, 'code' | 'why'> {
  const writes = stage.executable.kind === 'builtin' && stage.writes.length > 0;
  return writes
    ? {
        code: 'writes',
        why: `No rule lets ${programOf(stage)} write to ${stage.writes.join(', ')}.`,
      }
    : { code: 'program', why: noRuleYet(stage) };
}

function noRuleYet(stage: Stage): string {
  return `There is no rule for ${programOf(stage)} yet.`;
}

/** A program of the system by the name it was called by; any other by where it is. */
function programOf({ argv, executable }: Stage): string {
  if (executable.kind === 'tool') return executable.target;
  const name = argv[0] ?? 'it';
  const isPlain = executable.kind !== 'file' || (executable.trusted && !name.includes('/'));
  return isPlain ? name : executable.realPath;
}

function nearestMiss(
  stage: Stage,
  rules: RuleSet,
  context: MatchContext,
): { readonly miss: MissReason; readonly compiled: CompiledRule } | null {
  let nearest: { readonly miss: MissReason; readonly compiled: CompiledRule } | null = null;
  let looks = 0;
  for (const compiled of rules.near(stage)) {
    if ((looks += 1) > looksForSentence) break;
    const miss = missOf(compiled, stage, context);
    if (miss === null || miss === 'program') continue;
    if (nearest === null || rank(miss) > rank(nearest.miss)) nearest = { miss, compiled };
  }
  return nearest;
}

function rank(miss: MissReason): number {
  return missReasons.indexOf(miss);
}

type Sentence = (stage: Stage, compiled: CompiledRule) => string;

const sentences: Readonly<Record<MissReason, Sentence>> = {
  program: noRuleYet,
  broken: (_, { rule }) =>
    `The rule for ${rule.pattern} cannot be understood, so it allows nothing.`,
  'not-in-force': (stage) =>
    `The rules for ${programOf(stage)} have expired, or are for another host.`,
  arguments: (stage) => `There are rules for ${programOf(stage)}, but none with these arguments.`,
  'more-than-reads': (stage) =>
    `The rule for ${programOf(stage)} covers what only reads, and this may do more.`,
  directory: (stage, { rule }) =>
    `A rule allows it in ${rule.cwd}, not in ${stage.cwd ?? 'this folder'}.`,
  variables: (stage) =>
    `No rule allows ${programOf(stage)} with ${givenTo(stage).map(nameOfSetting).join(', ')} set so.`,
  writes: (stage) => `No rule lets ${programOf(stage)} write to ${writtenBy(stage)}.`,
  guarded: (stage) => `The rules for ${programOf(stage)} do not name ${guardedOf(stage)}.`,
  reads: (stage) =>
    `The rule fixes the arguments, but the input comes from ${stage.reads.join(', ')}.`,
  'never-trusted': (stage) => `No rule can allow ${programOf(stage)}.`,
  'not-named': (stage, { rule }) =>
    `Nothing is known of ${programOf(stage)}, and the rule for ${rule.pattern} does not name it.`,
  'not-spelled': (stage) => `A rule must write out ${spelledOf(stage)} here${because(stage)}.`,
  'not-pinned': (stage) =>
    `A rule must name each argument of ${programOf(stage)} here${because(stage)}.`,
  changeable: (stage) =>
    `${stage.script ?? programOf(stage)} lies where agents can change it, so a rule must name the exact program and the sha256 of that file.`,
  content: (stage) =>
    `${stage.script ?? programOf(stage)} is no longer the file that the rule was made for.`,
  code: (stage) => `No rule covers the code that ${programOf(stage)} is given here.`,
  recipe: ({ recipe }) =>
    recipe === undefined
      ? 'The rule is for scripts of a package.json, and it is not certain which one this is.'
      : `The script ${recipe.name} of ${recipe.file} is not as it was when the rule was made.`,
  files: ({ files }) =>
    `What ${files?.paths.join(', ') ?? 'its files'} ${(files?.paths.length ?? 0) === 1 ? 'says' : 'say'} is not what it was when the rule was made.`,
  risk: () => 'The rule holds only for commands that do not look dangerous.',
};

function guardedOf({ guarded }: Stage): string {
  const [first] = guarded;
  return first === undefined
    ? 'what it reaches'
    : `${first.placement.path}, which ${first.placement.reason}`;
}

/** Redirections, or what the record says of the arguments. */
function writtenBy({ writes, effects }: Stage): string {
  const named = effects === null ? [] : [...effects.writes, ...effects.into, ...effects.deletes];
  const paths = [...writes, ...named].map((path) => path ?? 'a place that is not known');
  return [...new Set(paths)].slice(0, 3).join(', ');
}

/** A value may be a secret. */
function nameOfSetting(given: string): string {
  return given.slice(0, given.indexOf('='));
}

/** The words that a rule has to say. */
function spelledOf({ argv, trust }: Stage): string {
  const words = trust.level === 'spelled' ? trust.words : [];
  return words
    .toSorted((one, other) => one - other)
    .map((word) => argv[word + 1] ?? '')
    .join(' ');
}

function because(stage: Stage): string {
  return stage.trust.level === 'open' ? '' : `: ${stage.trust.reason}`;
}
