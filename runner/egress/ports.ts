import type { OnReadOpts, Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Clock } from '../../shared/base/index.ts';
import type { Address, EgressConfig, EgressPolicy, Target } from '../../shared/engine/index.ts';
import type { DecisionRow } from '../audit/rows.ts';
import type { Log } from '../service/log.ts';

/** Whose connection it is: every listener belongs to one box. */
export interface Who {
  readonly agent: string;
  readonly session: string | null;
  /** The box it comes from, and in which folder its command began. */
  readonly box: string;
  readonly cwd: string;
}

/** How a host was allowed: by a person now, for longer, or earlier; or by a rule that came meanwhile. */
export type AskAnswer = 'allow-once' | 'allow-always' | 'grant' | 'rule-allow';

/** The same, and who answered. */
export interface HostAnswer extends Answered {
  readonly code: AskAnswer;
}

type Answered = Partial<Pick<DecisionRow, 'answers' | 'proof' | 'earlier' | 'approvers'>>;

/** What holds for an agent now. */
export interface EgressSettings extends Pick<
  EgressConfig,
  'requestsPerMinute' | 'burst' | 'connections'
> {
  readonly policy: EgressPolicy;
}

/** A way that was decided on, as the record keeps it. */
export interface WayRow extends Answered {
  readonly id: string;
  readonly who: Who;
  /** `CONNECT host:port`, `HTTP host:port` or, for a service, `HTTPS host:port`. */
  readonly what: string;
  readonly code: string;
  readonly by: 'policy' | 'person';
  readonly reason: string;
  /** Rules of the policy that decided. */
  readonly ruleIds: readonly string[];
}

/** How a way ended. */
export interface WayEnd {
  readonly id: string;
  readonly durationMs: number;
  /** A refusal's code where it was closed by us. */
  readonly code: string | null;
  /** Bytes from the client, and from the upstream. */
  readonly sent: number;
  readonly received: number;
}

export interface EgressRecord {
  /** Settles when the row would outlive a crash; rejects when it cannot, and nothing is dialled then. */
  allowed(row: WayRow): Promise<void>;
  /** Never throws. */
  refused(row: WayRow): void;
  /** Never throws. */
  ended(row: WayEnd): void;
  /** A request that was given a header of ours. Never throws. */
  request?(row: RequestRow): void;
}

/** What the record keeps of a request: no header, no query, no body. */
export interface RequestRow {
  readonly who: Who;
  readonly method: string;
  readonly target: Target;
  readonly path: string;
  /** Null where none came. */
  readonly status: number | null;
  readonly durationMs: number;
}

/** Certificates for connections that are looked into. */
export interface Authority {
  /** What clients have to trust, PEM. */
  readonly certificate: string;
  /** The key and certificate of a server of that name or address. */
  contextFor(host: string): Promise<SecureContext>;
}

/** All that the proxy needs from outside. Tests replace any of it. */
export interface EgressPorts {
  readonly clock: Clock;
  readonly newId: () => string;
  /** Throws a refusal while nothing may start: a lockout, a pause. */
  readonly admit: (agent: string) => void;
  /** Throws `config-invalid` while the settings are not valid. */
  readonly settings: (agent: string) => EgressSettings;
  /** The addresses of a name, as text. Rejects where there are none. */
  readonly resolve: (name: string) => Promise<readonly string[]>;
  /** Addresses of this machine, as text. */
  readonly ownAddresses: () => readonly string[];
  /** Connects to an address; where it is told how to read, that is how, and no `data` is emitted. */
  readonly dial: (address: Address, port: number, read: { readonly onread?: OnReadOpts }) => Socket;
  /** A secret by its name, for a request of somebody; null where there is none. */
  readonly secret: (name: string, who: Who) => Promise<string | null>;
  /** The target has turned a request away whose header was ours; absent: nobody cares. */
  readonly turnedAway?: (target: Target) => void;
  /** Settles with the yes of a person; rejects with a refusal for all else. Absent: nobody is asked. */
  readonly ask?: (who: Who, target: Target, gone: AbortSignal) => Promise<HostAnswer>;
  /** Made when a connection is looked into for the first time. */
  readonly authority: () => Promise<Authority>;
  /** Certificates by which upstreams are believed, PEM; absent: those of this program. */
  readonly roots?: () => readonly string[];
  /** How long a client may take for its headers; absent: 15 s. */
  readonly headersMs?: number;
  /** How long no byte of a body may come from a client; absent: 5 minutes. */
  readonly bodyMs?: number;
  readonly record: EgressRecord;
  readonly log: Pick<Log, 'warn' | 'error'>;
}
