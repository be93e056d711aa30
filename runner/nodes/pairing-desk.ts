import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { whyMisnamed } from './binding.ts';
import { personMs, tokenHash } from './handshake.ts';
import type { PairingOffer } from './handshake.ts';
import type { NodeEntry, NodeRegistry } from './registry.ts';
import { Rejection } from './talk.ts';

/** A machine that waits for a person to compare its code. */
export interface WaitingPairing extends Omit<PairingOffer, 'key'> {
  readonly address: string | null;
  readonly since: number;
  readonly expiresAt: number;
  /** It was paired before, and has the same key still. */
  readonly isKnown: boolean;
}

export interface PairingDesk {
  list(): readonly WaitingPairing[];
  /**
   * Resolves with the new token when a person approves. Rejects with a `Rejection`, at once for a name
   * that would be taken for another machine.
   */
  offer(
    offer: PairingOffer,
    from: { readonly address: string | null; readonly gone: AbortSignal },
  ): Promise<string>;
  /**
   * Lets the machine in that shows this code. Throws `invalid-request` where none does, and where its
   * name would by now be taken for another machine, which sends it away.
   */
  approve(code: string): NodeEntry;
  /** Sends it away. */
  decline(code: string): void;
  /** Takes back what the machine did not keep. */
  withdraw(offer: PairingOffer, token: string): void;
}

/** Machines that may wait at once, in all and from one address: a list that a person can read. */
const mostWaiting = 8;
const mostFromOne = 2;

interface Seat {
  readonly shown: WaitingPairing;
  readonly key: string;
  readonly take: (token: string) => void;
  readonly leave: (rejection: Rejection) => void;
}

interface DeskOptions {
  readonly clock: Clock;
  /** 32 fresh bytes, base64url. */
  readonly newToken: () => string;
  readonly registry: Pick<NodeRegistry, 'approve' | 'find' | 'list' | 'withdraw'>;
}

/** Where machines wait to be paired. */
export function createPairingDesk(options: DeskOptions): PairingDesk {
  const { clock, newToken, registry } = options;
  const seats = new Map<string, Seat>();
  const seatOf = (code: string): Seat => {
    const seat = seats.get(normalizedCode(code));
    if (seat !== undefined) return seat;
    throw refuse(
      'invalid-request',
      'No machine waits with this code.',
      'Compare it with the one that the other machine shows, letter by letter; it holds ten minutes.',
    );
  };
  return {
    list: () => [...seats.values()].map(({ shown }) => shown),
    offer: async (offer, from) => {
      // The same machine again: its first attempt is over, whatever became of it.
      for (const { shown, leave } of seats.values())
        if (shown.id === offer.id)
          leave(new Rejection('declined', 'This machine began to pair anew.'));
      const fromOne = [...seats.values()].filter(({ shown }) => shown.address === from.address);
      if (seats.size >= mostWaiting || fromOne.length >= mostFromOne || seats.has(offer.code))
        throw new Rejection('busy', 'Too many machines wait to be paired. Try again later.');
      const misnamed = misnamedIn(registry, offer, from.address);
      if (misnamed !== null) throw new Rejection('declined', misnamed);
      return sit(offer, from, { ...options, seats });
    },
    approve: (code) => {
      const { shown, key, take, leave } = seatOf(code);
      const { id, displayName, version, policyHash, address: lastAddress } = shown;
      const misnamed = misnamedIn(registry, shown, lastAddress);
      if (misnamed !== null) {
        leave(new Rejection('declined', misnamed));
        throw refuse('invalid-request', misnamed, 'Pair it anew, by another name.');
      }
      const token = newToken();
      const known = { id, displayName, key, version, policyHash, lastAddress };
      // Later than the one before, though the clock was put back: that is how pairings are told apart.
      const pairedAt = Math.max(clock.now(), (registry.find(id)?.pairedAt ?? -1) + 1);
      registry.approve({ ...known, tokenHash: tokenHash(token), pairedAt });
      take(token);
      const node = registry.find(id);
      if (node === null) throw new Error('what was approved is in the registry');
      return node;
    },
    decline: (code) =>
      seatOf(code).leave(
        new Rejection('declined', 'A person at the gateway declined the pairing.'),
      ),
    withdraw: ({ id }, token) => registry.withdraw(id, tokenHash(token)),
  };
}

/** Why it may not be paired under its name, for its person; null where it may. */
function misnamedIn(
  registry: Pick<NodeRegistry, 'list'>,
  { id, displayName }: Pick<PairingOffer, 'id' | 'displayName'>,
  remoteAddress: string | null,
): string | null {
  const paired = registry.list().filter(({ state }) => state === 'approved');
  const others = paired.map((node) => ({ ...node, remoteAddress: node.lastAddress }));
  const why = whyMisnamed({ id, displayName, remoteAddress }, others);
  return why === null ? null : `${why} Pair it by another name (--name).`;
}

/** Has a machine wait: until it is let in or sent away, goes away itself, or was there for too long. */
async function sit(
  { key, ...offer }: PairingOffer,
  { address, gone }: { readonly address: string | null; readonly gone: AbortSignal },
  { clock, registry, seats }: DeskOptions & { readonly seats: Map<string, Seat> },
): Promise<string> {
  const since = clock.now();
  return new Promise((resolve, reject: (rejection: Rejection) => void) => {
    const leave = (rejection: Rejection): void => {
      settle();
      reject(rejection);
    };
    const cancel = clock.after(personMs, () =>
      leave(new Rejection('declined', 'Nobody approved the pairing in time.')),
    );
    const lost = (): void => leave(new Rejection('lost', 'The machine went away.'));
    const settle = (): void => {
      cancel();
      gone.removeEventListener('abort', lost);
      seats.delete(offer.code);
    };
    const isKnown = registry.find(offer.id) !== null;
    seats.set(offer.code, {
      shown: { ...offer, address, since, expiresAt: since + personMs, isKnown },
      key,
      take: (token) => (settle(), resolve(token)),
      leave,
    });
    gone.addEventListener('abort', lost);
    if (gone.aborted) lost();
  });
}

/** As people type it: in small letters, with or without the hyphen, with letters that look alike. */
export function normalizedCode(typed: string): string {
  const letters = typed
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/gu, '1');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
