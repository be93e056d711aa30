import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { spellingsOf } from '../../shared/engine/index.ts';
import type { RawHeaders } from '../../shared/engine/index.ts';
import { createMasker } from '../audit/known-secrets.ts';
import { needlesOf } from '../audit/needles.ts';
import { piecesOf } from '../audit/pieces.ts';
import type { AnswerHead } from './message.ts';

/** A pause after which nobody is kept waiting for the last bytes of an event or a message. */
const pauseMs = 20;

/** Takes values that a request was given here out of its answer, each by as many stars. */
export interface Reflections {
  /** Names and values in turn. */
  readonly headers: (raw: RawHeaders) => RawHeaders;
  readonly text: (text: string) => string;
  /** For one body, or all that comes in another protocol; `late` is given what a pause lets go on. */
  readonly body: (late: (bytes: Uint8Array) => void) => BodyMask;
  /** A request's headers, so that its answer can be looked through: whole, plain, in one piece. */
  readonly asked: (raw: RawHeaders) => RawHeaders;
  /** Throws a refusal for an answer that has a body which nobody can look through. */
  readonly requireReadable: (
    answer: Pick<AnswerHead, 'headers' | 'status'>,
    method: string,
  ) => void;
}

export interface BodyMask {
  /** What may be passed on by now. */
  readonly push: (bytes: Uint8Array) => Uint8Array;
  /** The rest. */
  readonly end: () => Uint8Array;
  /** Nothing more is passed on. */
  readonly cancel: () => void;
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
  const needles = needlesOf(spellings, values.flatMap(piecesOf));
  const text = (given: string): string =>
    spellings.reduce((left, one) => left.replaceAll(one, '*'.repeat(one.length)), given);
  return {
    text,
    headers: (raw) => {
      const whole = raw.join('\n');
      return spellings.some((one) => whole.includes(one)) ? raw.map(text) : raw;
    },
    asked,
    requireReadable,
    body: (late) => {
      const masker = createMasker(needles);
      let cancel: (() => void) | null = null;
      const stop = (): void => {
        cancel?.();
        cancel = null;
      };
      return {
        push: (bytes) => {
          stop();
          const ready = masker.push(bytes);
          if (masker.isHolding()) cancel = clock.after(pauseMs, () => late(masker.quiet()));
          return ready;
        },
        end: () => {
          stop();
          return masker.end();
        },
        cancel: stop,
      };
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

function requireReadable(
  { headers, status }: Pick<AnswerHead, 'headers' | 'status'>,
  method: string,
): void {
  const isEmpty = method === 'HEAD' || status === 204 || status === 304;
  let isPacked = false;
  let isPart = status === 206;
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase();
    if (name === 'content-encoding') isPacked ||= !plain.test(headers[at + 1] ?? '');
    else if (name === 'sec-websocket-extensions') isPacked = true;
    else if (name === 'content-range') isPart = true;
  }
  if (isEmpty || (!isPacked && !isPart)) return;
  throw refuse(
    'upstream-unavailable',
    `The answer of the other side is ${isPacked ? 'compressed' : 'a part of a whole'}, though that was not asked for, and nobody can see whether it tells the secret that was added to the request.`,
    'Take another way to what is wanted; a person can have the host called without a secret.',
  );
}
