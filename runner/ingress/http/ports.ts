import type { FastifyRequest } from 'fastify';
import type { Caller, Trust } from '../../../shared/engine/index.ts';
import type { PeerCredentials } from '../../../shared/ipc/index.ts';
import type {
  HistoryBody,
  HistoryQuery,
  HistoryStats,
  LeftFile,
  ConsideredAsk,
  PendingAsk,
  SessionOverrideBody,
  StatsQuery,
  StatusBody,
} from '../../../shared/wire/index.ts';
import type { BreachIntake } from '../../approvals/breach-intake.ts';
import type { PasskeyDesk } from '../../approvals/passkeys.ts';
import type { TerminalAnswers } from '../../approvals/pending.ts';
import type { Gate } from '../../gate/gate.ts';
import type { Grants } from '../../gate/grants.ts';
import type { SessionOverrides } from '../../gate/overrides.ts';
import type { DisarmWatch } from '../../lockout/disarm-watch.ts';
import type { StopSwitch } from '../../lockout/stop-switch.ts';
import type { ReceivedCall } from '../../principals/callers.ts';
import type { BoxDesk } from '../../service/box-desk.ts';
import type { SystemEvents } from '../../service/events.ts';
import type { Log } from '../../service/log.ts';
import type { Machines } from '../../service/node-runs.ts';
import type { OverrideCommand } from '../../service/override-session.ts';
import type { EndedSession, SessionEnd } from '../../service/sessions.ts';
import type { Undo } from '../../undo/undo.ts';
import type { HookPorts } from '../hooks.ts';
import { digestOfBody } from './errors.ts';

/** What the routes need. */
export interface ApiPorts {
  readonly gate: Gate;
  readonly status: () => Promise<StatusBody> | StatusBody;
  readonly events: SystemEvents;
  readonly stops: StopSwitch;
  /** Throws where this process may not end a pause: it was refused, or is a command of ours. */
  readonly mayResume: (pid: number | null) => Promise<void>;
  readonly arming: Pick<DisarmWatch, 'rearm'>;
  /** Throws unless this is the passphrase that a person has set; `by` is for the record. */
  readonly requirePassphrase: (passphrase: string, by: string) => Promise<void>;
  readonly pending: {
    list(): readonly PendingAsk[];
    find(id: string): PendingAsk | undefined;
  };
  /** Asks that an advisor looks at; absent: none. */
  readonly considered?: () => readonly ConsideredAsk[];
  /** Ids of requests that an earlier runner had under way when it ended. */
  readonly stale?: ReadonlySet<string>;
  readonly answer: TerminalAnswers;
  readonly breaches: BreachIntake;
  readonly passkeys: PasskeyDesk;
  readonly history: (query: HistoryQuery) => Promise<Omit<HistoryBody, 'ok'>>;
  readonly stats: (query: StatsQuery) => Promise<HistoryStats>;
  readonly undo: Pick<Undo, 'list' | 'show' | 'takeBack'>;
  /** What commands in sandboxes left that acts later: of one session, or of all. */
  readonly left: (session?: string) => readonly LeftFile[];
  /** Throws where this process is a command of ours: only a person takes changes back. */
  readonly mayUndo: (pid: number | null) => Promise<void>;
  readonly nodes: Pick<
    Machines,
    'body' | 'approve' | 'decline' | 'remove' | 'policyOf' | 'editPolicyOf'
  >;
  /** Throws where this process is a command of ours: only a person lets machines in, and out. */
  readonly mayChangeNodes: (pid: number | null) => Promise<void>;
  readonly boxes: BoxDesk;
  /** Throws where this process is a command of ours: only a person ends boxes, and reads what they wrote. */
  readonly mayChangeBoxes: (pid: number | null) => Promise<void>;
  /** As whom a caller counts now. */
  readonly trust: (caller: Omit<Caller, 'ownUid'>) => Trust;
  readonly grants: Pick<Grants, 'list' | 'end'>;
  readonly endSession: (end: SessionEnd) => Promise<EndedSession>;
  readonly overrideSession: (
    command: OverrideCommand,
    gone: AbortSignal,
  ) => Promise<SessionOverrideBody>;
  readonly overrides: Pick<SessionOverrides, 'elevations' | 'end'>;
  readonly hooks: HookPorts;
  readonly log: Log;
}

/** Who is at the other end of the connection that a request came on. */
export type PeerOf = (request: { readonly raw: { readonly socket: object } }) => PeerCredentials;

/** The call as it came in, for whoever looks for a signature. */
export function callOf(request: FastifyRequest): ReceivedCall {
  const { headers, method, url, body } = request;
  return { headers, method, path: url, body, digest: digestOfBody(request) };
}
