import { displayPlain, readJson } from '../../shared/base/index.ts';
import type { Check, Clock } from '../../shared/base/index.ts';
import type { LinkEnd, TextWire, WireEvents } from './link.ts';

/** Why two machines did not come together. The codes are part of what they say to each other. */
export const rejectionCodes = [
  /** Not what is said at this point, or of another version. */
  'bad-frame',
  'version',
  /** Key, token or signature is not that of the one who is named. */
  'unproven',
  /** No such node, or one that was removed: only a new pairing helps. */
  'unknown',
  'removed',
  /** A person said no, or nobody said anything. */
  'declined',
  'too-slow',
  'busy',
  'lost',
] as const;
export type RejectionCode = (typeof rejectionCodes)[number];

/** An end of a handshake that is no success. The message is a sentence for a person. */
export class Rejection extends Error {
  readonly code: RejectionCode;

  constructor(code: RejectionCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Rejection';
    this.code = code;
  }

  /** Whether only a person can help, so that trying again brings nothing. */
  get isFinal(): boolean {
    return ['unknown', 'removed', 'unproven', 'version', 'declined'].includes(this.code);
  }
}

/** Longest frame before both sides are proven, in characters, and how many may wait to be read. */
const longestFrame = 4_096;
const mostWaiting = 2;

/** What two machines say in turns before either trusts the other: one frame asked for, one read. */
export interface Talk extends WireEvents {
  say(frame: object): void;
  /** The other side is proven: what it says from here on may be long, and waits for `handOver`. */
  trust(): void;
  /** The next frame. Rejects with a `Rejection`: another shape, no frame in time, the end of the line. */
  hear<T>(check: Check<T>, withinMs: number): Promise<T>;
  /** The talk is over; what comes from here on, and what came already, is for these. */
  handOver(events: WireEvents): void;
  /** Ends the line. */
  close(why: string): void;
  /** Aborted when the line is over, for whoever waits for a person meanwhile. */
  readonly gone: AbortSignal;
}

/** A talk over a carrier, which tells it what comes. */
export function createTalk(wire: TextWire, clock: Clock): Talk {
  const waiting: string[] = [];
  const gone = new AbortController();
  let listener: { hear(text: string): void; fail(error: Rejection): void } | null = null;
  let heir: WireEvents | null = null;
  let isTrusted = false;
  let failure: Rejection | null = null;

  const fail = (error: Rejection): void => {
    failure ??= error;
    waiting.length = 0;
    listener?.fail(failure);
    gone.abort(failure);
  };
  const breakOff = (error: Rejection): void => {
    fail(error);
    wire.close(error.message);
  };
  return {
    gone: gone.signal,
    text: (text) => {
      if (heir !== null) heir.text(text);
      else if (failure !== null) return;
      else if (!isTrusted && (text.length > longestFrame || waiting.length >= mostWaiting))
        breakOff(new Rejection('bad-frame', 'The other machine says more than it was asked.'));
      else if (listener === null) waiting.push(text);
      else listener.hear(text);
    },
    over: (end: LinkEnd) => {
      if (heir !== null) heir.over(end);
      else fail(new Rejection('lost', end.detail));
    },
    say: (frame) => {
      if (failure === null) wire.send(JSON.stringify(frame));
    },
    trust: () => {
      isTrusted = true;
    },
    hear: async (check, withinMs) => {
      const text = await new Promise<string>((resolve, reject: (error: Rejection) => void) => {
        if (failure !== null) return reject(failure);
        const next = waiting.shift();
        if (next !== undefined) return resolve(next);
        const cancel = clock.after(withinMs, () =>
          breakOff(new Rejection('too-slow', 'The other machine did not answer in time.')),
        );
        const settle = (): void => {
          cancel();
          listener = null;
        };
        listener = {
          hear: (heard) => (settle(), resolve(heard)),
          fail: (error) => (settle(), reject(error)),
        };
      });
      const checked = readJson(check, text);
      if (checked.ok) return checked.value;
      throw new Rejection(
        'bad-frame',
        `The other machine sent what is not a frame: ${checked.error}`,
      );
    },
    handOver: (events) => {
      heir = events;
      for (const text of waiting.splice(0)) events.text(text);
      if (failure !== null) events.over({ code: 'lost', detail: failure.message });
    },
    close: (why) => breakOff(new Rejection('lost', displayPlain(why))),
  };
}
