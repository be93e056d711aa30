import type {
  AnswerRequest,
  BreachReport,
  CheckBody,
  CheckRequest,
  EventsBody,
  ExecEvent,
  ExecRequest,
  HistoryBody,
  HistoryQuery,
  PendingAsk,
  PendingBody,
  PermitBody,
  PermitRequest,
  RedeemRequest,
  SessionEndBody,
  SessionEndRequest,
  StatusBody,
  StopBody,
  ToolRequest,
} from '../../api/types.ts';
import type { SignCall } from './call.ts';

/**
 * The runner's API. Every call opens its own connection. Each of them rejects with a
 * `RefusalError` when the runner says no, and with a `RunnerUnreachableError` when none answers.
 */
export interface RunnerClient {
  status(): Promise<StatusBody>;
  /** Oldest first. */
  pending(): Promise<readonly PendingAsk[]>;
  pendingAsk(askId: string): Promise<PendingBody>;
  check(request: CheckRequest): Promise<CheckBody>;
  /**
   * Streams what happens to one command; the last event is `finished` or `refused`. Aborting the
   * signal, or leaving the loop, closes the connection: the ask is withdrawn, the command stopped.
   */
  exec(request: ExecRequest, signal?: AbortSignal): AsyncGenerator<ExecEvent, void, undefined>;
  /**
   * A command that is decided about and not run: answers a ticket, or who allowed it elsewhere.
   * Lasts as long as a person takes; aborting the signal takes the ask back.
   */
  permit(request: PermitRequest, signal?: AbortSignal): Promise<PermitBody>;
  /** The use of a tool that the agent's host carries out itself; lasts like `permit`. */
  tool(request: ToolRequest, signal?: AbortSignal): Promise<PermitBody>;
  /** Runs what a ticket stands for; streams as `exec` does. */
  redeem(request: RedeemRequest, signal?: AbortSignal): AsyncGenerator<ExecEvent, void, undefined>;
  /** `body` is signed with the approvals token by `shared/node/answers`. */
  answer(askId: string, body: AnswerRequest): Promise<void>;
  /** Hands breaches of the approval protocol to the audit log; `report` is signed likewise. */
  reportBreaches(report: BreachReport): Promise<void>;
  /** Says that a session is over; signed as `exec` is. */
  endSession(request: SessionEndRequest): Promise<SessionEndBody>;
  lockout(reason?: string): Promise<StopBody>;
  pause(reason?: string): Promise<StopBody>;
  resume(): Promise<StopBody>;
  /** Drains the session's queue of system events. */
  events(session: string): Promise<EventsBody>;
  history(query: HistoryQuery): Promise<HistoryBody>;
}

export interface RunnerClientOptions {
  readonly socketPath: string;
  /** How long a call other than `exec` may take, in milliseconds; 10,000 when absent. */
  readonly timeoutMs?: number;
  /** Signs `exec`, `check`, `permit` and `tool`; unsigned when absent. */
  readonly sign?: SignCall;
}
