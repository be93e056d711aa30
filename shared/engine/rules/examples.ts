import type { Analysis, FileView, Stage, Surroundings } from '../plan/types.ts';
import type { Rule } from '../policy/types.ts';
import { analyseTool } from '../tools/analyse.ts';
import { toolKinds } from '../tools/types.ts';
import { missOf } from './matching.ts';
import { compileRule } from './compiled-rule.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { subjectsOf } from './matching.ts';
import { touches } from './matching.ts';
import type { MatchContext } from './matching.ts';

interface ExampleSurroundings {
  /** The analysis of a command line as if an agent had asked for it. Not used for tools. */
  readonly analyse: (command: string) => Analysis;
  readonly home: string;
  readonly platform: Surroundings['platform'];
  readonly hashFile: (path: string) => string | null;
  readonly now: number;
}

/**
 * Holds a rule against its own examples. Each failure is a sentence. An allow rule matches when it
 * covers a stage of the example; a deny or ask rule when it holds for one.
 */
export function failedExamples(rule: Rule, around: ExampleSurroundings): readonly string[] {
  const compiled = compileRule(rule, 0, around);
  const context: MatchContext = {
    kind: rule.kind ?? 'exec',
    host: rule.host ?? 'gateway',
    now: around.now,
    hashFile: around.hashFile,
    riskLevel: () => 'none',
  };
  const matches = (command: string): boolean =>
    stagesOf(meant(command, rule, around), compiled).some((stage) =>
      matchesStage(compiled, stage, context),
    );
  const { match = [], noMatch = [] } = rule.examples ?? {};
  return [
    ...match
      .filter((command) => !matches(command))
      .map((command) => `It should match "${command}".`),
    ...noMatch.filter(matches).map((command) => `It should not match "${command}".`),
  ];
}

/** An example of a rule about tools is a target: a path, an address, `server/tool`. */
function meant(example: string, { kind = 'exec' }: Rule, around: ExampleSurroundings): Analysis {
  const toolKind = toolKinds.find((each) => each === kind);
  if (toolKind === undefined) return around.analyse(example);
  const target = example.startsWith('~/') ? around.home + example.slice(1) : example;
  return analyseTool(
    { kind: toolKind, tool: 'tool', target, detail: null },
    { files: asWritten, cwd: '/', home: around.home, platform: around.platform },
  );
}

/** Takes each path for the real one: an example is about the rule, not about this machine's links. */
const asWritten: FileView = {
  realPath: (path) => path,
  facts: () => null,
  head: () => null,
  isLink: () => false,
  readLink: () => null,
};

/** An opaque command is never allowed, though it may be denied. */
function stagesOf(analysis: Analysis, { effect }: CompiledRule): readonly Stage[] {
  if (analysis.ok) return analysis.plan.stages;
  return effect === 'allow' ? [] : analysis.stages;
}

function matchesStage(compiled: CompiledRule, stage: Stage, context: MatchContext): boolean {
  // An example says what the rule means, wherever it was written and whether it still holds.
  const { cwd: _, expiresAt: __, tool: ___, ...anywhere } = compiled.rule;
  const free: CompiledRule = { ...compiled, rule: anywhere, cwd: () => null, tool: () => null };
  if (compiled.effect === 'allow') return missOf(free, stage, context) === null;
  return subjectsOf(stage).some((subject) => touches(free, subject, context));
}
