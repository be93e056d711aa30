import type { Socket } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { messageOf } from '../../shared/base/index.ts';
import { targetText } from '../../shared/engine/index.ts';
import type { RawHeaders, Target } from '../../shared/engine/index.ts';
import { upstreamGone } from './answers.ts';
import { BodyReader, headEnd, mayBecomeAnswer, mostOfAnswer, readAnswerHead } from './message.ts';
import type { AnswerHead } from './message.ts';
import { Outlet } from './outlet.ts';
import type { Permission } from './permit.ts';
import type { EgressPorts } from './ports.ts';

const mostSessions = 1_000;
/** For so long a server need not prove its name again. */
const sessionMs = 10 * 60_000;

/** What a server gave to go on with, and when it proved its name. */
type Sessions = Map<string, { readonly session: Buffer; readonly at: number }>;

type Encrypted = (raw: Socket, target: Target) => Promise<Socket>;

/** Encrypts connections to upstreams, which have to prove their names. */
function createEncrypted({ roots, clock }: Pick<EgressPorts, 'roots' | 'clock'>): Encrypted {
  let trust: { readonly of: readonly string[]; readonly context: SecureContext } | null = null;
  /** By target: who proved its name here need not do so for each connection. */
  let sessions: Sessions = new Map();
  // A system trusts well over a hundred certificates: they are read once, not for each connection.
  const trusted = (): SecureContext | undefined => {
    const ca = roots?.();
    if (ca === undefined) return undefined;
    if (trust?.of !== ca) {
      // What others vouched for counts no more.
      sessions = new Map();
      trust = { of: ca, context: createSecureContext({ ca: [...ca], minVersion: 'TLSv1.2' }) };
    }
    return trust.context;
  };
  return async (raw, target) => {
    const secureContext = trusted();
    // One that ends after the trust has changed leaves nothing for those that come then.
    const own = sessions;
    return new Promise((resolve, reject) => {
      const isName = target.address === null;
      const key = targetText(target);
      const known = own.get(key);
      const isFresh = known !== undefined && clock.elapsed() - known.at < sessionMs;
      const socket = connectTls({
        socket: raw,
        host: target.host,
        ...(isName && { servername: target.host }),
        ...(secureContext !== undefined && { secureContext }),
        ...(isFresh && { session: known.session }),
        ALPNProtocols: ['http/1.1'],
        minVersion: 'TLSv1.2',
        rejectUnauthorized: true,
      });
      const failed = (error: Error): void => {
        own.delete(key);
        raw.destroy();
        reject(upstreamGone(`its certificate or encryption does not hold (${messageOf(error)})`));
      };
      socket.once('error', failed);
      socket.once('secureConnect', () => {
        socket.off('error', failed);
        // Its time begins when the name was proved, and not anew with each connection that goes on.
        const at = socket.isSessionReused() && known !== undefined ? known.at : clock.elapsed();
        const keep = (session: Buffer): void => {
          if (own.size >= mostSessions) own.clear();
          own.set(key, { session, at });
        };
        // TLS 1.3 sends them later, and a new one with each connection; 1.2 has one by now.
        socket.on('session', keep);
        const now = socket.getSession();
        if (socket.getProtocol() === 'TLSv1.2' && now !== undefined) keep(now);
        resolve(socket);
      });
    });
  };
}

/** Who takes the answer to a request. */
export interface AnswerSink {
  /** It may go on to send its body. */
  goOn(): void;
  /** The head, what has come of the body with it, and trailers where it ends there. */
  answer(head: AnswerHead, pieces: readonly Buffer[], trailers: RawHeaders | null): void;
  /** More of the body; with trailers, mostly none of them, where it ends. */
  answerBody(pieces: readonly Buffer[], trailers: RawHeaders | null): void;
  /** It speaks another protocol from here on; `rest` are the first bytes of it. */
  switched(head: AnswerHead, rest: Buffer): void;
  /** There is no answer, or no more of it. */
  answerFailed(error: Error): void;
}

const nothing = Buffer.alloc(0);

/** One connection to a server: one request after another, each when the answer before it is complete. */
export class Upstream {
  readonly socket: Socket;
  readonly outlet: Outlet;
  #held: Buffer = nothing;
  #sink: AnswerSink | null = null;
  #method = '';
  #body: BodyReader | null = null;
  #isToEnd = false;
  #isLast = false;
  #isHandedOver = false;
  /** Until when the server keeps it, on the clock. */
  #goodUntil = Infinity;
  #drained: (() => void) | null = null;
  readonly #elapsed: () => number;

