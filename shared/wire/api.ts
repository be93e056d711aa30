/** What the runner's API answers. What it takes stands in `requests.ts`. */

import { s } from '../base/index.ts';
import { decidedBy } from './requests.ts';
import type { ConsideredAsk } from './requests.ts';
import type { Refusal, Static } from '../base/index.ts';
import type { HookAnswer } from './agent-host.ts';
import type {
  Advice,
  Ask,
  AskMode,
  ElevationEntry,
  GivenAnswer,
  Security,
  ToldTrust,
  TrustLevel,
} from '../engine/index.ts';

/** Answer of `POST /v1/tools` and `POST /v1/permits`; refusals come as an `ErrorBody`. */
export const permitBodySchema = s.open({
  ok: s.literal(true),
  id: s.string({ minLength: 1 }),
  /** What allowed it: `rule-allow`, `allow-once`, …, and who. */
  permission: s.open({
    code: s.string({ minLength: 1 }),
    by: s.oneOf(decidedBy),
  }),
  /** Where a ticket was asked for: good for one `POST /v1/tickets/redeem`. */
  ticket: s.optional(s.string({ pattern: '^[A-Za-z0-9_-]{43}$' })),
  /** Milliseconds since the epoch. */
  expiresAt: s.optional(s.integer({ minimum: 0 })),
});
export type PermitBody = Static<typeof permitBodySchema>;

/** Answer of `POST /v1/hooks/:host`: what the hook program writes, and its exit status. */
export interface HookBody {
  readonly ok: true;
  readonly answer: HookAnswer;
}

/** Answer of `GET /v1/trust`. */
export interface TrustBody extends ToldTrust {
  readonly ok: true;
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
      /** Where the command ended, for a holder of a ticket that wants to be told. */
      readonly folder?: string;
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
  /** Sessions that a person raised, and until when. */
  readonly elevated?: readonly ElevationEntry[];
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

/** A yes that holds for a while. */
export interface GrantEntry {
  readonly id: string;
  readonly agent: string;
  /** Null where it holds for every session of the agent. */
  readonly session: string | null;
  readonly grantedAt: number;
  /** Null where it holds until the session ends or the runner restarts. */
  readonly expiresAt: number | null;
  /** What it covers: a line for each rule, or one command; empty where the command is not known any more. */
  readonly covers: readonly string[];
  /** `elevation`: what a session was raised to. */
  readonly kind: 'rules' | 'command' | 'elevation';
}

/** Answer of `GET /v1/grants`: the newest first. */
export interface GrantsBody {
  readonly ok: true;
  readonly grants: readonly GrantEntry[];
}

/** Answer of `POST /v1/grants/end`; `ended` is false where it had ended already. */
export interface GrantEndBody {
  readonly ok: true;
  readonly ended: boolean;
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
  /** Asks that an advisor looks at: a person is asked when it has answered. Absent: none. */
  readonly considered?: readonly ConsideredAsk[];
}

/** Answer of `GET /v1/pending/:id`. */
export type PendingBody = PendingAsk & { readonly ok: true };

/** Answer of `POST /v1/pending/:id/answer`. */
export type AnswerBody = { readonly ok: true; readonly accepted: true };

/** Answer of `GET /v1/events?session=…`: what happened since the last call, oldest first. */
export interface EventsBody {
  readonly ok: true;
  readonly session: string;
  /** Lines as design section 11 fixes them; `Exec finished` is followed by the output's tail. */
  readonly events: readonly string[];
  /** Events that were lost because nobody drained the queue. */
  readonly dropped: number;
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
  readonly by: (typeof decidedBy)[number];
  /** The name of the passkey that signed for the answer. */
  readonly passkey?: string;
  /** Who said what, in the order of the answers; absent: nobody was asked, or nobody answered. */
  readonly answers?: readonly GivenAnswer[];
  readonly exitCode: number | null;
  /** Where it ran, or would have. */
  readonly host: string;
  /** As whom it counted, where that was not the owner. */
  readonly trust?: TrustLevel;
  /** What an advisor said of it, whoever decided. */
  readonly advice?: Advice;
  /** Absolute paths of what it left in the workspace that steers or runs later; absent where nothing. */
  readonly planted?: readonly string[];
  /** What the sandbox did not take over from it, in sentences; absent where nothing. */
  readonly notes?: readonly string[];
}

/** Answer of `GET /v1/history`. */
export interface HistoryBody {
  readonly ok: true;
  readonly total: number;
  /** The search for words goes on when it is asked for again; `total` is what it has found so far. */
  readonly more?: boolean;
  readonly entries: readonly HistoryEntry[];
  /** Every agent of which the log holds a decision, whatever the query; sorted. */
  readonly agents: readonly string[];
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

/** Answer of `POST /v1/breaches`. */
export interface BreachesBody {
  readonly ok: true;
  /** Rows that were written. */
  readonly recorded: number;
}

/** What one command changed in its workspace, in short. */
export interface ChangesSummary {
  /** That of the command; a take-back has one of its own. */
  readonly id: string;
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  readonly workspace: string;
  readonly agent: string;
  readonly command: string;
  /** The entry that this one took back; null for a command. */
  readonly undoes: string | null;
  /** The newest entry that took this one back, all or in part; null where none did. */
  readonly takenBackBy: string | null;
  /** The runner ended before the command did, so later changes may be among these. */
  readonly isCutOff: boolean;
  readonly files: number;
}

/** One path that a command changed. */
export interface ShownChange {
  /** Bytes that are no UTF-8 stand there as `\xNN`. */
  readonly path: string;
  readonly what: 'added' | 'changed' | 'removed';
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** False: too large, or not to be read, so that it cannot be taken back. */
  readonly isKept: boolean;
  /** Other commands that ran then: it was one of them. */
  readonly with: readonly string[];
  /** Lines with `+`, `-`, ` ` and `@@` in front; null where it is not text, or too large. */
  readonly diff: string | null;
  /** A change of its mode, as `644 → 755`. */
  readonly note: string | null;
}

export interface ChangeBody extends ChangesSummary {
  readonly shown: readonly ShownChange[];
  /** How many more there are. */
  readonly unnamed: number;
}

/** Answer of `GET /v1/changes`. */
export interface ChangesBody {
  readonly ok: true;
  /** The newest first; of one that was asked for by its id, with its files. */
  readonly entries: readonly (ChangesSummary | ChangeBody)[];
}

/** A file that something outside of a sandbox obeys or starts, and that a command in one wrote. */
export interface LeftFile {
  /** Milliseconds; when it was seen. */
  readonly at: number;
  readonly agent: string;
  readonly session: string | null;
  /** Id of the command. */
  readonly command: string;
  readonly workspace: string;
  readonly path: string;
  /** Completes "PATH, which …". */
  readonly why: string;
}

/** Answer of `GET /v1/sandbox/changes`: each file once, as it was changed last, the oldest first. */
export interface LeftBody {
  readonly ok: true;
  readonly changes: readonly LeftFile[];
}

/** Answer of `POST /v1/undo`. */
export interface UndoBody {
  readonly ok: true;
  /** Of the new entry, by which this can be taken back; null where nothing was changed. */
  readonly id: string | null;
  readonly dryRun: boolean;
  readonly files: readonly {
    readonly path: string;
    readonly result:
      'taken-back' | 'already' | 'newer' | 'not-kept' | 'damaged' | 'unsafe' | 'failed';
    /** Why it was left as it is. */
    readonly why: string | null;
  }[];
}
