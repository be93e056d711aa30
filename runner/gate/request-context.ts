import type { Refusal } from '../../shared/base/index.ts';
import type {
  Advice,
  Analysis,
  Ask,
  CommandRequest,
  GivenAnswer,
  EffectivePolicy,
  ToolDetail,
  ToolKind,
  Trust,
  Verdict,
  SessionBox,
} from '../../shared/engine/index.ts';
import type { PeerCredentials } from '../../shared/ipc/index.ts';
import type { ExecRequest, ToolRequest } from '../../shared/wire/index.ts';
import type { AnswerProof, DecidedBy } from '../audit/rows.ts';
import type { GateIo, Host, RunOutcome, Starting } from '../hosts/host.ts';
import { sessionOf } from '../principals/callers.ts';
import type { ReceivedCall } from '../principals/callers.ts';
import type { Brokered } from '../tools/broker.ts';
import type { Binding } from './binding.ts';
import type { RequestInFlight } from './in-flight.ts';
import type { Captured } from './output.ts';
import type { Ticket } from './tickets.ts';

/** A request as an ingress hands it over. The kind is a field like any other. */
export type Incoming = ExecIncoming | ToolIncoming;

/** A command. */
export interface ExecIncoming extends Arrival {
  readonly kind: 'exec';
  readonly request: ExecRequest;
}

/** The use of a tool that the agent's host carries out. */
interface ToolIncoming extends Arrival {
  readonly kind: ToolKind;
  readonly request: ToolRequest;
}

/** How a request came in. */
export interface Arrival {
  /** The kernel's word on who asks; null where it could not be had. */
  readonly peer: PeerCredentials | null;
  /** The call as it was received, where it could carry a signature. */
  readonly call?: ReceivedCall;
  /**
   * Proves whose key signed it, where it came as no call: the agent's name. Asked once, and whatever
   * it throws is the refusal.
   */
  readonly prove?: () => Promise<string>;
  /** Whose command of ours it comes out of, by a way that is known to be that command's. */
  readonly within?: Identity;
  readonly starting?: Starting;
  /** The machine that passes it on, in the place of a peer. */
  readonly from?: Passing;
}

/** A request that another machine of the person's passes on: that machine is proven, its words are not. */
export interface Passing {
  /** Id of the gateway, made of the key that it proved to have. */
  readonly gateway: string;
  readonly displayName: string;
  /** Id of the request there. */
  readonly id: string;
  /** Whether the agent's name counts there. */
  readonly isNamed: boolean;
  /** Where asks about it may be answered, too; absent: nowhere. */
  readonly relay?: AskRelay;
}

/** A second place where a person may answer: the app of the machine that passed the request on. */
export interface AskRelay {
  /** Shows it there, too. Returns how it is taken back; null where it is not shown there. */
  raise(ask: Ask, events: RelayEvents): (() => void) | null;
}

/** What becomes of an ask there. One of the two is called, once, unless it was taken back before. */
export interface RelayEvents {
  /** A person there has answered, for this once; `by` says on which machine, and how. */
  readonly answered: (answer: {
    readonly said: 'yes' | 'no';
    readonly by: string;
    readonly note?: string;
  }) => void;
  /** No answer comes from there any more. `wasShown`: somebody had it in front of them. */
  readonly ended: (wasShown: boolean) => void;
}

/** Who asks. */
export interface Identity {
  /** Whose policy holds; `*` for a name that does not count. */
  readonly agent: string;
  /** The name that was given and does not count; it may still tighten. Null otherwise. */
  readonly claimed: string | null;
  readonly session: string | null;
  readonly uid: number;
  readonly pid: number | null;
  /** How far, and why. */
  readonly trust: Trust;
}

/** Where it is to run. */
export interface Target {
  readonly host: Host;
  /** Set where the decision says on which host it runs, and what the request wants of that. */
  readonly unsettled?: 'auto' | 'sandbox';
  /** Then: what goes on in the sandbox of its session; absent where nothing does. */
  readonly box?: SessionBox;
  /** Name of the node, for host `node`; as it stands in events. */
  readonly node: string | null;
  /** Its id. */
  readonly nodeId?: string;
}

/** What was asked for, understood as far as it can be. */
export interface Understood {
  /** With the real path of the working directory. */
  readonly command: CommandRequest;
  /** As a person reads it. */
  readonly text: string;
  /** What else a person should see: a diff, the input of a tool. */
  readonly detail: ToolDetail | null;
  readonly analysis: Analysis;
}

