import { EventEmitter } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Upstream } from '../../../runner/egress/upstream.ts';
import type { Upstreams } from '../../../runner/egress/upstream.ts';
import { Wire } from '../../../runner/egress/wire.ts';

/** A message as one of two readers has it. */
interface Message {
  readonly head: readonly string[];
  body: string;
  trailers: readonly string[];
  isWhole: boolean;
}

const who = { agent: 'a', session: null, box: 'b', cwd: '/' };

/** A connection without a system behind it: what is emitted has come, what is written is forgotten. */
function stub(): Socket & EventEmitter {
  const idle = (): void => undefined;
  const state = { writable: true, writableLength: 0, destroyed: false };
  const calls = { pause: idle, resume: idle, cork: idle, uncork: idle, write: idle, end: idle };
  return Object.assign(new EventEmitter(), state, calls, {
    destroy: idle,
    destroySoon: idle,
  }) as unknown as Socket & EventEmitter;
}

/**
 * What our reader makes of the bytes of a client, and behind how many pieces the last of it ended;
 * nothing of what comes behind what it refuses.
 */
function requestsByUs(pieces: readonly Buffer[]): {
  readonly found: readonly Message[];
  readonly end: number;
} {
  const found: Message[] = [];
  let count = 0;
  let end = 0;
  const socket = stub();
  const upstreams: Upstreams = { free: () => null, open: async () => never(), close: () => {} };
  void new Wire(socket, {
    who,
    tunnel: null,
    upstreams,
    clock: { elapsed: () => 0 },
    headersMs: 1,
    bodyMs: 1,
    failed: (error) => {
      throw error;
    },
    asked: (one, { method, url, headers, isLast }) => {
      const message: Message = {
        head: [method, url, ...headers],
        body: '',
        trailers: [],
        isWhole: false,
      };
      found.push(message);
      const finish = (trailers: readonly string[]): void => {
        message.trailers = trailers;
        message.isWhole = true;
        end = count;
        one.done(isLast);
      };
      if (!one.isReading) return finish([]);
      one.readBody({
        body: (bodies, trailers) => {
          for (const each of bodies) message.body += each.toString('latin1');
          if (trailers !== null) finish(trailers);
        },
        bodyFailed: ({ code }) => one.refuse({ code, message: '', hint: '' }),
      });
    },
  });
  for (const piece of pieces) {
    count += 1;
    socket.emit('data', piece);
  }
  socket.emit('close');
  return { found: found.filter(({ isWhole }) => isWhole), end };
}

function never(): Promise<never> {
  throw new Error('nobody is called');
}

/** The same by the server of Node. */
async function requestsByNode(bytes: Buffer): Promise<readonly Message[]> {
  const found: Message[] = [];
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 1 << 20 });
  const take = (req: IncomingMessage, res: ServerResponse): void => {
    const { method = '', url = '', rawHeaders } = req;
    const message: Message = {
      head: [method, url, ...rawHeaders],
      body: '',
      trailers: [],
      isWhole: false,
    };
    found.push(message);
    req.on('data', (chunk: Buffer) => (message.body += chunk.toString('latin1')));
    req.on('error', () => {});
    req.on('end', () => {
      message.trailers = req.rawTrailers;
      message.isWhole = true;
      res.end();
    });
  };
  server.on('request', take).on('checkContinue', take).on('checkExpectation', take);
  const connection = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  connection.on('error', () => {});
  server.on('clientError', () => connection.destroy());
  server.emit('connection', connection);
  connection.push(bytes);
  for (let turn = 0; turn < 4; turn += 1) await new Promise((next) => setImmediate(next));
  connection.destroy();
  server.close();
  return found.filter(({ isWhole }) => isWhole);
}

