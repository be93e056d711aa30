import type { Socket } from 'node:net';
import { createTokenBucket } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';

type End = Pick<
  Socket,
  'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort' | 'destroy' | 'once'
>;

/** The connections of a listener that have not shown yet who they are. */
export interface Newcomers {
  /** Lets one in, in the place of another where there is no room; false: it was cut off. */
  admit(socket: End): boolean;
  /** It holds a page now: nobody takes its place. */
  keep(socket: Pick<End, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>): void;
  /** Somebody at this address has just shown who they are. */
  know(address: string): void;
}

interface Waiting {
  readonly socket: End;
  readonly address: string;
  readonly own: boolean;
}

interface NewcomersOptions {
  readonly clock: Pick<Clock, 'elapsed'>;
  /** At once. */
  readonly most: number;
  /** How many may come from addresses that are not known; absent: as many as there are. */
  readonly rate?: { readonly burst: number; readonly perSecond: number };
}

/** A phone has two addresses, in one family each; and a few devices there are. */
const mostKnown = 32;
/** What one known address has for itself. A page on it wants four. */
const mostOfKnown = 8;

/**
 * Nobody has to prove anything to connect, and one neighbour can have as many addresses as they like.
 * So whoever comes is let in, and the one goes that has waited longest at the address with the most;
 * what a known address has for itself is not taken for those that are not.
 */
export function createNewcomers({ clock, most, rate }: NewcomersOptions): Newcomers {
  // In the order in which they came. `own`: in the room of a known address.
  const waiting = new Map<string, Waiting>();
  let known: readonly string[] = [];
  const mayCome = rate === undefined ? () => true : createTokenBucket(clock, rate);
  const hasOwnRoom = (address: string): boolean =>
    known.includes(address) &&
    [...waiting.values()].filter((one) => one.own && one.address === address).length < mostOfKnown;
  const makeRoom = (): void => {
    const shared = [...waiting].filter(([, { own }]) => !own);
    if (shared.length < most) return;
    const [id, gone] = longestAtFullest(shared);
    waiting.delete(id);
    gone.socket.destroy();
  };
  return {
    admit: (socket) => {
      const { remoteAddress: address = '' } = socket;
      const own = hasOwnRoom(address);
      if (!own && !mayCome()) {
        socket.destroy();
        return false;
      }
      if (!own) makeRoom();
      const id = idOf(socket);
      waiting.set(id, { socket, address, own });
      socket.once('close', () => {
        if (waiting.get(id)?.socket === socket) waiting.delete(id);
      });
      return true;
    },
    keep: (socket) => void waiting.delete(idOf(socket)),
    know: (address) => {
      known = [...known.filter((one) => one !== address), address].slice(-mostKnown);
    },
  };
}

/** Of a list that is not empty, oldest first: the oldest of the address that has the most of it. */
function longestAtFullest(list: readonly (readonly [string, Waiting])[]) {
  const counts = new Map<string, number>();
  for (const [, { address }] of list) counts.set(address, (counts.get(address) ?? 0) + 1);
  const fullest = Math.max(...counts.values());
  return list.find(([, { address }]) => counts.get(address) === fullest) as (typeof list)[number];
}

/** The same of a socket and of the TLS on it. */
function idOf({
  remoteAddress = '',
  remotePort = 0,
  localAddress = '',
  localPort = 0,
}: Pick<End, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ');
}