/** A yes, and where it came from. */
export interface Permission {
  /** `rule-allow`, `security-full`, `allow-once`, `allow-always`, `grant`, … */
  readonly code: string;
  readonly by: DecidedBy;
  readonly reason: string;
  readonly proof?: AnswerProof;
}

/** How a request ended, for ingresses that do not stream. */
export type GateResult =
  | {
      readonly ok: true;
      readonly id: string;
      readonly outcome: RunOutcome;
      readonly durationMs: number;
      readonly output: Captured;
    }
  | Refused;

export interface Refused {
  readonly ok: false;
  readonly id: string;
  readonly refusal: Refusal;
}

/** How a request ended that was only to be decided. */
export type PermitResult =
  | {
      readonly ok: true;
      readonly id: string;
      readonly permission: Permission;
      /** Null where the agent's host carries it out. */
      readonly ticket: Ticket | null;
    }
  | Refused;

/**
 * What is known of a request so far: the one record that goes from step to step. Each step adds what
 * it found out; the log and the report read whatever is there when the way ends.
 */
export interface RequestContext {
  readonly id: string;
  /** When it came in, in milliseconds since the epoch. */
  readonly at: number;
  readonly incoming: Incoming;
  /** As the runner knows it: those of other users carry the user in front. */
  readonly session: string | null;
  readonly identity?: Identity;
  readonly target?: Target;
  /** Who carries it out, and how; absent: the runner, at once. */
  readonly by?: 'here' | 'ticket' | 'elsewhere';
  readonly policy?: EffectivePolicy;
  readonly understood?: Understood;
  /** Why what it would change in the sandbox could not be taken back; absent where it can. */
  readonly unkept?: string;
  /** What the policy of a brokered tool says; absent where it is none. */
  readonly brokered?: Brokered;
  readonly verdict?: Verdict;
  /** What an advisor said of the ask; absent where none was asked. */
  readonly advice?: Advice;
  /** Who said no, where it was neither the policy nor a person. */
  readonly deniedBy?: 'advisor';
  /** Who said what when people were asked; absent: nobody was. */
  readonly answers?: readonly GivenAnswer[];
  /** What those had signed who were asked before the last. */
  readonly earlier?: readonly AnswerProof[];
  readonly binding?: Binding;
  readonly permission?: Permission;
  /** The yes stands in the log: from here on an outcome has to follow. */
  readonly recorded?: true;
  /** When the command was started, or may have been. */
  readonly startedAt?: number;
  /** Nobody can know whether it ran, or how far. */
  readonly isUncertain?: true;
}

/** The context once these are known. */
export type Known<K extends keyof RequestContext> = RequestContext & {
  readonly [Key in K]-?: NonNullable<RequestContext[Key]>;
};

/** Who asks is known. */
export type Identified = Known<'identity'>;
/** What it means and where it would run is known too. */
export type Analysed = Known<'identity' | 'target' | 'policy' | 'understood'>;
/** The rules were asked, and what they were asked about was taken down. */
export type Decided = Analysed & Known<'verdict' | 'binding'>;
/** It may be carried out, once, as it was looked at. */
export type Permitted = Decided & Known<'permission'>;

/** One call under way: the request in its place among the others, and whoever waits for the answer. */
export interface Call {
  readonly flight: RequestInFlight;
  readonly io: GateIo;
}

/** Adds to the context what a step found out. It stays the same record. */
export function learn<C extends RequestContext, F extends Partial<RequestContext>>(
  context: C,
  found: F,
): C & F {
  return Object.assign(context, found);
}

/** The context of a request that has just come in. */
export function openContext(
  { id, at, owner }: { readonly id: string; readonly at: number; readonly owner: number },
  incoming: Incoming,
): RequestContext {
  const { within } = incoming;
  const session = within === undefined ? sessionIn(incoming, owner) : within.session;
  return { id, at, incoming, session };
}

/** The session by the name that the runner knows it by: those of other machines carry theirs in front. */
export function sessionIn({ request, peer, from }: Incoming, owner: number): string | null {
  if (from === undefined || request.session === undefined)
    return sessionOf(request.session, { caller: peer?.uid ?? null, owner });
  return `${from.gateway.slice(0, 16)}/${request.session}`;
}
