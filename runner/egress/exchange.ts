import type { Refusal } from '../../shared/base/index.ts';
import { isForwardedTrailer, returnedHeaders } from '../../shared/engine/index.ts';
import type { RawHeaders } from '../../shared/engine/index.ts';
import { asRefusal, upstreamGone } from './answers.ts';
import type { AnswerHead, RequestHead } from './message.ts';
import type { BodyMask, Reflections } from './reflect.ts';
import { join, joinMasked } from './tunnel.ts';
import type { AnswerSink, Upstream } from './upstream.ts';
import type { BodySink, Wire } from './wire.ts';

/** What is known of a request once it may be sent. */
export interface Sending {
  /** All of its head, as it goes out. */
  readonly text: string;
  readonly upstream: Upstream;
  readonly reflections: Reflections | null;
  /** Names of trailers that do not go out. */
  readonly isTrailer: (name: string) => boolean;
  readonly isUpgrade: boolean;
  /** It has its answer, or will have none (null). */
  readonly ended: ((status: number | null) => void) | null;
}

/** One request on its way, and its answer on the way back. */
export class Exchange implements BodySink, AnswerSink {
  readonly #wire: Wire;
  readonly #head: RequestHead;
  readonly #sending: Sending;
  #status: number | null = null;
  #isLast = false;
  #isChunked = false;
  #mask: BodyMask | null = null;
  #isOver = false;

  constructor(wire: Wire, head: RequestHead, sending: Sending) {
    this.#wire = wire;
    this.#head = head;
    this.#sending = sending;
  }

