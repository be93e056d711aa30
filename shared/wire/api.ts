import type { HookAnswer } from './agent-host.ts';
import type { Ask, AskMode, DecisionWord, Remember, Security, ToolCall } from '../engine/index.ts';
import type { Refusal } from '../base/index.ts';

/** What every request says of itself, besides what it is about. */
export interface RequestContext {
  /** Absolute. */
  readonly cwd: string;
  readonly agent?: string;
  readonly session?: string;
  readonly host?: string;
  readonly node?: string;
  /** May only tighten what the policy says. */
  readonly security?: Security;
  readonly ask?: AskMode;
  /** The host's own id of this use of a tool. */
  readonly toolUseId?: string;
  /** The agent's own words for why; shown to the person as untrusted text. */
  readonly statedReason?: string;
}

/** Body of `POST /v1/exec` and, less its last fields, of `POST /v1/check`. Unknown fields are refused. */
export interface ExecRequest extends RequestContext {
  readonly argv?: readonly string[];
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Standard input of the command, base64, at most 10 MiB decoded. */
  readonly stdin?: string;
}

/** Body of `POST /v1/tools`: may the agent's host carry this out? */
export interface ToolRequest extends RequestContext, ToolCall {}

/** Body of `POST /v1/permits`: a command that is to be decided about and not run yet. */
export interface PermitRequest extends Omit<ExecRequest, 'stdin'> {
  /** `ticket` (default): the runner runs it when the ticket comes. `elsewhere`: the host runs it. */
  readonly by?: 'ticket' | 'elsewhere';
}

/** Answer of `POST /v1/tools` and `POST /v1/permits`; refusals come as an `ErrorBody`. */
export interface PermitBody {
  readonly ok: true;
  readonly id: string;
  /** What allowed it: `rule-allow`, `allow-once`, …, and who. */
  readonly permission: { readonly code: string; readonly by: 'policy' | 'person' | 'fallback' };
  /** Where a ticket was asked for: good for one `POST /v1/tickets/redeem`. */
  readonly ticket?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number;
}

/** Body of `POST /v1/tickets/redeem`, which answers as `POST /v1/exec` does. */
export interface RedeemRequest {
  readonly ticket: string;
  /** Absolute folder of the holder: the one that the ticket was issued for. */
  readonly cwd: string;
}

/** Answer of `POST /v1/hooks/:host`: what the hook program writes, and its exit status. */
export interface HookBody {
  readonly ok: true;
  readonly answer: HookAnswer;
}

/** Body of `POST /v1/sessions/end`: a session of the agent that sends it is over. */
export interface SessionEndRequest {
  readonly agent: string;
  readonly session: string;
}

/** Answer of `POST /v1/sessions/end`. */
export interface SessionEndBody {
  readonly ok: true;
  readonly session: string;
  /** Whose it was: `*` for a name that does not count. */
  readonly agent: string;
  /** Grants that were forgotten. */
  readonly grants: number;
  /** Questions that were taken back. */
  readonly withdrawn: number;
}

/** One line of the NDJSON answer of `POST /v1/exec`. The last one is `finished` or `refused`. */
export type ExecEvent =
  | {
      readonly type: 'pending';
      readonly id: string;
      readonly askId: string;
      readonly expiresAt: number;
    }
  | {
      readonly type: 'started';
      readonly id: string;
      readonly pid: number;
      readonly canonical: string;
    }
  | {
      readonly type: 'stdout' | 'stderr';
      readonly id: string;
      readonly data: string;
      /** `base64` where the bytes are not valid UTF-8. */
      readonly encoding: 'utf8' | 'base64';
    }
  | {
      readonly type: 'finished';
      readonly id: string;
      /** Null when a signal ended it. */
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly durationMs: number;
      /** True when the capped copy kept for events lost something; a streaming caller gets all. */
      readonly truncated: boolean;
    }
  | { readonly type: 'refused'; readonly id: string; readonly refusal: Refusal };