/** What our reader makes of the bytes of a server, and behind how many pieces it ends. */
function answerByUs(
  pieces: readonly Buffer[],
  method: string,
): { readonly found: Message | null; readonly end: number } {
  let count = 0;
  let end = 0;
  const socket = stub();
  const upstream = new Upstream(socket, () => 0);
  let message: Message | null = null;
  let isFailed = false;
  const more = (bodies: readonly Buffer[], trailers: readonly string[] | null): void => {
    if (message === null) return;
    for (const each of bodies) message.body += each.toString('latin1');
    if (trailers === null) return;
    message.trailers = trailers;
    message.isWhole = true;
    end = count;
  };
  upstream.send('', method, {
    goOn: () => {},
    answer: ({ status, words, headers }, bodies, trailers) => {
      message = {
        head: [String(status), words, ...headers],
        body: '',
        trailers: [],
        isWhole: false,
      };
      more(bodies, trailers);
    },
    answerBody: more,
    switched: () => (isFailed = true),
    answerFailed: () => (isFailed = true),
  });
  for (const piece of pieces) {
    count += 1;
    socket.emit('data', piece);
  }
  socket.emit('end');
  const read = message as Message | null;
  return { found: isFailed || read?.isWhole !== true ? null : read, end };
}

/** The same by the client of Node. */
async function answerByNode(bytes: Buffer, method: string): Promise<Message | null> {
  return new Promise((resolve) => {
    const connection = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
    const failed = (): void => resolve(null);
    connection.on('error', () => {});
    const options = { createConnection: () => connection, method, maxHeaderSize: 1 << 20 };
    const sent = request(options as never, (res) => {
      const { statusCode, statusMessage = '', rawHeaders } = res;
      const message: Message = {
        head: [String(statusCode), statusMessage, ...rawHeaders],
        body: '',
        trailers: [],
        isWhole: true,
      };
      res.on('data', (chunk: Buffer) => (message.body += chunk.toString('latin1')));
      res.on('error', failed);
      res.on('end', () => resolve({ ...message, trailers: res.rawTrailers }));
      res.on('close', failed);
      sent.off('close', failed);
    });
    sent.on('error', failed);
    sent.on('upgrade', failed);
    sent.on('close', failed);
    sent.end();
    connection.push(bytes);
    connection.push(null);
  });
}