  /** Sends it, and as much of its body as has come. */
  start(): void {
    const { upstream, text } = this.#sending;
    upstream.send(text, this.#head.method, this);
    this.#wire.readBody(this);
  }

  body(pieces: readonly Buffer[], trailers: RawHeaders | null): void {
    if (this.#isOver) return;
    const { upstream, isTrailer } = this.#sending;
    const { outlet } = upstream;
    writePieces(outlet, pieces, this.#head.framing === 'chunked');
    if (trailers !== null) {
      if (this.#head.framing === 'chunked') outlet.write(lastChunk(trailers, isTrailer));
      outlet.flush();
    } else if (outlet.isFull()) {
      this.#wire.hold();
      upstream.onDrained(() => this.#wire.go());
    }
  }

  bodyFailed(refusal: Refusal): void {
    this.#sending.upstream.destroy();
    this.#refuse(refusal);
  }

  goOn(): void {
    if (this.#head.expect !== null) this.#wire.outlet.writeLast('HTTP/1.1 100 Continue\r\n\r\n');
  }

  answer(head: AnswerHead, pieces: readonly Buffer[], trailers: RawHeaders | null): void {
    const { reflections, upstream } = this.#sending;
    try {
      reflections?.requireReadable(head, this.#head.method);
    } catch (error) {
      upstream.destroy();
      return this.#refuse(asRefusal(error));
    }
    this.#status = head.status;
    // A client that has not sent all of its body may not mean to any more: nobody can tell.
    this.#isLast = this.#head.isLast || this.#head.upgrade !== null || this.#wire.isReading;
    const hasBody = head.framing !== 0;
    this.#isChunked = hasBody && typeof head.framing === 'string' && !this.#head.isOld;
    this.#mask = hasBody ? (reflections?.body((bytes) => this.#late(bytes)) ?? null) : null;
    if (hasBody && typeof head.framing === 'string' && this.#head.isOld) this.#isLast = true;
    const text = answerText(head, reflections, [
      ...(this.#isChunked ? ['Transfer-Encoding', 'chunked'] : []),
      ...(this.#isLast ? ['Connection', 'close'] : keptAlive),
    ]);
    if (trailers !== null && !this.#isChunked) {
      const mask = this.#mask;
      const whole = mask === null ? pieces : [...pieces.map(mask.push), mask.end()];
      this.#wire.outlet.writeLast(joined(text, whole));
      return this.#done();
    }
    this.#wire.outlet.write(text);
    this.answerBody(pieces, trailers);
  }

  answerBody(pieces: readonly Buffer[], trailers: RawHeaders | null): void {
    if (this.#isOver) return;
    const { outlet } = this.#wire;
    const mask = this.#mask;
    writePieces(outlet, mask === null ? pieces : pieces.map(mask.push), this.#isChunked);
    if (trailers !== null) {
      if (mask !== null) writePieces(outlet, [mask.end()], this.#isChunked);
      const shown = this.#sending.reflections?.headers(trailers) ?? trailers;
      if (this.#isChunked) outlet.write(lastChunk(shown, (name) => isForwardedTrailer(name, [])));
      return this.#done();
    }
    if (!outlet.isFull()) return;
    const { socket } = this.#sending.upstream;
    socket.pause();
    this.#wire.onDrained(() => socket.resume());
  }

  switched(head: AnswerHead, rest: Buffer): void {
    const { upstream, reflections, isUpgrade } = this.#sending;
    const isAsked = isUpgrade && head.upgrade === 'websocket';
    try {
      if (!isAsked) throw upstreamGone('it changes to a protocol that nobody asked for');
      reflections?.requireReadable(head, 'GET');
    } catch (error) {
      upstream.destroy();
      return this.#refuse(asRefusal(error));
    }
    this.#status = head.status;
    this.#over();
    const wire = this.#wire;
    wire.outlet.writeLast(
      answerText(head, reflections, ['Connection', 'Upgrade', 'Upgrade', 'websocket']),
    );
    const ahead = wire.handOver();
    if (ahead.length > 0) upstream.outlet.writeLast(ahead);
    join(wire.socket, upstream.socket, () => {});
    if (reflections === null) {
      if (rest.length > 0) wire.socket.write(rest);
      join(upstream.socket, wire.socket, () => {});
    } else joinMasked(upstream.socket, rest, wire.socket, reflections);
  }

  answerFailed(error: Error): void {
    this.#refuse(asRefusal(error));
  }

  /** What was held back for a moment, as it could have become a secret. */
  #late(bytes: Uint8Array): void {
    if (!this.#isOver) writePieces(this.#wire.outlet, [bytes], this.#isChunked);
  }

  #refuse(refusal: Refusal): void {
    if (!this.#over()) return;
    if (this.#status === null) this.#wire.refuse(refusal);
    else this.#wire.socket.destroy();
  }

  #done(): void {
    if (this.#over()) this.#wire.done(this.#isLast);
  }

  /** Whether it has just come to its end. */
  #over(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#mask?.cancel();
    this.#sending.ended?.(this.#status);
    return true;
  }
}

const keptAlive = ['Connection', 'keep-alive', 'Keep-Alive', 'timeout=60'];

/** The head of an answer as it leaves for the client. */
function answerText(
  { status, words, headers }: AnswerHead,
  reflections: Reflections | null,
  more: RawHeaders,
): string {
  const kept = returnedHeaders(headers);
  const shown = reflections === null ? kept : reflections.headers(kept);
  const said = reflections === null ? words : reflections.text(words);
  return `HTTP/1.1 ${String(status)} ${said}\r\n${linesOf(shown)}${linesOf(more)}\r\n`;
}

/** Names and values in turn, as the lines that they are in a head. */
export function linesOf(headers: RawHeaders): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2)
    lines += `${headers[at] ?? ''}: ${headers[at + 1] ?? ''}\r\n`;
  return lines;
}

/** A head and all of its body as one piece: a write of its own costs more than the copy. */
function joined(text: string, pieces: readonly Uint8Array[]): Buffer | string {
  let length = text.length;
  for (const piece of pieces) length += piece.length;
  if (length === text.length) return text;
  const bytes = Buffer.allocUnsafe(length);
  let at = bytes.write(text, 0, 'latin1');
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function writePieces(
  outlet: Wire['outlet'],
  pieces: readonly Uint8Array[],
  isChunked: boolean,
): void {
  for (const piece of pieces) {
    if (piece.length === 0) continue;
    if (isChunked) outlet.write(`${piece.length.toString(16)}\r\n`);
    outlet.write(piece);
    if (isChunked) outlet.write('\r\n');
  }
}

function lastChunk(trailers: RawHeaders, isTrailer: (name: string) => boolean): string {
  const kept = trailers.filter((_, at) => isTrailer(trailers[at - (at % 2)] ?? ''));
  return `0\r\n${linesOf(kept)}\r\n`;
}
