import type {
  HistoryBody,
  HistoryQuery,
  HistoryStats,
  PendingAsk,
  StatsQuery,
  StatusBody,
} from '../../../shared/api/types.ts';
import type { PeerCredentials } from '../../../shared/node/peer/types.ts';
import type { BreachIntake } from '../../approvals/breach-intake.ts';
import type { TerminalAnswers } from '../../approvals/terminal-answer.ts';
import type { Gate } from '../../gate/gate.ts';
import type { SystemEvents } from '../../events/types.ts';
import type { HookPorts } from '../hooks/answer-hook.ts';
import type { StopSwitch } from '../../lockout/types.ts';
import type { EndedSession, SessionEnd } from '../../sessions/end.ts';
import type { Log } from '../../log/log.ts';

/** What the routes need. */
export interface ApiPorts {
  readonly gate: Gate;
  readonly status: () => Promise<StatusBody> | StatusBody;
  readonly events: SystemEvents;
  readonly stops: StopSwitch;
  readonly pending: {
    list(): readonly PendingAsk[];
    find(id: string): PendingAsk | undefined;
  };
  /** Ids of requests that an earlier runner had under way when it ended. */
  readonly stale?: ReadonlySet<string>;
  readonly answer: TerminalAnswers;
  readonly breaches: BreachIntake;
  readonly history: (query: HistoryQuery) => Promise<Omit<HistoryBody, 'ok'>>;
  readonly stats: (query: StatsQuery) => Promise<HistoryStats>;
  readonly endSession: (end: SessionEnd) => Promise<EndedSession>;
  readonly hooks: HookPorts;
  readonly log: Log;
}

/** Who is at the other end of the connection that a request came on. */
export type PeerOf = (request: { readonly raw: { readonly socket: object } }) => PeerCredentials;
