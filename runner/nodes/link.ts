import { messageOf, readJson } from '../../shared/base/index.ts';
import type { Check } from '../../shared/base/index.ts';

/** The machine at the other end. The carrier has proof of it before a link is handed to anybody. */
export interface LinkPeer {
  /** Id of the node, or of the gateway: made of the key that it proved to have. */
  readonly id: string;
  readonly displayName: string;
  /** Where the connection comes from; null where the carrier knows of none. For people and `resolveNode`. */
  readonly remoteAddress: string | null;
}

/** Why a link is over. */
export interface LinkEnd {
  readonly code:
    'closed-here' | 'closed-by-peer' | 'lost' | 'bad-frame' | 'reader-failed' | 'backlog';
  /** One sentence. */
  readonly detail: string;
}

/**
 * A proven connection between a gateway and one node, whatever carries it. Frames arrive whole, in
 * order and checked, or not at all: with the end of the link, what was under way may be lost, so that
 * whoever needs it sends it again over the next one. A frame never says whom it is from: the link does.
 */
export interface NodeLink<In, Out> {
  readonly peer: LinkPeer;
  readonly isOpen: boolean;
  /** Sends one frame. False where it is not sent: the link is over, or is by now. Never throws. */
  send(frame: Out): boolean;
  /**
   * Sends these, one after another, each when the one before has left this machine: however many and
   * large they are, they are no backlog. What is sent meanwhile goes between them.
   */
  feed(frames: Iterable<Out>): void;
  /**
   * Sets the one reader; frames that came before wait for it. A reader that throws ends the link with
   * `reader-failed`: so does a record that cannot be kept, and no later frame is read.
   */
  onFrame(read: (frame: In) => void): void;
  /** Called once, however the link ended; at once where it is over already. */
  onClose(told: (end: LinkEnd) => void): void;
  /** Ends it; `why` is one sentence, which the other side may be told. A second call does nothing. */
  close(why: string): void;
}

/** What a carrier has to have: texts, each whole and in order, between two machines that are proven. */
export interface TextWire {
  /** `left` is called once the text has left this machine, or never will. */
  send(text: string, left?: () => void): void;
  /** What was sent and has not left yet, in bytes. */
  backlog(): number;
  close(why: string): void;
}

/** What the carrier tells. */
export interface WireEvents {
  text(text: string): void;
  over(end: LinkEnd): void;
}

export interface LinkOptions<In> {
  readonly peer: LinkPeer;
  /** Shape of what may come in. Anything else ends the link. */
  readonly check: Check<In>;
  readonly wire: TextWire;
}

/** Longest frame in UTF-8 bytes: an output of 200,000 signs fits, each of them escaped. */
export const maxFrameBytes = 2 * 1024 * 1024;
/** Most that may wait to be sent, and most that may wait for a reader. */
const maxBacklogBytes = 16 * 1024 * 1024;

/** A link over a carrier, and where the carrier tells what it receives. */
export function openLink<In, Out>(
  options: LinkOptions<In>,
): { readonly link: NodeLink<In, Out>; readonly events: WireEvents } {
  const link = new TextLink<In, Out>(options);
  return {
    link,
    events: { text: (text) => link.received(text), over: (end) => link.over(end) },
  };
}

class TextLink<In, Out> implements NodeLink<In, Out> {
  readonly peer: LinkPeer;
  readonly #check: Check<In>;
  readonly #wire: TextWire;
  readonly #told: ((end: LinkEnd) => void)[] = [];
  readonly #waiting: { readonly frame: In; readonly bytes: number }[] = [];
  #waitingBytes = 0;
  #read: ((frame: In) => void) | null = null;
  #ended: LinkEnd | null = null;
  #isReading = false;

  constructor({ peer, check, wire }: LinkOptions<In>) {
    this.peer = peer;
    this.#check = check;
    this.#wire = wire;
  }

  get isOpen(): boolean {
    return this.#ended === null;
  }

  send(frame: Out): boolean {
    return this.#send(frame);
  }

  feed(frames: Iterable<Out>): void {
    const left = frames[Symbol.iterator]();
    const next = (): void => {
      if (this.#ended !== null) return;
      const frame = left.next();
      if (frame.done !== true) this.#send(frame.value, next);
    };
    next();
  }

  #send(frame: Out, left?: () => void): boolean {
    if (this.#ended !== null) return false;
    const text = JSON.stringify(frame);
    const bytes = Buffer.byteLength(text);
    if (bytes > maxFrameBytes || this.#wire.backlog() + bytes > maxBacklogBytes) {
      this.#breakOff('backlog', 'The other machine takes up less than is sent to it.');
      return false;
    }
    this.#wire.send(text, left);
    // The carrier may have found out while it sent.
    return this.isOpen;
  }

  onFrame(read: (frame: In) => void): void {
    this.#read = read;
    this.#drain();
  }

  onClose(told: (end: LinkEnd) => void): void {
    if (this.#ended === null) this.#told.push(told);
    else told(this.#ended);
  }

  close(why: string): void {
    this.#breakOff('closed-here', why);
  }

  received(text: string): void {
    if (this.#ended !== null) return;
    const bytes = Buffer.byteLength(text);
    if (bytes > maxFrameBytes) {
      this.#breakOff('bad-frame', `A frame is longer than ${maxFrameBytes} bytes.`);
      return;
    }
    const checked = readJson(this.#check, text);
    if (!checked.ok) {
      this.#breakOff('bad-frame', `The other machine sent what is not a frame: ${checked.error}`);
      return;
    }
    if (this.#waitingBytes + bytes > maxBacklogBytes) {
      this.#breakOff('backlog', 'The other machine sends more than is taken up here.');
      return;
    }
    this.#waiting.push({ frame: checked.value, bytes });
    this.#waitingBytes += bytes;
    this.#drain();
  }

  over(end: LinkEnd): void {
    if (this.#ended !== null) return;
    this.#ended = end;
    this.#waiting.length = 0;
    for (const told of this.#told.splice(0)) told(end);
  }

  #breakOff(code: LinkEnd['code'], detail: string): void {
    if (this.#ended !== null) return;
    // First, so that nothing the carrier still tells is taken for a frame, or for another reason.
    this.over({ code, detail });
    this.#wire.close(detail);
  }

  /** A reader may replace itself, or end the link, in the middle of a frame: look again after each. */
  #drain(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#read !== null && this.#ended === null) {
        const next = this.#waiting.shift();
        if (next === undefined) break;
        this.#waitingBytes -= next.bytes;
        this.#read(next.frame);
      }
    } catch (error) {
      this.#breakOff('reader-failed', `What came could not be taken up: ${messageOf(error)}`);
    } finally {
      this.#isReading = false;
    }
  }
}
