/** What a command is and what the rules say about it. Pure: the machine comes in as a port. */

export {
  decisionWords,
  grantDurations,
  isOffered,
  proposalScopes,
  stagePrograms,
  withdrawReasons,
} from './ask.ts';
export type {
  AncestorProcess,
  Ask,
  AskStage,
  Decision,
  DecisionWord,
  GrantDuration,
  Proposal,
  Remember,
  RunnerState,
  WithdrawReason,
} from './ask.ts';
export { maxConfigLength, parseConfig } from './config-schema.ts';
export { defaultConfig, logLevels, presentHosts } from './config.ts';
export type { Config, LogLevel, ProgramLimit, SharedSocket } from './config.ts';
export { decide, fallBack } from './decide/decide.ts';
export { effectOf, explain, whyNoRule } from './decide/explain.ts';
export type { DecideInput, Verdict } from './decide/types.ts';
export type { GrammarParser } from './parse/grammar.ts';
export { quoteWords } from './parse/shell-quote.ts';
export { createAnalyser } from './plan/analyse.ts';
export type { Analyser } from './plan/analyse.ts';
export { builtinNames } from './plan/builtins/names.ts';
export { unsafeVariable } from './plan/environment.ts';
export { joinPath } from './plan/paths.ts';
export { opaqueReasons } from './plan/types.ts';
export type {
  Analysis,
  CommandRequest,
  Executable,
  Execution,
  FileFacts,
  FileView,
  OpaqueReason,
  Span,
  Stage,
  Surroundings,
} from './plan/types.ts';
export { addRules, applyPatch, firstPolicy, removeRule } from './policy/edit.ts';
export type { Edited, ExampleCheck } from './policy/edit.ts';
export { isFields } from './policy/legacy.ts';
export { parsePolicy, policySchema, serialisePolicy } from './policy/parse.ts';
export { patchSchema } from './policy/patch-schema.ts';
export { patchBetween, withPatch } from './policy/patch.ts';
export type { AgentPatch, ModePatch, PolicyPatch } from './policy/patch.ts';
export { resolvePolicy, rulesOf, stricter } from './policy/resolve.ts';
export { askModes, requestKinds, ruleEffects, securityModes } from './policy/types.ts';
export type {
  AgentPolicy,
  ArgToken,
  AskMode,
  EffectivePolicy,
  PolicyDocument,
  PolicyModes,
  RequestKind,
  Rule,
  RuleEffect,
  Security,
} from './policy/types.ts';
export { isRunner } from './proposals/programs.ts';
export { propose } from './proposals/propose.ts';
export type { PastCommand } from './proposals/propose.ts';
export { riskCodes } from './risk/finding.ts';
export type { RiskCode } from './risk/finding.ts';
export { restToken } from './rules/args.ts';
export { argumentDigest, ruleProblem } from './rules/compiled-rule.ts';
export { failedExamples } from './rules/examples.ts';
export type { ExampleSurroundings } from './rules/examples.ts';
export { compileGlob, escapeGlob } from './rules/glob.ts';
export type { Glob } from './rules/glob.ts';
export { describeRule, reviewRules } from './rules/review.ts';
export type { ReviewCode, ReviewFinding } from './rules/review.ts';
export { analyseTool } from './tools/analyse.ts';
export { detailForms, toolKinds } from './tools/types.ts';
export type { ToolCall, ToolDetail, ToolKind } from './tools/types.ts';
