import { sessionLines } from '../../shared/wire/index.ts';
import type {
  HookAnswer,
  HookEvent,
  HookOutcome,
  HostAdapter,
  HostShell,
  RequestContext,
  SessionOverrideBody,
} from '../../shared/wire/index.ts';
import { isSessionCommand } from '../../shared/engine/index.ts';
import type { TrustClaims } from '../../shared/engine/index.ts';
import type { AgentHost } from '../../shared/agents/index.ts';
import { refusalOf } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import type { DisarmWatch } from '../lockout/disarm-watch.ts';
import { readMarker } from '../gate/boundary.ts';
import type { Gate } from '../gate/gate.ts';
import type { Arrival, PermitResult } from '../gate/request-context.ts';
import type { GateIo } from '../hosts/host.ts';
import type { OverrideCommand } from '../service/override-session.ts';

/** One call of a host's hook. */
interface HookCall extends Arrival {
  readonly host: AgentHost;
  readonly adapter: HostAdapter;
  /** Whose policy is asked for. */
  readonly agent: string;
  /** `elsewhere`: the host runs what is allowed, as it came. */
  readonly by: 'ticket' | 'elsewhere';
  /** For whom the host says that it works. */
  readonly claims?: TrustClaims;
  /** What the host wrote, as it came. */
  readonly input: unknown;
}

export interface HookPorts {
  readonly gate: Pick<Gate, 'permit'>;
  /** Told of each agent that asks through its host's hook, and where. */
  readonly arming: Pick<DisarmWatch, 'seen'>;
  readonly endSession: (
    call: Arrival & { readonly agent: string; readonly session: string },
  ) => void | Promise<void>;
  /** Carries out what was typed to an agent about its session; a person is asked about what loosens. */
  readonly overrideSession: (
    command: OverrideCommand,
    gone: AbortSignal,
  ) => Promise<SessionOverrideBody>;
  /** Throws where the process that tells what was typed comes from a command of this runner. */
  readonly mayTellOfPrompts: (pid: number | null) => Promise<void>;
  readonly now: () => number;
  /** The text that has the holder of a ticket run its command. */
  readonly redeemCommand: (ticket: string, shell: HostShell) => string;
}

/** Asks the gate in a host's name and answers in its words. Never rejects: every error is a refusal. */
export async function answerHook(
  call: HookCall,
  io: GateIo,
  ports: HookPorts,
): Promise<HookAnswer> {
  const outcome = await outcomeOf(call, io, ports).catch(refused);
  return call.adapter.answer(outcome, call.input);
}

async function outcomeOf(call: HookCall, io: GateIo, ports: HookPorts): Promise<HookOutcome> {
  const event = call.adapter.read(call.input);
  if (event.kind === 'command' || event.kind === 'tool') return decided(event, call, io, ports);
  if (event.kind === 'prompt') return typed(event, call, io, ports);
  if (event.kind === 'session-ended')
    await ports.endSession({ ...arrivalOf(call), agent: call.agent, session: event.session });
  return { kind: 'not-gated' };
}

/** What a host may keep to itself where it begins with a slash. */
const spelledOut = /^\s*interlock\s+(?=\/)/i;

/**
 * What was typed to the agent, where all of it is a command about the session: it goes no further, and
 * who typed it is told what holds then, or why it does not. That a person typed it nobody can prove,
 * so it can do no more than an agent that asks by itself.
 */
async function typed(
  event: Extract<HookEvent, { kind: 'prompt' }>,
  call: HookCall,
  io: GateIo,
  { overrideSession, mayTellOfPrompts, now }: HookPorts,
): Promise<HookOutcome> {
  const text = event.text.replace(spelledOut, '').trim();
  if (!isSessionCommand(text)) return { kind: 'not-gated' };
  try {
    await mayTellOfPrompts(call.peer?.pid ?? null);
    const { agent } = call;
    const { session } = event;
    const command = { ...arrivalOf(call), agent, session, text };
    const body = await overrideSession(command, io.gone);
    return { kind: 'answered', text: sessionLines(body, now()).join('\n') };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { kind: 'answered', text: refusalText(refusal) };
  }
}

async function decided(
  event: Extract<HookEvent, { kind: 'command' | 'tool' }>,
  call: HookCall,
  io: GateIo,
  { gate, arming, redeemCommand }: HookPorts,
): Promise<HookOutcome> {
  const context = { ...contextOf(event, call.agent), ...call.claims };
  arming.seen(call.agent, { host: call.host, folder: context.cwd });
  const arrival = arrivalOf(call);
  const redeem = (ticket: string): string => redeemCommand(ticket, call.adapter.shell);
  if (event.kind === 'tool') {
    const request = { ...context, ...event.call };
    const incoming = { kind: event.call.kind, request, ...arrival };
    const outcome = outcomeFrom(await gate.permit(incoming, io, 'elsewhere'), redeem);
    return outcome.kind === 'allowed' && event.asCommand !== undefined
      ? { kind: 'run-instead', command: event.asCommand }
      : outcome;
  }
  const by = call.adapter.rewrites ? call.by : 'elsewhere';
  const marked = by === 'ticket' ? readMarker(event.command) : null;
  const request =
    marked === null
      ? { ...context, command: event.command }
      : {
          ...context,
          command: marked.command,
          host: 'gateway',
          ...(marked.reason !== '' && { statedReason: marked.reason }),
        };
  return outcomeFrom(await gate.permit({ kind: 'exec', request, ...arrival }, io, by), redeem);
}

function contextOf(
  { context }: Extract<HookEvent, { kind: 'command' | 'tool' }>,
  agent: string,
): RequestContext {
  const { cwd, session, toolUseId, statedReason } = context;
  return {
    cwd,
    agent,
    ...(session === null ? {} : { session }),
    ...(toolUseId === null ? {} : { toolUseId }),
    ...(statedReason === null ? {} : { statedReason }),
  };
}

function arrivalOf({ peer, call }: HookCall): Arrival {
  return { peer, ...(call === undefined ? {} : { call }) };
}

function outcomeFrom(result: PermitResult, redeem: (ticket: string) => string): HookOutcome {
  if (!result.ok) return { kind: 'refused', text: refusalText(result.refusal) };
  if (result.ticket === null) return { kind: 'allowed' };
  return { kind: 'run-instead', command: redeem(result.ticket.ticket) };
}

function refused(error: unknown): HookOutcome {
  const refusal = refusalOf(error);
  if (refusal === undefined) throw error;
  return { kind: 'refused', text: refusalText(refusal) };
}

function refusalText({ code, message, hint }: Refusal): string {
  return hint === '' ? `${code}: ${message}` : `${code}: ${message} ${hint}`;
}
