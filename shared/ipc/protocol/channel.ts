import { checkSealed } from '../../wire/index.ts';
import type { Direction, SealedFrame } from '../../wire/index.ts';
import { createTokenBucket } from '../../base/index.ts';
import type { Check, TokenBucket } from '../../base/index.ts';
import type { Duplex } from '../transport/duplex.ts';
import { breachOf } from './violation.ts';
import type { Context } from './context.ts';
import { frameMac, sameMac } from '../macs.ts';
import { parseObject, requireTyped, requireValid } from './violation.ts';
import type { SessionEnd } from './context.ts';
import { ViolationError } from './violation.ts';

interface ChannelOptions<In> {
  readonly context: Context;
  readonly key: Uint8Array;
  /** Our own side. */
  readonly direction: Direction;
  /** The bodies that the peer may send, by type. */
  readonly checks: Readonly<Record<string, Check<In>>>;
  /** One body and its exact text. Throws a `ViolationError` when it breaks the protocol. */
  readonly onBody: (body: In, text: string) => void;
}

/** Signed, counted, timed frames over a duplex, after the handshake. */
export class Channel<In> {
  readonly #duplex: Duplex;
  readonly #options: ChannelOptions<In>;
  readonly #closed: ((end: SessionEnd) => void)[] = [];
  readonly #mayFrame: TokenBucket;
  #started = false;
  #sent = 0;
  #received = 0;
  #lastHeard: number;
  #end: SessionEnd | null = null;
  #stopPing: () => void = () => {};

  constructor(duplex: Duplex, options: ChannelOptions<In>) {
    const { clock, limits } = options.context;
    this.#duplex = duplex;
    this.#options = options;
    this.#lastHeard = clock.elapsed();
    this.#mayFrame = createTokenBucket(clock, {
      burst: limits.burst,
      perSecond: limits.framesPerSecond,
    });
    this.#schedulePing();
    duplex.onClose((reason) => {
      const breach = breachOf(reason);
      if (breach === null) this.#finish(reason);
      else this.#fail(breach);
    });
    duplex.onEnd(() => {
      this.#finish({ code: 'closed-by-peer', detail: 'The peer ended the session.' });
      duplex.end();
    });
  }

  /**
   * Starts to read, once this turn is over. A session calls it when its first callback is set, so
   * that nothing is read before there is somebody to hear it.
   */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    queueMicrotask(() => {
      this.#duplex.onLine((line) => {
        this.#receive(line);
      });
    });
  }

  get open(): boolean {
    return this.#end === null;
  }

  /** Sends the JSON text of a body. False, and nothing is sent, when its frame would be too long. */
  send(body: string): boolean {
    if (this.#end !== null) return false;
    const { context, direction, key } = this.#options;
    const unsigned = { seq: this.#sent + 1, ts: context.clock.now(), body };
    const frame: SealedFrame = { ...unsigned, mac: frameMac(key, direction, unsigned) };
    const line = JSON.stringify(frame);
    if (Buffer.byteLength(line) > context.limits.maxFrameBytes) return false;
    this.#sent += 1;
    this.#duplex.send(line);
    return true;
  }

  onClose(closed: (end: SessionEnd) => void): void {
    if (this.#end === null) this.#closed.push(closed);
    else closed(this.#end);
  }

  dispose(): void {
    this.#finish({ code: 'closed-here', detail: 'This side ended the session.' });
    this.#duplex.end();
  }

  #receive(line: string): void {
    if (this.#end !== null) return;
    try {
      const { body, text } = this.#opened(line);
      this.#lastHeard = this.#options.context.clock.elapsed();
      this.#options.onBody(body, text);
    } catch (error) {
      if (!(error instanceof ViolationError)) throw error;
      this.#fail(error);
    }
  }

  /** The mac is checked before anything else in the frame is believed. */
  #opened(line: string): { readonly body: In; readonly text: string } {
    const { checks, context, direction, key } = this.#options;
    const { clock, limits } = context;
    if (!this.#mayFrame()) {
      throw new ViolationError('rate-exceeded', 'The peer sends frames faster than is allowed.');
    }
    if (Buffer.byteLength(line) > limits.maxFrameBytes) {
      throw new ViolationError('frame-too-long', 'A frame is longer than is allowed.');
    }
    const frame = requireValid(checkSealed, parseObject(line));
    const sender: Direction = direction === 'runner' ? 'approver' : 'runner';
    if (!sameMac(frame.mac, frameMac(key, sender, frame))) {
      throw new ViolationError('bad-mac', 'A frame is not signed with the key of this session.');
    }
    if (frame.seq !== this.#received + 1) {
      throw new ViolationError('bad-sequence', 'A frame was repeated, skipped or out of order.');
    }
    if (Math.abs(clock.now() - frame.ts) > limits.maxSkewMs) {
      throw new ViolationError('stale-timestamp', 'A frame is too old, or from the future.');
    }
    this.#received = frame.seq;
    return { body: requireTyped(checks, parseObject(frame.body)), text: frame.body };
  }

  #schedulePing(): void {
    const { clock, limits } = this.#options.context;
    this.#stopPing = clock.after(limits.pingEveryMs, () => {
      if (this.#end !== null) return;
      if (clock.elapsed() - this.#lastHeard > limits.silenceMs) {
        this.#fail(new ViolationError('peer-silent', 'The peer fell silent.'));
        return;
      }
      this.send('{"type":"ping"}');
      this.#schedulePing();
    });
  }

  #fail(error: ViolationError): void {
    if (this.#end !== null) return;
    this.#options.context.onViolation(error.violation);
    this.#finish(error.violation);
    this.#duplex.destroy();
  }

  #finish(end: SessionEnd): void {
    if (this.#end !== null) return;
    this.#end = { code: end.code, detail: end.detail };
    this.#stopPing();
    for (const closed of this.#closed.splice(0)) closed(this.#end);
  }
}
