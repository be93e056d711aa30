import type { Socket } from 'node:net';
import { connectThroughDoor } from './transport/door.ts';

/** One request over a Unix socket. */
interface SocketRequest {
  readonly socketPath: string;
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
  /** How long the other side may be silent, in milliseconds; without one, for ever. */
  readonly timeoutMs?: number;
  /** Aborting it breaks the connection, during the answer too. */
  readonly signal?: AbortSignal;
}

/** The head of a response, and its body as it comes, no faster than it is read. */
export interface SocketResponse {
  readonly status: number;
  /** Throws where the connection breaks before the body is whole. */
  readonly body: AsyncIterable<Buffer>;
  /** Breaks the connection; nothing happens where it is over. */
  readonly close: () => void;
}

/**
 * One HTTP/1.1 request on a connection of its own (RFC 9112). Node's client is not used because
 * loading it and making its agent take an eighth of the time of a whole `interlock run`. Only what
 * the runner sends is understood: one `content-length`, or `chunked` without extensions and
 * trailers. Rejects with the socket's error, with a sentence for what is not such a response, and with
 * `config-invalid`, before anything is sent, where somebody else may serve the socket.
 */
export async function requestOverSocket(options: SocketRequest): Promise<SocketResponse> {
  const { socketPath, timeoutMs, signal, payload = '' } = options;
  signal?.throwIfAborted();
  const head = headOf(options, Buffer.byteLength(payload));
  const socket = connectThroughDoor(socketPath);
  const abort = (): void => void socket.destroy(abortError(signal));
  signal?.addEventListener('abort', abort, { once: true });
  socket.once('close', () => signal?.removeEventListener('abort', abort));
  if (timeoutMs !== undefined)
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer in time')));
  socket.write(head + payload);
  try {
    const reader = new Reader(socket);
    const answer = await readHead(reader);
    return {
      status: answer.status,
      body: bodyOf(reader, answer, socket),
      close: () => void socket.destroy(),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function abortError(signal: AbortSignal | undefined): Error {
  const { reason } = signal ?? {};
  return reason instanceof Error ? reason : new Error('aborted');
}

function headOf({ method, path, headers, payload }: SocketRequest, length: number): string {
  const all = {
    host: 'interlock',
    connection: 'close',
    ...headers,
    ...(payload !== undefined && {
      'content-type': 'application/json',
      'content-length': String(length),
    }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  for (const text of [path, ...lines.map((line) => line.slice(0, -2))])
    // The caller escapes what it puts into a path; a line break would begin a header of its own.
    if (/[^\x20-\x7e]/.test(text)) throw new Error('a request cannot hold such a character');
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

const maxHeadLine = 16 * 1024;
const maxHeaders = 100;

/** Takes lines and counted bytes from what the socket sends. */
class Reader {
  readonly #parts: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#parts = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** The next line, without its CRLF. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf('\r\n');
      if (end > maxHeadLine || (end < 0 && this.#rest.length > maxHeadLine)) throw foreign();
      if (end >= 0) {
        const line = this.#rest.toString('latin1', 0, end);
        this.#rest = this.#rest.subarray(end + 2);
        return line;
      }
      await this.#more();
    }
  }

  /** Whatever is there of the next `length` bytes, at least one. */
  async some(length: number): Promise<Buffer> {
    if (this.#rest.length === 0) await this.#more();
    const part = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  async #more(): Promise<void> {
    const next = await this.#parts.next();
    if (next.done === true) throw brokenOff();
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
  }
}

interface Head {
  readonly status: number;
  /** Bytes of the body; null where it comes in chunks. */
  readonly length: number | null;
}

async function readHead(reader: Reader): Promise<Head> {
  const [, code] = /^HTTP\/1\.1 ([2-5]\d\d)(?: |$)/.exec(await reader.line()) ?? [];
  if (code === undefined) throw foreign();
  const framing: string[] = [];
  for (let count = 0; ; count += 1) {
    const line = await reader.line();
    if (line === '') break;
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined || value === undefined || count > maxHeaders) throw foreign();
    const field = name.toLowerCase();
    if (field === 'content-length' || field === 'transfer-encoding')
      framing.push(`${field}: ${value.toLowerCase()}`);
  }
  const status = Number(code);
  if (framing.length === 0 && status === 204) return { status, length: 0 };
  const [only = ''] = framing;
  // Two of them could be read in two ways (RFC 9112, 6.3).
  if (framing.length !== 1) throw foreign();
  if (only === 'transfer-encoding: chunked') return { status, length: null };
  const [, length] = /^content-length: (\d{1,15})$/.exec(only) ?? [];
  if (length === undefined) throw foreign();
  return { status, length: Number(length) };
}

async function* bodyOf(
  reader: Reader,
  { length }: Head,
  socket: Socket,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    if (length !== null) yield* counted(reader, length);
    else yield* chunks(reader);
  } finally {
    socket.destroy();
  }
}

async function* counted(reader: Reader, length: number): AsyncGenerator<Buffer, void, undefined> {
  for (let left = length; left > 0;) {
    const part = await reader.some(left);
    left -= part.length;
    yield part;
  }
}

async function* chunks(reader: Reader): AsyncGenerator<Buffer, void, undefined> {
  for (;;) {
    const size = await reader.line();
    if (!/^[\da-f]{1,8}$/i.test(size)) throw foreign();
    yield* counted(reader, Number.parseInt(size, 16));
    if ((await reader.line()) !== '') throw foreign();
    if (/^0+$/.test(size)) return;
  }
}

function foreign(): Error {
  return new Error('what it sent is no answer of a runner');
}

/** As the socket itself says it where the other side is gone. */
function brokenOff(): Error {
  return Object.assign(new Error('the connection broke off'), { code: 'ECONNRESET' });
}