  constructor(socket: Socket, elapsed: () => number) {
    this.socket = socket;
    this.outlet = new Outlet(socket);
    this.#elapsed = elapsed;
    socket.on('data', this.#take);
    socket.on('end', this.#end);
    socket.on('drain', () => {
      const then = this.#drained;
      this.#drained = null;
      then?.();
    });
    socket.on('error', (error) => this.#fail(upstreamGone(messageOf(error))));
    socket.on('close', () => this.#fail(upstreamGone('it hung up')));
  }

  /** Whether it can take the next request. */
  isReady(): boolean {
    return this.#sink === null && this.socket.writable && this.#elapsed() < this.#goodUntil;
  }

  /** Sends a request. `text` is all of its head. */
  send(text: string, method: string, sink: AnswerSink): void {
    this.#sink = sink;
    this.#method = method;
    this.outlet.writeLast(text);
  }

  /** Calls back once when the server has taken what waits for it. */
  onDrained(then: () => void): void {
    this.#drained = then;
  }

  /** Reads no more from it: whoever takes it on ends it, too. */
  handOver(): void {
    this.#isHandedOver = true;
    this.#sink = null;
    this.socket.pause();
    this.socket.off('data', this.#take);
    this.socket.off('end', this.#end);
  }

  /** Ends it; whoever waits hears nothing more. */
  destroy(): void {
    this.#sink = null;
    this.socket.destroy();
  }

  /** Ends it because its client has gone, unless another takes care of it by now. */
  abandon(): void {
    if (this.#isHandedOver) return;
    this.socket.destroy();
    this.#fail(upstreamGone('its client has gone'));
  }

  readonly #end = (): void => {
    const sink = this.#sink;
    if (sink !== null && this.#isToEnd) {
      this.#sink = null;
      sink.answerBody([], []);
    }
    this.#fail(upstreamGone('it hung up'));
    this.socket.destroy();
  };

  #fail(error: Error): void {
    const sink = this.#sink;
    this.#sink = null;
    sink?.answerFailed(error);
  }

  /** What it says cannot be read. */
  #refuse(why: string): void {
    this.#fail(upstreamGone(why));
    this.socket.destroy();
  }

  readonly #take = (chunk: Buffer): void => {
    try {
      this.#read(chunk);
    } catch (error) {
      // A fault of ours ends this one connection, and nothing else of the runner.
      this.#refuse(messageOf(error));
    }
  };

  #read(chunk: Buffer): void {
    // Nobody has asked: whatever this is, it is no answer to the next request.
    if (this.#sink === null) return void this.socket.destroy();
    if (this.#body !== null) return this.#feed(this.#body, chunk, null);
    const before = this.#held.length;
    this.#held = before === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#look(before);
  }

  /** Looks for the head of an answer in what has come. */
  #look(before: number): void {
    for (let from = before; this.#sink !== null; from = 0) {
      const bytes = this.#held;
      const end = headEnd(bytes, from);
      if ((end === -1 ? bytes.length : end) > mostOfAnswer)
        return this.#refuse('the headers of its answer are too large');
      if (end === -1) {
        if (!mayBecomeAnswer(bytes, from)) this.#refuse('its answer is not HTTP/1.1');
        return;
      }
      const head = readAnswerHead(bytes.toString('latin1', 0, end), this.#method);
      if (typeof head === 'string') return this.#refuse(head);
      const rest = end === bytes.length ? nothing : bytes.subarray(end);
      this.#held = rest;
      if (head.status === 101) {
        const sink = this.#sink;
        this.handOver();
        return sink.switched(head, rest);
      }
      if (head.status >= 200) return this.#begin(head, rest);
      if (head.status === 100) this.#sink.goOn();
    }
  }

  #begin(head: AnswerHead, rest: Buffer): void {
    const { framing, isLast, keepSeconds } = head;
    this.#held = nothing;
    this.#isToEnd = framing === 'to-end';
    this.#isLast = isLast || this.#isToEnd;
    if (keepSeconds !== null) this.#goodUntil = this.#elapsed() + (keepSeconds - 1) * 1_000;
    this.#feed(new BodyReader(framing), rest, head);
  }

  /** Bytes of a body; with the head where they are the first. */
  #feed(body: BodyReader, bytes: Buffer, head: AnswerHead | null): void {
    const sink = this.#sink;
    if (sink === null) return;
    const pieces: Buffer[] = [];
    let next: number;
    try {
      next = body.read(bytes, pieces);
    } catch (error) {
      return this.#refuse(messageOf(error));
    }
    const isDone = next !== -1;
    this.#body = isDone ? null : body;
    if (isDone) {
      this.#sink = null;
      // What follows an answer is no answer to the next request.
      if (this.#isLast || next < bytes.length) this.socket.destroy();
    }
    const trailers = isDone ? body.trailers : null;
    if (head === null) sink.answerBody(pieces, trailers);
    else sink.answer(head, pieces, trailers);
  }
}

/** Connections to servers for one connection of a client. */
export interface Upstreams {
  /** One that is there and free; null where there is none. */
  free(key: string): Upstream | null;
  /** Dials by the way that was allowed: encrypted ones end at a server that proves its name. */
  open(key: string, way: Permission, isPlain: boolean): Promise<Upstream>;
  close(): void;
}

/** Of one client's connection, by where they lead to. */
const mostUpstreams = 8;

/** Makes what opens connections to servers for a client's connection. No two clients share one. */
export function createUpstreams(ports: Pick<EgressPorts, 'roots' | 'clock'>): () => Upstreams {
  const encrypted = createEncrypted(ports);
  const elapsed = (): number => ports.clock.elapsed();
  return () => {
    const known = new Map<string, Upstream>();
    let isClosed = false;
    return {
      free: (key) => {
        const one = known.get(key);
        return one?.isReady() === true ? one : null;
      },
      open: async (key, way, isPlain) => {
        const raw = await way.connect();
        const forget = way.onRevoked(() => raw.destroy());
        raw.once('close', forget);
        const socket = isPlain ? raw : await encrypted(raw, way.target);
        if (isClosed || socket.destroyed) {
          socket.destroy();
          throw upstreamGone('nobody waits for it any more');
        }
        const made = new Upstream(socket, elapsed);
        known.get(key)?.abandon();
        known.delete(key);
        known.set(key, made);
        for (const [oldest, one] of known) {
          if (known.size <= mostUpstreams) break;
          known.delete(oldest);
          one.abandon();
        }
        return made;
      },
      close: () => {
        isClosed = true;
        for (const one of known.values()) one.abandon();
      },
    };
  };
}
