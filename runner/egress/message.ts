import { METHODS } from 'node:http';
import type { RawHeaders } from '../../shared/engine/index.ts';

/** What follows a head: so many bytes, chunks, or all until the connection ends. */
export type Framing = number | 'chunked' | 'to-end';

interface Head {
  readonly headers: RawHeaders;
  /** The other side wants nothing more on this connection, or may not know that there could be more. */
  readonly isLast: boolean;
  /** HTTP/1.0, which knows no chunks. */
  readonly isOld: boolean;
}

export interface RequestHead extends Head {
  readonly method: string;
  /** As it stands in the first line. */
  readonly url: string;
  readonly framing: Exclude<Framing, 'to-end'>;
  /** It says how long its body is, if it be nothing. */
  readonly hasLength: boolean;
  /** In lower case; null where it asks for no other protocol on this connection. */
  readonly upgrade: string | null;
  readonly expect: string | null;
}

export interface AnswerHead extends Head {
  readonly status: number;
  readonly words: string;
  readonly framing: Framing;
  /** In lower case; null where it names no other protocol. */
  readonly upgrade: string | null;
  /** For how many seconds the server keeps the connection; null where it does not say. */
  readonly keepSeconds: number | null;
}

/** Bytes of a head, its empty line included. */
export const mostOfRequest = 32 * 1024;
export const mostOfAnswer = 64 * 1024;
const mostHeaders = 1_000;
const mostLine = 16 * 1024;

/** The index behind the empty line that ends a head; -1 where it is not there yet. */
export function headEnd(bytes: Buffer, from: number): number {
  const at = bytes.indexOf('\r\n\r\n', Math.max(0, from - 3), 'latin1');
  return at === -1 ? -1 : at + 4;
}

/** What can be no part of a head, whatever follows: a bare return or line feed, and what is no text. */
const torn = /[^\t\r\n\x20-\x7e\x80-\xff]|\r[^\n]|(?:^|[^\r])\n/u;

/** Whether the begin of a request may become one. Only looks at what came since `from`. */
export function mayBecomeRequest(bytes: Buffer, from: number): boolean {
  const start = bytes.toString('latin1', 0, bytes[0] === 0x0d ? 3 : 1);
  return /^(?:[A-Z]|\r(?:\n[A-Z]?)?$)/u.test(start) && isWhole(bytes, from);
}

/** Whether the begin of an answer may become one. Only looks at what came since `from`. */
export function mayBecomeAnswer(bytes: Buffer, from: number): boolean {
  return 'HTTP/1.'.startsWith(bytes.toString('latin1', 0, 7)) && isWhole(bytes, from);
}

function isWhole(bytes: Buffer, from: number): boolean {
  const text = bytes.toString('latin1', Math.max(0, from - 1));
  return !torn.test(from > 0 && text.startsWith('\n') ? text.slice(1) : text);
}

const methods: ReadonlySet<string> = new Set(METHODS);
const requestLine = /^([A-Z-]{1,32}) ([\x21-\x7e]+) HTTP\/1\.([01])$/u;
/** A path, all of a server, or a whole address; what is asked of CONNECT is read where it is decided on. */
const requestTarget = /^(?:\/[\x21-\x7e]*|\*|[A-Za-z]+:\/\/[\w.~%@:[\]-]+(?:[/?][\x21-\x7e]*)?)$/u;
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/u;

/**
 * Reads the head of a request, with its empty line. It takes less than the parser of Node does, and
 * reads that as Node does: anything that two readers could cut at different places is a problem, which
 * is a sentence.
 */
export function readRequestHead(text: string): RequestHead | string {
  const from = text.startsWith('\r\n') ? 2 : 0;
  const lineEnd = text.indexOf('\r\n', from);
  const [, method = '', url = '', minor = ''] = requestLine.exec(text.slice(from, lineEnd)) ?? [];
  if (!methods.has(method) || (method !== 'CONNECT' && !requestTarget.test(url)))
    return 'Its first line is not one of HTTP/1.1.';
  const read = readFields(text, lineEnd + 2);
  if (typeof read === 'string') return read;
  const isOld = minor === '0';
  const { headers, length, isChunked, connection, upgrade, expect } = read;
  if (isChunked && isOld) return 'Its body is in chunks, which HTTP/1.0 does not know.';
  return {
    method,
    url,
    headers,
    framing: isChunked ? 'chunked' : (length ?? 0),
    hasLength: isChunked || length !== null,
    isOld,
    isLast: isOld || hasOption(connection, 'close'),
    upgrade: hasOption(connection, 'upgrade') ? upgrade : null,
    expect,
  };
}

/**
 * Reads the head of an answer, with its empty line; of a problem a sentence.
 *
 * @param method that of the request: the same head has a body or none
 */
export function readAnswerHead(text: string, method: string): AnswerHead | string {
  const lineEnd = text.indexOf('\r\n');
  const [, minor = '', digits = '', words = ''] = statusLine.exec(text.slice(0, lineEnd)) ?? [];
  if (digits === '') return 'its answer is not HTTP/1.1';
  const read = readFields(text, lineEnd + 2);
  if (typeof read === 'string') return 'the headers of its answer can be read in two ways';
  const { headers, length, isChunked, connection, upgrade, keepSeconds } = read;
  const status = Number(digits);
  const isOld = minor === '0';
  if (isChunked && isOld) return 'its answer is in chunks, which HTTP/1.0 does not know';
  const hasNone = method === 'HEAD' || status < 200 || status === 204 || status === 304;
  return {
    status,
    words,
    headers,
    framing: hasNone ? 0 : isChunked ? 'chunked' : (length ?? 'to-end'),
    isOld,
    isLast: isOld || hasOption(connection, 'close'),
    upgrade,
    keepSeconds,
  };
}

