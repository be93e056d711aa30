import type { BrokenShells, SandboxTries } from './boundary.ts';
import type {
  AncestorProcess,
  Ask,
  Config,
  Decision,
  Engine,
  GivenAnswer,
  PolicyDocument,
} from '../../shared/engine/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { Advisors } from '../advisors/consult.ts';
import type { AnswerProof, AuditLog } from '../audit/rows.ts';
import type { Binding } from './binding.ts';
import type { SystemEvents } from '../service/events.ts';
import type { KeptTexts } from '../approvals/kept-texts.ts';
import type { Grants } from './grants.ts';
import type { SessionOverrides } from './overrides.ts';
import type { AskForTool, Hosts } from '../hosts/host.ts';
import type { NodeNames } from '../hosts/node.ts';
import type { Limits } from '../limits/limits.ts';
import type { DisarmWatch } from '../lockout/disarm-watch.ts';
import type { StopSwitch } from '../lockout/stop-switch.ts';
import type { Log } from '../service/log.ts';
import type { Callers } from '../principals/callers.ts';
import type { InFlight, StopReason } from './in-flight.ts';
import type { Broker } from '../tools/broker.ts';
import type { Vault } from '../tools/vault.ts';
import type { Undo } from '../undo/undo.ts';
import type { Tickets } from './tickets.ts';
import type { AskRelay, Permitted } from './request-context.ts';

/** An ask before its times are set: they start when there is somebody to ask. */
export type AskDraft = Omit<Ask, 'createdAt' | 'expiresAt'>;

/** How an ask ended. Only a `decided` that says so allows anything. */
export type AskEnding = Ending & {
  /** What people had signed before it ended, where more than one was wanted. */
  readonly earlier?: readonly AnswerProof[];
};

type Ending =
  | {
      readonly kind: 'decided';
      readonly ask: Ask;
      readonly decision: Decision;
      readonly via: GivenAnswer['via'];
      /** On which other machine, and how, where it was given on one. */
      readonly by?: string;
      /** The passkey that signed for it, and what it signed. */
      readonly proof?: AnswerProof;
    }
  | { readonly kind: 'expired' }
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** Nobody could be reached: the one ending after which `askFallback` has a say. */
  | { readonly kind: 'unreachable' }
  /** Nobody has to be asked any more: the rules or a grant allow it by now. */
  | { readonly kind: 'covered' }
  /** Somebody was there and went away, or could not be trusted. */
  | { readonly kind: 'lost'; readonly detail: string };

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called each time the ask is in front of a person: once more for the second of two. */
  readonly onPending: (ask: Ask) => void;
  /**
   * Whether by now it is allowed without a person. Looked at when rules or grants have changed while
   * the ask waits; what throws is not covered.
   */
  readonly covered: () => boolean;
  /** Where it may be answered, too; absent: nowhere. */
  readonly relay?: AskRelay;
}

/** The witness: may say no before anything runs. Never rejects except with a `RefusalError`. */
export interface Approver {
  ask(draft: AskDraft, options: AskOptions): Promise<AskEnding>;
}

/** The policy that holds now. */
export interface PolicySource {
  /** Throws `config-invalid` while the file is not valid. */
  document(): PolicyDocument;
  /** A rule has decided; the statistics reach the file when it suits. */
  used(use: {
    readonly ruleId: string;
    readonly at: number;
    readonly command: string;
    readonly resolvedPath: string | null;
  }): void;
}

/** Makes a person's "always" hold beyond this one command. */
export interface Memory {
  /** Answers a sentence when it could not be kept; the command itself was allowed all the same. */
  remember(ask: Ask, decision: Decision, binding: Binding): Promise<string | null>;
}

/** Everything that the steps of the gate need from outside. Tests replace any of it. */
export interface GatePorts {
  /** What failed in the sandbox; the gate makes its own. */
  readonly tries?: SandboxTries;
  /** Sessions whose shell has broken; the gate makes its own. */
  readonly shells?: BrokenShells;
  /** How a command in a sandbox asks for a brokered tool; the gate makes its own. */
  readonly asker?: (permitted: Permitted) => AskForTool;
  readonly clock: Clock;
  readonly uid: number;
  readonly callers: Callers;
  readonly newId: () => string;
  readonly config: () => Config;
  readonly policy: PolicySource;
  readonly stops: StopSwitch;
  /** Throws `gate-disarmed` for an agent whose hooks no longer ask. */
  readonly arming: Pick<DisarmWatch, 'check'>;
  readonly limits: Limits;
  readonly hosts: Hosts;
  readonly engine: Engine;
  readonly ancestry: (pid: number) => Promise<readonly AncestorProcess[]>;
  readonly approver: Approver;
  readonly grants: Grants;
  readonly memory: Memory;
  /** What scripts held when they were allowed; absent: nothing is known. */
  readonly texts?: Pick<KeptTexts, 'compare'>;
  /** Programs of the person's choice that look at asks; absent: there are none. */
  readonly advisors?: Pick<Advisors, 'consult'>;
  /** What sessions have other than their agents; absent: nothing. */
  readonly overrides?: Pick<SessionOverrides, 'of'>;
  readonly tickets: Tickets<Permitted>;
  readonly audit: AuditLog;
  readonly events: SystemEvents;
  readonly undo: Pick<Undo, 'check' | 'before' | 'after'>;
  readonly inFlight: InFlight;
  /** Keeps what is masked up to date; absent: nothing is known. */
  readonly vault?: Pick<Vault, 'refresh'>;
  /** Holds requests for tools against their policies; absent: there are no such tools. */
  readonly broker?: Broker;
  /** The machines that are paired with this one; absent: there are none. */
  readonly nodes?: NodeNames;
  readonly log: Log;
}