/** Body of every error answer of the runner's API. */
export interface ErrorBody {
  readonly ok: false;
  readonly refusal: Refusal;
}

/** Answer of `GET /v1/status`. */
export interface StatusBody {
  readonly ok: true;
  readonly version: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly mode: 'armed' | 'paused' | 'locked';
  readonly reason: string | null;
  readonly approver: { readonly connected: boolean; readonly socket: string };
  readonly policy: {
    readonly valid: boolean;
    readonly problem: string | null;
    readonly hash: string | null;
  };
  readonly running: readonly RunningCommand[];
  readonly pending: readonly {
    readonly askId: string;
    readonly agent: string;
    readonly command: string;
    readonly expiresAt: number;
  }[];
}

export interface RunningCommand {
  readonly id: string;
  readonly agent: string;
  readonly command: string;
  readonly pid: number;
  readonly startedAt: number;
}

/** One verdict of `interlock check` and `POST /v1/check`, as design section 11 fixes it. */
export interface CheckBody {
  readonly id?: string | number;
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly reason: string;
  readonly message: string;
  readonly host: string;
  readonly security: Security;
  readonly ask: AskMode;
  readonly analysis: {
    readonly ok: boolean;
    readonly reason: string | null;
    readonly stages: readonly {
      readonly argv: readonly string[];
      readonly resolvedPath: string | null;
      readonly ruleId: string | null;
      readonly via: readonly string[];
    }[];
  };
  readonly risk: {
    readonly level: 'none' | 'low' | 'high';
    readonly findings: readonly { readonly code: string; readonly text: string }[];
  };
  readonly canonical: string | null;
}

/** Body of `POST /v1/check`: an exec request less what only matters when it runs. */
export type CheckRequest = Omit<ExecRequest, 'timeoutMs' | 'stdin' | 'toolUseId' | 'statedReason'>;

/** Body of `POST /v1/lockout`, `/v1/pause` and `/v1/resume`; resume has no reason. */
export interface StopRequest {
  readonly reason?: string;
}

/** Answer of `POST /v1/lockout`, `/v1/pause` and `/v1/resume`. */
export interface StopBody {
  readonly ok: true;
  readonly mode: 'armed' | 'paused' | 'locked';
  /** Running commands that were told to stop, and asks that were taken back. */
  readonly stopped: number;
  readonly withdrawn: number;
  readonly keysRotated: number;
  /** With a lockout: when the last command had been sent its signal, in milliseconds since the epoch. */
  readonly signalledAt?: number;
  /** With a lockout: whether the approvals token is a new one. */
  readonly tokenRotated?: boolean;
  /** With a lockout: processes that could not be stopped. */
  readonly left?: number;
  /** With a lockout: sentences about what could not be done. */
  readonly problems?: readonly string[];
}

/** An ask that waits for a person, with the digest that an answer must name. */
export interface PendingAsk {
  readonly ask: Ask;
  readonly askDigest: string;
}

/** Answer of `GET /v1/pending`: oldest first. */
export interface PendingListBody {
  readonly ok: true;
  readonly pending: readonly PendingAsk[];
}

/** Answer of `GET /v1/pending/:id`. */
export interface PendingBody extends PendingAsk {
  readonly ok: true;
}

/**
 * Body of `POST /v1/pending/:id/answer`: an answer from a person's terminal. `mac` is made with the
 * approvals token (`shared/node/answers`), so that only who can read the policy file can answer.
 */
export interface AnswerRequest {
  readonly decision: DecisionWord;
  readonly askDigest: string;
  readonly remember?: Remember;
  readonly note?: string;
  /** Milliseconds since the epoch; the runner takes 10 seconds either way. */
  readonly ts: number;
  /** 32 random bytes, base64url; used once. */
  readonly nonce: string;
  /** HMAC-SHA256, hex. */
  readonly mac: string;
}

/** Answer of `POST /v1/pending/:id/answer`. */
export interface AnswerBody {
  readonly ok: true;
  readonly accepted: true;
}

