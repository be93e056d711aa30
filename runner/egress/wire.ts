import type { Socket } from 'node:net';
import type { Clock, Refusal } from '../../shared/base/index.ts';
import type { RawHeaders } from '../../shared/engine/index.ts';
import { badRequest, endWith, endSoon } from './answers.ts';
import {
  BodyReader,
  headEnd,
  mayBecomeRequest,
  mostOfRequest,
  readRequestHead,
} from './message.ts';
import type { RequestHead } from './message.ts';
import { Outlet } from './outlet.ts';
import type { Permission } from './permit.ts';
import type { Who } from './ports.ts';
import type { Upstreams } from './upstream.ts';

const nothing = Buffer.alloc(0);
/** Bytes that a client may send ahead of what is under way. */
const mostAhead = 64 * 1024;
const keepAliveMs = 60_000;

/** Who takes the body of a request. */
export interface BodySink {
  /** Pieces of the body as they come; with trailers, mostly none of them, where it ends. */
  body(pieces: readonly Buffer[], trailers: RawHeaders | null): void;
  /** It cannot be read, or has stopped coming. */
  bodyFailed(refusal: Refusal): void;
}

export interface WireOptions {
  readonly who: Who;
  /** The tunnel that the requests come through, where it is looked into; null for plain requests. */
  readonly tunnel: Permission | null;
  readonly upstreams: Upstreams;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly headersMs: number;
  readonly bodyMs: number;
  /** Takes a request; the next one is read when its answer is done. */
  readonly asked: (wire: Wire, head: RequestHead) => void;
  /** Is told of a fault of ours. */
  readonly failed: (error: unknown) => void;
}

/**
 * One connection of a client, as far as requests on it are read: one after another, whatever the client
 * sends ahead. Anything that is no strict HTTP/1.1 ends it.
 */
export class Wire {
  readonly socket: Socket;
  readonly who: Who;
  readonly tunnel: Permission | null;
  /** Ways that plain requests on it have taken, by target. */
  readonly ways = new Map<string, Promise<Permission>>();
  /** Connections to servers belong to one client's connection and to no other. */
  readonly upstreams: Upstreams;
  readonly outlet: Outlet;
  readonly #options: WireOptions;
  readonly #gone = new AbortController();
  #held: Buffer = nothing;
  #isAsking = false;
  #isHandedOver = false;
  #isTunnel = false;
  /** Of the request under way, until all of it was read. */
  #body: BodyReader | null = null;
  #sink: BodySink | null = null;
  #drained: (() => void) | null = null;
  /** When it has waited long enough, on the clock; Infinity while it is not its turn. */
  #lateAt: number;

