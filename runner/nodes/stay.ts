import { displayPlain } from '../../shared/base/index.ts';
import type { Check, Clock } from '../../shared/base/index.ts';
import { keepTrying } from '../limits/keep-trying.ts';
import { deviceId } from './device.ts';
import { joinGateway } from './handshake.ts';
import type { NodeState } from './handshake.ts';
import type { Dialled } from './dial.ts';
import type { NodeLink } from './link.ts';
import type { KeptNode } from './node-file.ts';
import { openSession } from './session.ts';
import type { Reporter } from './session.ts';
import { Rejection } from './talk.ts';

/** How this machine stands with its gateway. */
export interface Standing {
  readonly connected: boolean;
  /** Since when that is so, in milliseconds since the epoch. */
  readonly since: number;
  /** Why it is not connected, as a sentence; null where it is, or was not tried yet. */
  readonly problem: string | null;
  /** Nothing is tried any more: a person has to help. */
  readonly given: boolean;
}

export interface StayOptions<In, Out> {
  readonly node: KeptNode;
  /** Its key, which it has to prove, and where it is; null where no address leads to it. */
  readonly gateway: { readonly key: string; readonly address: string | null };
  /** After which rejections only a person can help. */
  readonly isFinal: (rejection: Rejection) => boolean;
  readonly dial: (signal: AbortSignal) => Promise<Dialled>;
  readonly clock: Clock;
  readonly nonce: () => string;
  /** From 0 up to 1: spreads the attempts of many nodes. */
  readonly random: () => number;
  readonly check: Check<In>;
  readonly state: () => NodeState;
  /** What it reports to the gateway, beside that. */
  readonly reporter?: Reporter;
  readonly onLink: (link: NodeLink<In, Out>) => void;
  /** What the gateway says of itself, with each of its signs of life. */
  readonly onState?: (state: NodeState) => void;
  readonly onStanding: (standing: Standing) => void;
  readonly signal: AbortSignal;
}

const firstMs = 1_000;
const longestMs = 60_000;
/** A connection that has stood for so long went well. */
const wellMs = 60_000;

/**
 * Keeps this machine connected to its gateway until the signal, with waits between attempts that grow
 * and are not the same for two machines. Resolves, too, where only a person can help. Never rejects.
 */
export async function stayAtGateway<In, Out>(options: StayOptions<In, Out>): Promise<void> {
  const { clock, random, signal, onStanding } = options;
  const stand = (connected: boolean, problem: string | null, given = false): void =>
    onStanding({ connected, problem, given, since: clock.now() });
  await keepTrying({
    clock,
    random,
    signal,
    firstMs,
    longestMs,
    attempt: async (wentWell) => {
      try {
        const detail = await connectOnce(options, wentWell, () => stand(true, null));
        if (!signal.aborted) stand(false, displayPlain(detail));
        return 'again';
      } catch (error) {
        const isFinal = error instanceof Rejection && options.isFinal(error);
        const why = error instanceof Error ? error.message : 'The connection failed.';
        stand(false, displayPlain(why), isFinal);
        return isFinal ? 'over' : 'again';
      }
    },
  });
}

/** One connection, from its first word to its end. Resolves with why it ended. */
async function connectOnce<In, Out>(
  options: StayOptions<In, Out>,
  wentWell: () => void,
  isUp: () => void,
): Promise<string> {
  const { node, gateway, clock, nonce, check, state, onLink, onState, reporter, signal } = options;
  const { talk, wire, channel } = await options.dial(signal);
  const { token } = node.file;
  const stop = (): void => talk.close('This machine is stopping.');
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) stop();
    const side = { device: node.device, channel, nonce, state: state(), gateway, token };
    const { displayName } = await joinGateway(talk, side);
    const peer = { id: deviceId(gateway.key), displayName, remoteAddress: gateway.address };
    const link = openSession<In, Out>({
      talk,
      wire,
      clock,
      check,
      state,
      peer,
      ...(onState && { onState }),
      ...(reporter && { reporter }),
    });
    const leave = (): void => link.close('This machine is stopping.');
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    isUp();
    // Not at once: two machines with the same key would end each other's connection for ever.
    const cancel = clock.after(wellMs, wentWell);
    const ended = new Promise<string>((resolve) => {
      link.onClose(({ detail }) => {
        cancel();
        signal.removeEventListener('abort', leave);
        resolve(detail);
      });
    });
    try {
      onLink(link);
    } catch (error) {
      link.close('This machine could not take the connection up.');
      throw error;
    }
    return await ended;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
