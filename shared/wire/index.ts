/** Every frame and body that crosses a socket, written once: the schema, and the type of it. No Node. */

export type {
  CallContext,
  HookAnswer,
  HookEvent,
  HookOutcome,
  HostAdapter,
  HostShell,
} from './agent-host.ts';
export { importFormats } from './agent-import.ts';
export {
  maxNodePolicyLength,
  maxNodeStdinBytes,
  maxRelayedAskLength,
  maxTailLength,
  nodeOutcomeSchema,
  runEndSchema,
  toGatewaySchema,
  toNodeSchema,
} from './node-frames.ts';
export type {
  NodeOutcome,
  NodeTask,
  PolicyAnswer,
  RelayTold,
  RunEnd,
  ToGateway,
  ToGatewayFrame,
  ToNode,
  ToNodeFrame,
} from './node-frames.ts';
export {
  boxAttachSchema,
  boxLockSchema,
  boxStopSchema,
  boxTailSchema,
  terminalResizeSchema,
  terminalSchema,
  terminalTypeSchema,
} from './boxes.ts';
export type {
  BoxAttach,
  BoxAttachBody,
  BoxEndBody,
  BoxesBody,
  BoxInfo,
  BoxTailBody,
  TerminalDoneBody,
  TerminalEnd,
  TerminalOutput,
  TerminalReadBody,
  TerminalResize,
  TerminalType,
} from './boxes.ts';
export {
  lockOf,
  lostLinks,
  nodeCodeSchema,
  nodePolicyEditSchema,
  nodePolicySchema,
  nodeProblemCodes,
  nodeRemoveSchema,
} from './nodes.ts';
export type {
  FleetGatewayInfo,
  NodeBody,
  NodeInfo,
  NodeProblem,
  NodeProblemCode,
  NodePolicyBody,
  NodePolicyEdit,
  NodePolicyEditBody,
  NodeStanding,
  NodesBody,
  OwnNode,
  WaitingNode,
} from './nodes.ts';
export type {
  ImportFormat,
  ImportPreview,
  Imported,
  ImportedRule,
  ParsedImport,
  PreviewRule,
  SkippedEntry,
} from './agent-import.ts';
export {
  answerRequestSchema,
  batchLineSchema,
  boxCallSchema,
  breachReportSchema,
  checkRequestSchema,
  eventsQuerySchema,
  execRequestSchema,
  changesQuerySchema,
  decidedBy,
  historyQuerySchema,
  leftQuerySchema,
  undoRequestSchema,
  hookQuerySchema,
  pageSize,
  pendingParamsSchema,
  permitRequestSchema,
  redeemRequestSchema,
  resumeRequestSchema,
  grantEndSchema,
  sessionEndSchema,
  sessionOverrideSchema,
  trustQuerySchema,
  statsQuerySchema,
  stopRequestSchema,
  toolRequestSchema,
} from './requests.ts';
export type {
  AnswerRequest,
  ConsideredAsk,
  BatchLine,
  BoxCall,
  BreachReport,
  CheckRequest,
  ExecRequest,
  HistoryQuery,
  UndoRequest,
  PermitRequest,
  RedeemRequest,
  ReportedBreach,
  RequestContext,
  SessionEndRequest,
  SessionOverrideRequest,
  StatsQuery,
  ToolRequest,
} from './requests.ts';
export type {
  AnswerBody,
  BreachesBody,
  CheckBody,
  DayStats,
  ErrorBody,
  EventsBody,
  ExecEvent,
  ChangeBody,
  ChangesBody,
  ChangesSummary,
  HistoryBody,
  HistoryEntry,
  HistoryStats,
  HistoryStatsBody,
  LeftBody,
  LeftFile,
  ShownChange,
  UndoBody,
  HookBody,
  PendingAsk,
  PendingBody,
  PendingListBody,
  PermitBody,
  RunningCommand,
  SessionEndBody,
  GrantEndBody,
  GrantEntry,
  GrantsBody,
  StatusBody,
  StopBody,
  TrustBody,
} from './api.ts';
export type { HealthCheck, ListedSecret, SecretUse } from './health.ts';
export { permitBodySchema } from './api.ts';
export { sessionLines } from './session-override.ts';
export type { SessionOverrideBody } from './session-override.ts';
export {
  handOverSchema,
  passkeyAddSchema,
  passkeyInviteSchema,
  passkeyNonceSchema,
  passkeyRemoveSchema,
} from './passkeys.ts';
export type {
  HandOver,
  PasskeyAdd,
  PasskeyBody,
  PasskeyInvite,
  PasskeyNonceBody,
  PasskeyRemove,
} from './passkeys.ts';
export { checkBody } from './check-body.ts';
export type {
  RuleSuggestion,
  SimulatedEffect,
  SimulatedToolCall,
  Simulation,
} from './check-body.ts';
export {
  checkV1Exec,
  checkV1ExecRequest,
  checkV1Request,
  v1MaxFrameBytes,
  v1MaxOutput,
  v1TtlMs,
} from './frames-v1.ts';
export type {
  V1AskRequest,
  V1DecisionFrame,
  V1ExecError,
  V1ExecFrame,
  V1ExecOutcome,
  V1ExecPayload,
  V1ExecRequest,
  V1ExecResultFrame,
} from './frames-v1.ts';
export {
  approverBodyChecks,
  checkAskBody,
  checkChallenge,
  checkHello,
  checkSealed,
  checkWelcome,
  protocolVersion,
  runnerBodyChecks,
} from './frames-v2.ts';
export type {
  ApproverBody,
  ChallengeFrame,
  Direction,
  HelloFrame,
  RunnerBody,
  SealedFrame,
} from './frames-v2.ts';
export {
  answerWindowMs,
  askRate,
  defaultLimits,
  maxArgvLength,
  maxBodyBytes,
  maxCommandLength,
  maxExecBodyBytes,
  maxHookBytes,
  maxResultLength,
  maxStdinBytes,
  truncationMark,
} from './limits.ts';
export type { Limits } from './limits.ts';
export {
  answerFileSchema,
  descriptorSchema,
  maxAnswerFileBytes,
  maxDescriptorBytes,
  pauseWord,
  teardownSchema,
} from './descriptors.ts';
export type { AnswerFile, Descriptor, Teardown } from './descriptors.ts';