  constructor(socket: Socket, options: WireOptions) {
    this.socket = socket;
    this.#options = options;
    this.who = options.who;
    this.tunnel = options.tunnel;
    this.upstreams = options.upstreams;
    this.outlet = new Outlet(socket);
    this.#lateAt = options.clock.elapsed() + options.headersMs;
    socket.on('data', this.#take);
    socket.on('end', this.#end);
    socket.on('drain', this.#drain);
    socket.once('close', () => {
      this.#gone.abort();
      this.#lateAt = Infinity;
      this.upstreams.close();
      for (const way of this.ways.values()) way.then((one) => one.end(0, 0)).catch(() => {});
    });
  }

  /** Aborted when the client has left. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Whether the body of the request under way has still to come. */
  get isReading(): boolean {
    return this.#body !== null;
  }

  /** Gives on the body of the request under way, what has come of it first. */
  readBody(sink: BodySink): void {
    if (this.#body === null) return;
    this.#sink = sink;
    this.#lateAt = this.#options.clock.elapsed() + this.#options.bodyMs;
    const held = this.#held;
    this.#held = nothing;
    if (held.length > 0) this.#feed(held);
    if (!this.#isHandedOver) this.socket.resume();
  }

  /** Has the client wait until `go`; it is not late meanwhile. */
  hold(): void {
    this.socket.pause();
    this.#lateAt = Infinity;
  }

  go(): void {
    if (this.#body !== null) this.#lateAt = this.#options.clock.elapsed() + this.#options.bodyMs;
    this.socket.resume();
  }

  /** Calls back once when the client has taken what waits for it. */
  onDrained(then: () => void): void {
    this.#drained = then;
  }

  /** The answer is complete: what the client has sent ahead is the next request. */
  done(isLast: boolean): void {
    this.outlet.flush();
    this.#drained = null;
    if (isLast || this.#body !== null) {
      const isRead = this.#isRead();
      this.handOver();
      if (isRead) this.socket.destroySoon();
      else endSoon(this.socket);
      return;
    }
    this.#isAsking = false;
    this.#lateAt = this.#options.clock.elapsed() + keepAliveMs;
    if (this.#held.length > 0) this.#look(0, true);
    if (!this.#isAsking) this.socket.resume();
  }

  /** Answers with a refusal, and ends. */
  refuse(refusal: Refusal, status?: number): void {
    if (this.socket.destroyed) return;
    const isRead = this.#isRead();
    this.handOver();
    this.outlet.flush();
    endWith(this.socket, refusal, status);
    if (isRead) this.socket.destroySoon();
  }

  /** Whether all that a client is known to send has come: what came later would break off the answer. */
  #isRead(): boolean {
    return this.#isAsking && !this.#isTunnel && this.#body === null && this.#held.length === 0;
  }

  /** Reads no more from it; the answer is what was not read. Whoever takes it on listens to it. */
  handOver(): Buffer {
    this.#isHandedOver = true;
    this.#lateAt = Infinity;
    this.#sink = null;
    this.socket.pause();
    this.socket.off('data', this.#take);
    this.socket.off('end', this.#end);
    this.socket.off('drain', this.#drain);
    const held = this.#held;
    this.#held = nothing;
    return held;
  }

  /** Ends it where it has been waited for too long. */
  endIfLate(now: number): void {
    if (now < this.#lateAt) return;
    if (this.#sink !== null)
      this.#sink.bodyFailed(badRequest('Its body has stopped coming.').refusal);
    else if (this.#held.length === 0) this.socket.destroy();
    else this.refuse(badRequest('Its headers did not come in time.').refusal);
  }

  readonly #drain = (): void => {
    const then = this.#drained;
    this.#drained = null;
    then?.();
  };

  /** Who sends no more does not wait for an answer either. */
  readonly #end = (): void => void this.socket.destroy();

  readonly #take = (chunk: Buffer): void => {
    try {
      this.#read(chunk);
    } catch (error) {
      // A fault of ours ends this one connection, and nothing else of the runner.
      this.socket.destroy();
      this.#options.failed(error);
    }
  };

  #read(chunk: Buffer): void {
    if (this.#sink !== null) return this.#feed(chunk);
    const before = this.#held.length;
    this.#held = before === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    if (!this.#isAsking) this.#look(before, false);
    else if (this.#held.length > mostAhead) this.socket.pause();
  }

  /** Looks for a request in what has come; ahead, if it came before the last one had its answer. */
  #look(before: number, isAhead: boolean): void {
    const bytes = this.#held;
    const end = headEnd(bytes, before);
    const length = end === -1 ? bytes.length : end;
    if (length > mostOfRequest)
      return this.refuse(badRequest('Its headers are too large.').refusal);
    if (end === -1) {
      if (!mayBecomeRequest(bytes, before))
        return this.refuse(badRequest('It is not HTTP/1.1.').refusal);
      const { clock, headersMs } = this.#options;
      if (before === 0) this.#lateAt = clock.elapsed() + headersMs;
      return;
    }
    const head = readRequestHead(bytes.toString('latin1', 0, end));
    if (typeof head === 'string') return this.refuse(badRequest(head).refusal);
    this.#isTunnel = head.method === 'CONNECT';
    // Who asks for a tunnel waits for it: else an answer is taken for what comes out of the tunnel.
    if (this.#isTunnel && isAhead) return void this.socket.destroy();
    this.#held = end === bytes.length ? nothing : bytes.subarray(end);
    this.#isAsking = true;
    this.#lateAt = Infinity;
    this.#body = head.framing === 0 ? null : new BodyReader(head.framing);
    this.#options.asked(this, head);
  }

  #feed(chunk: Buffer): void {
    const body = this.#body;
    const sink = this.#sink;
    if (body === null || sink === null) return;
    const pieces: Buffer[] = [];
    let next: number;
    try {
      next = body.read(chunk, pieces);
    } catch {
      return sink.bodyFailed(badRequest('Its chunks cannot be read.').refusal);
    }
    if (next === -1) {
      this.#lateAt = this.#options.clock.elapsed() + this.#options.bodyMs;
      return sink.body(pieces, null);
    }
    this.#body = null;
    this.#sink = null;
    this.#lateAt = Infinity;
    if (next < chunk.length) this.#held = chunk.subarray(next);
    sink.body(pieces, body.trailers);
  }
}
