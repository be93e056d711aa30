/** What a command is and what the rules say about it. Pure: the machine comes in as a port. */

export {
  choiceOf,
  decisionWords,
  grantDurations,
  offerOf,
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
export type { Verdict } from './decide/types.ts';
export { createEngine } from './engine.ts';
export type {
  EarlierCommand,
  Engine,
  EngineConfig,
  Machine,
  Question,
  Routing,
  Situation,
} from './engine.ts';
export type { GrammarParser } from './parse/grammar.ts';
export { quoteWords } from './parse/shell-quote.ts';
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
export { firstPolicy } from './policy/edit.ts';
export type { Edited, ExampleCheck, PolicyChange } from './policy/edit.ts';
export { isFields } from './policy/legacy.ts';
export { parsePolicy, policySchema, serialisePolicy } from './policy/parse.ts';
export { patchSchema } from './policy/patch-schema.ts';
export { patchBetween, withPatch } from './policy/patch.ts';
export type { AgentPatch, ModePatch, PolicyPatch } from './policy/patch.ts';
export { resolvePolicy, rulesOf } from './policy/resolve.ts';
export type { ForWhom } from './policy/resolve.ts';
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
export { riskCodes } from './risk/finding.ts';
export type { RiskCode } from './risk/finding.ts';
export { restToken } from './rules/args.ts';
export { argumentDigest, ruleProblem } from './rules/compiled-rule.ts';
export { compileGlob, escapeGlob } from './rules/glob.ts';
export type { Glob } from './rules/glob.ts';
export { describeRule, reviewRules } from './rules/review.ts';
export type { ReviewCode, ReviewFinding } from './rules/review.ts';
export { detailForms, toolKinds } from './tools/types.ts';
export type { ToolCall, ToolDetail, ToolKind } from './tools/types.ts';