/** Answer of `GET /v1/events?session=…`: what happened since the last call, oldest first. */
export interface EventsBody {
  readonly ok: true;
  readonly session: string;
  /** Lines as design section 11 fixes them; `Exec finished` is followed by the output's tail. */
  readonly events: readonly string[];
  /** Events that were lost because nobody drained the queue. */
  readonly dropped: number;
}

/** Query of `GET /v1/history`. Newest first. */
export interface HistoryQuery {
  readonly offset: number;
  readonly limit: number;
  readonly search?: string;
  readonly agent?: string;
  readonly decision?: 'allow' | 'deny';
}

/** One past decision, with the exit status where it ran. */
export interface HistoryEntry {
  readonly id: string;
  readonly at: number;
  readonly agent: string;
  readonly session: string | null;
  readonly command: string;
  readonly cwd: string;
  readonly decision: 'allow' | 'deny';
  /** A refusal code, or what allowed it: `rule-allow`, `allow-once`, … */
  readonly code: string;
  readonly by: 'policy' | 'person' | 'fallback';
  readonly exitCode: number | null;
}

/** Answer of `GET /v1/history`. */
export interface HistoryBody {
  readonly ok: true;
  readonly total: number;
  readonly entries: readonly HistoryEntry[];
}

/** Query of `GET /v1/history/stats`. */
export interface StatsQuery {
  /** Days up to and with today, 1 to 90. */
  readonly days: number;
  readonly agent?: string;
}

/** What happened on one day. */
export interface DayStats {
  /** `2026-11-21`, in the time zone of the runner. */
  readonly day: string;
  /** Commands about which a person was asked. */
  readonly asks: number;
  /** Asks among them that a person allowed, and those not answered in time or by nobody. */
  readonly allowed: number;
  readonly unanswered: number;
  /**
   * Asks that told nobody anything new: a person allowed once what a person had allowed in the same
   * folder, for the same agent, at least `needlessAfter` times in the days before.
   */
  readonly needless: number;
  /** Commands that ran or were refused without asking. */
  readonly unasked: number;
}

/** Answer of `GET /v1/history/stats`, less `ok`. */
export interface HistoryStats {
  /** Oldest first, one for each day, those without any command too. */
  readonly days: readonly DayStats[];
  readonly needlessAfter: number;
  /** What caused most needless asks, most first, at most 10: worth a rule. */
  readonly worthARule: readonly {
    readonly agent: string;
    readonly command: string;
    readonly cwd: string;
    readonly needless: number;
  }[];
}

/** Answer of `GET /v1/history/stats`. */
export interface HistoryStatsBody extends HistoryStats {
  readonly ok: true;
}

/** One line of `interlock doctor` and of the app's Health view. */
export interface HealthCheck {
  readonly id: string;
  readonly level: 'ok' | 'warning' | 'danger';
  readonly title: string;
  /** What was found and, unless all is well, how to mend it. */
  readonly detail: string;
  /** True when `mend` with this id can repair it. */
  readonly mendable: boolean;
}

/** Connections to the approvals socket that the approver closed for one kind of breach. */
export interface ReportedBreach {
  /** A code of `shared/node/protocol/violation.ts`. */
  readonly code: string;
  readonly count: number;
  /** Milliseconds since the epoch, by the approver's clock. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Process at the other end of the last one; null where the system does not say. */
  readonly pid: number | null;
}

/**
 * Body of `POST /v1/breaches`: what the approver saw at its own socket, for the audit log, which
 * only the runner writes. `mac` is made with the approvals token (`shared/node/breach-report`).
 */
export interface BreachReport {
  readonly breaches: readonly ReportedBreach[];
  /** Milliseconds since the epoch; the runner takes 10 seconds either way. */
  readonly ts: number;
  /** 32 random bytes, base64url; used once. */
  readonly nonce: string;
  /** HMAC-SHA256, hex. */
  readonly mac: string;
}

/** Answer of `POST /v1/breaches`. */
export interface BreachesBody {
  readonly ok: true;
  /** Rows that were written. */
  readonly recorded: number;
}
