import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { spellingsOf } from '../../shared/engine/index.ts';
import type { RawHeaders } from '../../shared/engine/index.ts';
import { createMasker } from '../audit/known-secrets.ts';
import { needlesOf } from '../audit/needles.ts';

/** A pause after which nobody is kept waiting for the last bytes of an event or a message. */
const pauseMs = 20;

/** Takes values that a request was given here out of its answer, each by as many stars. */
export interface Reflections {
  /** Names and values in turn. */
  readonly headers: (raw: RawHeaders) => RawHeaders;
  readonly text: (text: string) => string;
  readonly body: () => Transform;
  /** A request's headers, so that its answer can be looked through: whole, plain, in one piece. */
  readonly asked: (raw: RawHeaders) => RawHeaders;
  /** Throws a refusal for an answer that has a body which nobody can look through. */
  readonly requireReadable: (answer: IncomingMessage, method: string) => void;
}

/** As many sets of values as hosts are called by turns; more than that are made ready anew. */
const mostReady = 16;

/**
 * Makes ready what to look for, once for the values of many requests: their spellings take longer than
 * all else that becomes of a request here. What is given gets values as they went out, of 8 bytes and
 * more, and answers null where there is none.
 */
export function createReflections(
  clock: Pick<Clock, 'after'>,
): (values: readonly string[]) => Reflections | null {
  const ready = new Map<string, Reflections | null>();
  return (values) => {
    if (values.length === 0) return null;
    const key = JSON.stringify(values);
    const known = ready.get(key);
    const made = known === undefined ? reflectionsOf(values, clock) : known;
    ready.delete(key);
    ready.set(key, made);
    for (const oldest of [...ready.keys()].slice(0, -mostReady)) ready.delete(oldest);
    return made;
  };
}

function reflectionsOf(values: readonly string[], clock: Pick<Clock, 'after'>): Reflections | null {
  const all = [...new Set(values.flatMap(spellingsOf))];
  if (all.length === 0) return null;
  const spellings = all.toSorted((one, other) => other.length - one.length);
  const needles = needlesOf(spellings);
  const text = (given: string): string =>
    spellings.reduce((left, one) => left.replaceAll(one, '*'.repeat(one.length)), given);
  return {
    text,
    headers: (raw) => raw.map(text),
    asked,
    requireReadable,
    body: () => {
      const masker = createMasker(needles);
      let cancel = (): void => undefined;
      const body: Transform = new Transform({
        transform: (chunk: Buffer, _encoding, done) => {
          cancel();
          cancel = clock.after(pauseMs, () => {
            if (!body.destroyed && !body.writableEnded) body.push(masker.quiet());
          });
          done(null, masker.push(chunk));
        },
        flush: (done) => {
          cancel();
          done(null, masker.end());
        },
        destroy: (error, done) => {
          cancel();
          done(error);
        },
      });
      return body;
    },
  };
}

/** What would have an answer come in parts, each too small to know a secret in, or in another form. */
const parting = new Set(['range', 'if-range', 'sec-websocket-extensions']);

function asked(raw: RawHeaders): RawHeaders {
  return raw.flatMap((name, at) => {
    const lower = name.toLowerCase();
    if (at % 2 === 1 || parting.has(lower)) return [];
    return [name, lower === 'accept-encoding' ? 'identity' : (raw[at + 1] ?? '')];
  });
}

/** Codings of a body that leave its bytes as they are. */
const plain = /^[\s,]*(?:identity[\s,]*)*$/iu;

function requireReadable({ headers, statusCode = 0 }: IncomingMessage, method: string): void {
  const isEmpty = method === 'HEAD' || statusCode === 204 || statusCode === 304;
  const isPacked =
    !plain.test(headers['content-encoding'] ?? '') ||
    !/^(?:chunked)?$/iu.test(headers['transfer-encoding'] ?? '') ||
    headers['sec-websocket-extensions'] !== undefined;
  const isPart = statusCode === 206 || headers['content-range'] !== undefined;
  if (isEmpty || (!isPacked && !isPart)) return;
  throw refuse(
    'upstream-unavailable',
    `The answer of the other side is ${isPacked ? 'compressed' : 'a part of a whole'}, though that was not asked for, and nobody can see whether it tells the secret that was added to the request.`,
    'Take another way to what is wanted; a person can have the host called without a secret.',
  );
}