const often = <T>(usual: T, ...rare: readonly T[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, fc.constantFrom(...rare));
const line = often('\r\n', '\n', '\r', '\r\r\n', '\n\r\n', ' \r\n', '\r\n ', '\r\n\t', '\0\r\n');
const field = fc.oneof(
  fc.constantFrom(
    'Host: up.example',
    'X-A: b',
    'x-a:b ',
    'X-A:\t b\tc \t',
    'Content-Length: 3',
    'Content-Length: 03',
    'Transfer-Encoding: chunked',
    'Trailer: X-T',
  ),
  fc.constantFrom(
    'Content-Length: +3',
    'Content-Length: 3, 3',
    'Content-Length: 0x3',
    'Content-Length:',
    'Content-Length: 3 3',
    'Content-Length : 3',
    'content-length: 18446744073709551616',
    'Transfer-Encoding: Chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding:\x0bchunked',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding\t: chunked',
    ' Transfer-Encoding: chunked',
    'Connection: close',
    'Connection: keep-alive, close',
    'Connection: content-length',
    ': none',
    'none',
    'X A: b',
    'X-A: \x80\xff',
    'X-A: a\rb',
    'X-A: a\0b',
    'X-A: a\x7fb',
    '"X": b',
    'X(a): b',
    'Keep-Alive: timeout=5',
    'Expect: 100-continue',
  ),
);
const chunk = fc.constantFrom(
  '3\r\nabc\r\n',
  '0003\r\nabc\r\n',
  'A\r\n0123456789\r\n',
  '3;x\r\nabc\r\n',
  '3;x=y\r\nabc\r\n',
  '3;x="y"\r\nabc\r\n',
  '3 ;x\r\nabc\r\n',
  '3;\r\nabc\r\n',
  '3 \r\nabc\r\n',
  ' 3\r\nabc\r\n',
  '0x3\r\nabc\r\n',
  '+3\r\nabc\r\n',
  '-3\r\nabc\r\n',
  '3\nabc\n',
  '3\r\nabc\n',
  '3\r\nabcd\r\n',
  '3\r\nab\r\n',
  '\r\n',
  'g\r\n',
  '0;\nGET /x HTTP/1.1\r\n\r\n',
  'fffffffffffffffff\r\nabc\r\n',
);
const ends = fc.constantFrom(
  '0\r\n\r\n',
  '0\r\nX-T: t\r\n\r\n',
  '000\r\n\r\n',
  '0\r\n',
  '0\n\n',
  '',
);
const chunks = fc
  .tuple(fc.array(chunk, { maxLength: 3 }), ends)
  .map(([all, end]) => all.join('') + end);
const body = fc.oneof(fc.constantFrom('', 'abc', 'abcdef'), chunks);
const fields = fc
  .array(fc.tuple(field, line), { maxLength: 4 })
  .map((all) => all.map((pair) => pair.join('')).join(''));
const version = often(
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/1.2',
  'HTTP/2.0',
  'http/1.1',
  'HTTP/1.1 ',
  'HTTP/11',
);
const firstLine = fc
  .tuple(
    often('POST', 'GET', 'HEAD', 'PUT', 'post', 'FOO', '', 'M-SEARCH', 'PRI', 'GET\t'),
    often(' ', '  ', '\t', ''),
    often('/', '/a?b', '*', 'http://up.example/', '/\x80', '/\x01', '/a b', '//', ''),
    version,
    line,
  )
  .map(([method, blank, url, spoken, end]) => `${method}${blank}${url} ${spoken}${end}`);
const statusLine = fc
  .tuple(
    version,
    often(
      ' 200 OK',
      ' 200',
      ' 200 ',
      ' 204 No',
      ' 304 N',
      ' 100 C',
      ' 2000 X',
      ' 20 X',
      ' 099 X',
      ' 200\tX',
      '200',
    ),
    line,
  )
  .map((all) => all.join(''));
const message = (first: fc.Arbitrary<string>) =>
  fc.tuple(often('', '\r\n', '\n'), first, fields, line, body).map((all) => all.join(''));

/** Bytes of messages, now and then with one that is another, and where they are cut. */
const streamOf = (first: fc.Arbitrary<string>, maxLength: number) =>
  fc
    .record({
      texts: fc.array(message(first), { minLength: 1, maxLength }),
      torn: fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 3 }),
      cuts: fc.array(fc.nat(400), { maxLength: 4 }),
    })
    .map(({ texts, torn, cuts }) => {
      const bytes = Buffer.from(texts.join(''), 'latin1');
      if (torn !== null && bytes.length > 0) bytes[torn[0] % bytes.length] = torn[1];
      const places = [...new Set([0, ...cuts, bytes.length])]
        .filter((place) => place <= bytes.length)
        .toSorted((a, b) => a - b);
      const pieces = places.flatMap((place, at) => {
        const next = places[at + 1];
        return next === undefined ? [] : [bytes.subarray(place, next)];
      });
      return { bytes, pieces };
    });

const numRuns = process.env['INTERLOCK_LONG'] === '1' ? 60_000 : 600;

describe('our reader of HTTP, beside that of Node', () => {
  it('finds no request that Node does not find, nor any of it elsewhere', async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(streamOf(firstLine, 3), async ({ bytes, pieces }) => {
        const { found: ours, end } = requestsByUs([...bytes].map((byte) => Buffer.of(byte)));
        expect(requestsByUs(pieces).found).toEqual(ours);
        read += ours.length;
        // Up to there and no further: what ends elsewhere for Node is not there, or is more.
        if (ours.length > 0) expect(await requestsByNode(bytes.subarray(0, end))).toEqual(ours);
      }),
      { numRuns },
    );
    expect(read).toBeGreaterThan(numRuns / 20);
  });

  it('finds no answer that Node does not find, nor another one', async () => {
    let read = 0;
    await fc.assert(
      fc.asyncProperty(
        streamOf(statusLine, 1),
        fc.constantFrom('GET', 'HEAD', 'POST'),
        async ({ bytes, pieces }, method) => {
          const { found: ours, end } = answerByUs(
            [...bytes].map((byte) => Buffer.of(byte)),
            method,
          );
          expect(answerByUs(pieces, method).found).toEqual(ours);
          if (ours === null) return;
          read += 1;
          expect(await answerByNode(bytes.subarray(0, end), method)).toEqual(ours);
        },
      ),
      { numRuns },
    );
    expect(read).toBeGreaterThan(numRuns / 20);
  });
});