interface Fields {
  readonly headers: RawHeaders;
  readonly length: number | null;
  readonly isChunked: boolean;
  /** All of its values in lower case, joined by commas. */
  readonly connection: string;
  readonly upgrade: string | null;
  readonly expect: string | null;
  readonly keepSeconds: number | null;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const noText = /[^\t\x20-\x7e\x80-\xff]/u;

/** The fields from there on up to the empty line, with what they say about where the message ends. */
function readFields(text: string, from: number): Fields | string {
  const headers: string[] = [];
  let length: number | null = null;
  let isChunked = false;
  let connection = '';
  let upgrade: string | null = null;
  let expect: string | null = null;
  let keepSeconds: number | null = null;
  for (let at = from; ;) {
    const end = text.indexOf('\r\n', at);
    if (end === at) break;
    if (end === -1 || headers.length >= 2 * mostHeaders) return 'It has too many headers.';
    const field = readField(text.slice(at, end));
    if (field === null) return 'One of its lines is not a header, or holds what no header holds.';
    const [name, value] = field;
    headers.push(name, value);
    at = end + 2;
    switch (name.toLowerCase()) {
      case 'content-length':
        if (length !== null || !/^\d{1,15}$/u.test(value)) return 'Its length is not one number.';
        length = Number(value);
        break;
      case 'transfer-encoding':
        if (isChunked || value.toLowerCase() !== 'chunked')
          return 'Its body is in a coding that is not passed on.';
        isChunked = true;
        break;
      case 'connection':
        connection += `,${value.toLowerCase()}`;
        break;
      case 'upgrade':
        upgrade = value.toLowerCase();
        break;
      case 'expect':
        expect = value;
        break;
      case 'keep-alive':
        keepSeconds = Number(/(?:^|[ ,])timeout=(\d{1,6})/iu.exec(value)?.[1] ?? NaN);
        break;
      default:
    }
  }
  if (isChunked && length !== null) return 'It has two lengths.';
  if (Number.isNaN(keepSeconds)) keepSeconds = null;
  return { headers, length, isChunked, connection, upgrade, expect, keepSeconds };
}

/** Name and value, without the blanks around it; null where the line is no field. */
function readField(line: string): readonly [string, string] | null {
  const colon = line.indexOf(':');
  if (colon < 1 || noText.test(line)) return null;
  const name = line.slice(0, colon);
  if (!token.test(name)) return null;
  let from = colon + 1;
  let end = line.length;
  while (from < end && isBlank(line.charCodeAt(from))) from += 1;
  while (end > from && isBlank(line.charCodeAt(end - 1))) end -= 1;
  return [name, line.slice(from, end)];
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

function hasOption(connection: string, wanted: string): boolean {
  return connection !== '' && connection.split(',').some((each) => each.trim() === wanted);
}

/** A size in hex, and extensions, which end here: they are of one connection. */
const chunkLine =
  /^([0-9a-fA-F]{1,13})(?:;[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:=[!#$%&'*+.^_`|~0-9A-Za-z-]+)?)*\r\n$/u;

/** Cuts one body out of the bytes of a connection. */
export class BodyReader {
  readonly #isChunked: boolean;
  /** Bytes to come: of the body, or of this chunk. */
  #left: number;
  #next: 'size' | 'gap' | 'trailers' = 'size';
  #line = '';
  #lines = 0;
  readonly #trailers: string[] = [];

  constructor(framing: Framing) {
    this.#isChunked = framing === 'chunked';
    this.#left = framing === 'to-end' ? Infinity : framing === 'chunked' ? 0 : framing;
  }

  /** What came behind the last chunk, as names and values. */
  get trailers(): RawHeaders {
    return this.#trailers;
  }

  /**
   * Adds what of these bytes is body to `pieces`. The answer is where the next message begins, or -1
   * while this one goes on. Throws where chunks are none.
   */
  read(bytes: Buffer, pieces: Buffer[]): number {
    let at = 0;
    while (at < bytes.length || !this.#isChunked) {
      if (this.#left > 0 || !this.#isChunked) {
        const end = Math.min(bytes.length, at + this.#left);
        if (end > at)
          pieces.push(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
        this.#left -= end - at;
        at = end;
        if (!this.#isChunked) return this.#left > 0 ? -1 : at;
        continue;
      }
      const feed = bytes.indexOf(0x0a, at);
      const end = feed === -1 ? bytes.length : feed + 1;
      this.#lines += end - at;
      if (
        this.#line.length + end - at > mostLine ||
        (this.#lines > mostOfAnswer && this.#next === 'trailers')
      )
        throw new Error('its chunks cannot be read');
      this.#line += bytes.toString('latin1', at, end);
      at = end;
      if (feed === -1) return -1;
      if (this.#isEndAt(this.#line)) return at;
      this.#line = '';
    }
    return -1;
  }

  /** Takes a line between chunks; whether it is the last one. */
  #isEndAt(line: string): boolean {
    if (!line.endsWith('\r\n')) throw new Error('its chunks cannot be read');
    if (this.#next === 'gap') {
      if (line !== '\r\n') throw new Error('its chunks cannot be read');
      this.#next = 'size';
      return false;
    }
    if (this.#next === 'size') {
      const size = chunkLine.exec(line)?.[1];
      if (size === undefined) throw new Error('its chunks cannot be read');
      this.#left = Number.parseInt(size, 16);
      this.#next = this.#left === 0 ? 'trailers' : 'gap';
      this.#lines = 0;
      return false;
    }
    if (line === '\r\n') return true;
    const field = readField(line.slice(0, -2));
    if (field === null || this.#trailers.length >= 2 * mostHeaders)
      throw new Error('what follows its chunks cannot be read');
    this.#trailers.push(...field);
    return false;
  }
}
