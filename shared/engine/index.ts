/** What a command is and what the rules say about it. Pure: the machine comes in as a port. */

export { advisedFor, advisorNamed, isLoopbackUrl, parseAdvice } from './advisors.ts';
export type { Advice, Advised, AdvisorQuestion } from './advisors.ts';
export type { Clause } from './proposals/clauses.ts';
export {
  askSchema,
  agentWords,
  askerOf,
  choiceOf,
  holdsFor,
  holdsForAll,
  decisionWords,
  grantDurations,
  lastingDecisionFields,
  needsStepUp,
  nodeWords,
  offerOf,
  plainDecisionFields,
  proposalScopes,
  relayedAskSchema,
  rememberSchema,
  runnerStateSchema,
  withdrawReasons,
} from './ask.ts';
export type {
  ActKind,
  AncestorProcess,
  Ask,
  AskStage,
  Decision,
  DecisionWord,
  GrantDuration,
  Proposal,
  RelayedAsk,
  Remember,
  RunnerState,
  WithdrawReason,
} from './ask.ts';
export {
  assertionSchema,
  challengeFor,
  challengeOfAnswer,
  handOverFields,
  invitedSchema,
  passkeyAddFields,
  passkeyInviteFields,
  passkeyRemoveFields,
  passkeySchema,
  passkeyUseFields,
} from './passkey.ts';
export type { Assertion, Attestation, Passkey, PersonProof, RecordedPasskey } from './passkey.ts';
export { isOriginOf } from './passkey.ts';
export {
  challengeOfDevice,
  deviceName,
  deviceOpenFields,
  devicePairFields,
  deviceRights,
  deviceSchema,
  isPeerOf,
  listenProblem,
  pairingSchema,
  pushFields,
} from './device.ts';
export type { Device, DeviceRights, Pairing, PushAddress } from './device.ts';
export { maxConfigLength, parseConfig } from './config-schema.ts';
export { bytesOf, defaultConfig, logLevels } from './config.ts';
export { channelName, presentHosts, sandboxLimits } from './config-fields.ts';
export type { Rung } from './config-fields.ts';
export type { Config, LogLevel, ProgramLimit, SharedFolderConfig, SharedSocket } from './config.ts';
export type { SandboxConfig } from './config-fields.ts';
export { needNoRule } from './decide/stage-match.ts';
export { whyNoRule } from './decide/explain.ts';
export { approversOf, presenceOf } from './decide/decide.ts';
export {
  answerWords,
  approversWords,
  counted,
  isSamePerson,
  mayAnswerAlone,
  mayBeNamed,
  noAnswers,
  personWords,
} from './people.ts';
export type { Count, GivenAnswer, SignedYes } from './people.ts';
export { modeFields } from './policy/patch.ts';
export { presenceModes } from './policy/types.ts';
export type { ApproversByRisk, PresenceByRisk } from './policy/types.ts';
export type { Presence } from './policy/types.ts';
export type { SessionBox, StageMatch, StageReason, Verdict } from './decide/types.ts';
export { addressText, parseAddress } from './egress/address.ts';
export type { Address } from './egress/address.ts';
export { defaultEgress, egressFor } from './egress/config.ts';
export type { BrokeredCalls } from './decide/types.ts';
export type { EgressConfig, GithubApp } from './egress/config.ts';
export {
  githubEnvironment,
  githubSecret,
  githubTransforms,
  githubVariables,
  serviceEnvironment,
  servicePath,
  withoutTokens,
} from './egress/brokered.ts';
export type { ServiceTarget } from './egress/brokered.ts';
export {
  forwardedHeaders,
  hostProblem,
  isForwardedTrailer,
  returnedHeaders,
} from './egress/headers.ts';
export type { RawHeaders } from './egress/headers.ts';
export {
  addressProblem,
  compileEgress,
  egressRuleProblem,
  judgeTarget,
  transformsFor,
} from './egress/policy.ts';
export type { EgressPolicy, EgressVerdict, Transform } from './egress/policy.ts';
export { judgeAddress, agentReach } from './egress/reach.ts';
export type { Reach, ReachVerdict } from './egress/reach.ts';
export {
  hostText,
  isPath,
  parseAbsoluteForm,
  parseAuthority,
  targetText,
} from './egress/target.ts';
export type { Target } from './egress/target.ts';
export { filesOfTool, staysInSandbox } from './programs/brokered.ts';
export { brokeredProgram, confirmedForTool } from './brokered/judge.ts';
export type { ToolRequest } from './brokered/judge.ts';
export { fitsPattern, judgeToolCall } from './brokered/judge.ts';
export { brokeredWords, toolPolicyProblem, toolPolicySchema } from './brokered/policy.ts';
export type { ToolPolicy } from './brokered/policy.ts';
export { createEngine } from './engine.ts';
export { programFolders } from './hold.ts';
export type { Hold } from './hold.ts';
export type { EarlierCommand, Engine, Look, Machine, Situation } from './engine.ts';
export type { GrammarParser } from './parse/grammar.ts';
export { quoteWords } from './parse/shell-quote.ts';
export { builtinNames } from './plan/builtins/names.ts';
export { unsafeVariable } from './plan/environment.ts';
export { inAnotherShell } from './plan/outline.ts';
export { joinPath } from './plan/paths.ts';
export type {
  Analysis,
  CommandRequest,
  Executable,
  Execution,
  FileFacts,
  FileView,
  PathStatus,
  OpaqueReason,
  Span,
  Stage,
  Surroundings,
} from './plan/types.ts';
export { careIn } from './workspace.ts';
export type { CareOf } from './workspace.ts';
export { actsLaterByName, secretByName } from './places/by-name.ts';
export { fileIdentity } from './places/types.ts';
export type { FolderEntry, KnownPlace } from './places/types.ts';
export { firstPolicy } from './policy/edit.ts';
export type { ExampleCheck, PolicyChange } from './policy/edit.ts';
export { isFields } from './policy/legacy.ts';
export { parsePolicy, serialisePolicy } from './policy/parse.ts';
export {
  patchBetween,
  policyEditSchema,
  policySaveSchema,
  withPatch,
  withoutSocketToken,
} from './policy/patch.ts';
export type { PolicyEdit, PolicyPatch, PolicySave } from './policy/patch.ts';
export { resolvePolicy, rulesOf } from './policy/resolve.ts';
export type { Layer, Said } from './policy/resolve.ts';
export { askModes, newRuleSchema, ruleEffects, ruleSchema, securityModes } from './policy/types.ts';
export type {
  AgentPolicy,
  ArgToken,
  AskMode,
  EffectivePolicy,
  NewRule,
  PolicyDocument,
  PolicyModes,
  RequestKind,
  Rule,
  RuleEffect,
  Security,
} from './policy/types.ts';
export { doingOf } from './programs/acts.ts';
export { isRunner } from './programs/named.ts';
export type { RiskCode } from './risk/finding.ts';
export { readableAtHome, systemPaths, workspaceOf } from './workspace.ts';
export {
  areLooser,
  isSessionCommand,
  loosens,
  mostElevationsTold,
  overrideWords,
  parseSessionCommand,
  sessionOverrideSchema,
} from './session-override.ts';
export type { ElevationEntry, OverrideInForce, SessionOverride } from './session-override.ts';
export { configuredHost } from './routing.ts';
export { isBeyond, modeBounds, parseManaged } from './managed.ts';
export type { Managed, ModeBounds } from './managed.ts';
export { maxProjectFile, mostProjects, parseTrustedProjects, projectFileIn } from './projects.ts';
export type { KeptProject, TrustedProject } from './projects.ts';
export { base64Within, hideKnown, knownIn, knownMark, spellingsOf } from './redact/known.ts';
export { redact } from './redact/redact.ts';
export type { Hidden } from './redact/redact.ts';
export { restToken } from './rules/args.ts';
export { argumentDigest, ruleProblem } from './rules/compiled-rule.ts';
export { compileGlob, escapeGlob } from './rules/glob.ts';
export type { Glob } from './rules/glob.ts';
export { sentenceOf } from './rules/absurd.ts';
export { describeRule, reviewRules } from './rules/review.ts';
export type { ReviewCode, ReviewFinding } from './rules/review.ts';
export { starterGroups, starterSets, startersFor } from './starters/bind.ts';
export type { StarterGroup, StarterUpdate } from './starters/bind.ts';
export { ordinaryDay, renewStarters } from './starters/renew.ts';
export type { StarterPlace, StarterRenewal } from './starters/renew.ts';
export { abilitiesOf } from './trust/levels.ts';
export type { TrustLevel } from './trust/levels.ts';
export { noOverrides, sandboxFor } from './trust/overrides.ts';
export type { SandboxOverrides } from './trust/overrides.ts';
export { reviewTrust, wantsSandbox } from './trust/review.ts';
export type { TrustFinding } from './trust/review.ts';
export { toldTrust, trustOf } from './trust/whose.ts';
export type { Caller, RequestClaims, ToldTrust, Trust, TrustClaims } from './trust/whose.ts';
export { toolCallFields, toolKinds } from './tools/types.ts';
export type { ToolCall, ToolDetail, ToolKind } from './tools/types.ts';
export {
  agentOfBox,
  boxOfAgent,
  boxNamePattern,
  boxRuntimes,
  boxTemplateSchema,
  sandboxOfTemplate,
  withBoxes,
} from './boxes.ts';
export { networks } from './config-fields.ts';
export type { BoxAgent, BoxRuntimeName, BoxTemplate } from './boxes.ts';
