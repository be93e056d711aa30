import type {
  Advice,
  Assertion,
  GivenAnswer,
  RecordedPasskey,
  RequestKind,
  TrustLevel,
} from '../../shared/engine/index.ts';
import type {
  HistoryBody,
  HistoryQuery,
  HistoryStats,
  StatsQuery,
} from '../../shared/wire/index.ts';
import { redactKept as redact } from './rule-set.ts';

/** Who or what decided. */
export type DecidedBy = 'policy' | 'person' | 'fallback' | 'advisor';

/** What a passkey signed for an answer, so that it can be checked against its row `passkey-added`. */
export interface AnswerProof {
  readonly passkey: Pick<RecordedPasskey, 'id' | 'name'>;
  /** Whose it is; absent: the owner's. */
  readonly person?: string;
  /** The ask that was signed for; absent: it has the id of the request. */
  readonly askId?: string;
  readonly askDigest: string;
  readonly assertion: Assertion;
}

/** The row that stands in the log before anything runs, and the only one of what was refused. */
export interface DecisionRow {
  readonly type: 'decision';
  readonly id: string;
  readonly at: number;
  readonly kind: RequestKind;
  readonly agent: string;
  readonly session: string | null;
  readonly host: string;
  readonly cwd: string;
  /** As it was asked for. */
  readonly command: string;
  /** What runs; null where nothing does. */
  readonly canonical: string | null;
  readonly decision: 'allow' | 'deny';
  /** A refusal code, or what allowed it: `rule-allow`, `allow-once`, … */
  readonly code: string;
  readonly by: DecidedBy;
  readonly reason: string;
  /** Which advisor was asked and what it said, whoever decided in the end. */
  readonly advice?: Advice;
  /** With an answer for which a passkey signed. */
  readonly proof?: AnswerProof;
  /** The same of who had said yes before, where more than one person was wanted. */
  readonly earlier?: readonly AnswerProof[];
  /** How many different people had to allow it; absent: one. */
  readonly approvers?: number;
  /** Who said what, in the order of the answers; absent: nobody was asked, or nobody answered. */
  readonly answers?: readonly GivenAnswer[];
  readonly ruleIds: readonly string[];
  readonly risk: 'none' | 'low' | 'high';
  /** As whom it counted, where that was found out: the level, names of `users`, and the channel. */
  readonly trust?: TrustLevel;
  readonly users?: readonly string[];
  readonly channel?: string;
  /** Id of the node that it is passed on to. */
  readonly node?: string;
  /** Id of the machine that passed it on, and of the request there. */
  readonly gateway?: string;
  readonly gatewayRequest?: string;
  readonly uid: number | null;
  readonly pid: number | null;
}

/** Stands right before the start, so that a crash in between can be told from one after it. */
interface StartingRow {
  readonly type: 'starting';
  readonly id: string;
  readonly at: number;
}

/** How an allowed request ended. */
export interface OutcomeRow {
  readonly type: 'outcome';
  readonly id: string;
  readonly at: number;
  /** `handed-over`: the agent's host carries it out, and what comes of it is not known here. */
  readonly outcome: 'executed' | 'not-executed' | 'handed-over' | 'unknown';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number | null;
  /** The refusal code where it was stopped or never started. */
  readonly code: string | null;
  /** What the kernel held it to, in words; absent where it ran without a sandbox. */
  readonly hold?: string;
  /** What it left that steers or runs later, where nobody had allowed it; absolute paths. */
  readonly planted?: readonly string[];
  /** What a sandbox did not take over from it, in sentences. */
  readonly notes?: readonly string[];
}

/** What else deserves a line: a lockout, a broken frame, a start of the runner. */
export interface NoteRow {
  readonly type: 'note';
  readonly at: number;
  readonly code: string;
  readonly text: string;
  /** With `passkey-added` and `passkey-removed`: which, so that what it signs can be checked. */
  readonly passkey?: RecordedPasskey;
  /** With `handed-over` and `handed-back`: until when which passkeys answer in the owner's place. */
  readonly handOver?: RecordedHandOver;
}

/** `until`: milliseconds since the epoch; null: no more. */
export interface RecordedHandOver {
  readonly person: string;
  readonly until: number | null;
  /** Ids of credentials. */
  readonly passkeys: readonly string[];
}

export type AuditRow = DecisionRow | StartingRow | OutcomeRow | NoteRow;

/** An allowed decision of which the log does not say how it ended. */
export interface OpenDecision {
  readonly id: string;
  /** The row that says that the start was about to happen is there. */
  readonly starting: boolean;
}

/** The one way in and out of the record. Rows are never changed. */
export interface AuditLog {
  /** Settles when the row would outlive a crash of the machine; rejects when it cannot. */
  durable(row: DecisionRow | OutcomeRow): Promise<void>;
  /** In the file when this returns, so that it outlives a crash of the runner. Throws when it cannot. */
  append(row: StartingRow | NoteRow): void;
  /** Decisions to run that have no outcome, oldest first. For the recovery at start. */
  openDecisions(): Promise<readonly OpenDecision[]>;
  history(query: HistoryQuery): Promise<Omit<HistoryBody, 'ok'>>;
  /** What happened day by day. */
  stats(query: StatsQuery): Promise<HistoryStats>;
  /** The last commands that this agent was allowed to run, newest first. */
  pastCommands(agent: string): readonly { readonly command: string; readonly cwd: string }[];
  dispose(): Promise<void>;
}

/** A row with its place in the chain. */
export interface LoggedRow {
  readonly seq: number;
  readonly row: AuditRow;
}

/** The row in a line of the log; null for a line that is none. Says nothing of its mac. */
export function parseRow(line: Buffer | string): LoggedRow | null {
  try {
    const { seq, row } = JSON.parse(line.toString()) as Partial<LoggedRow>;
    if (typeof seq !== 'number' || typeof row?.type !== 'string' || typeof row.at !== 'number')
      return null;
    return { seq, row };
  } catch {
    return null;
  }
}

const starting = Buffer.from('"row":{"type":"starting"');
const prefixAtMost = 120;

/** True for the rows that only say that a start was about to happen; told without parsing. */
export function isStarting(line: Buffer): boolean {
  return line.subarray(0, prefixAtMost).includes(starting);
}

/** The row as it may be kept: every text that somebody else wrote, without the secrets in it. */
export function redactRow(row: AuditRow): AuditRow {
  if (row.type === 'note') return { ...row, text: redact(row.text) };
  if (row.type === 'outcome' && row.notes !== undefined)
    return { ...row, notes: row.notes.map(redact) };
  if (row.type !== 'decision') return row;
  return {
    ...row,
    agent: redact(row.agent),
    session: row.session === null ? null : redact(row.session),
    cwd: redact(row.cwd),
    command: redact(row.command),
    canonical: row.canonical === null ? null : redact(row.canonical),
    reason: redact(row.reason),
    ...(row.advice !== undefined && {
      advice: { ...row.advice, reason: redact(row.advice.reason) },
    }),
    ...(row.channel !== undefined && { channel: redact(row.channel) }),
  };
}
