import { Transform } from 'node:stream';
import { spellingsOf } from '../../shared/engine/index.ts';
import type { RawHeaders } from '../../shared/engine/index.ts';
import { createMasker } from '../audit/known-secrets.ts';

/**
 * How much of a body is looked through, in bytes: what sends a request back does so near the begin,
 * and a look at each byte of a gigabyte would cost more than its encryption.
 */
export const lookedThrough = 1024 * 1024;

/** Takes values that a request was given here out of its answer, each by as many stars. */
export interface Reflections {
  /** Names and values in turn. */
  readonly headers: (raw: RawHeaders) => RawHeaders;
  readonly text: (text: string) => string;
  readonly body: () => Transform;
}

/** @param values secrets as they went out, of 8 bytes and more; null where there is none */
export function reflectionsOf(values: readonly string[]): Reflections | null {
  const all = [...new Set(values.flatMap(spellingsOf))];
  if (all.length === 0) return null;
  const spellings = all.toSorted((one, other) => other.length - one.length);
  const needles = spellings.map((one) => Buffer.from(one));
  const text = (given: string): string =>
    spellings.reduce((left, one) => left.replaceAll(one, '*'.repeat(one.length)), given);
  return {
    text,
    headers: (raw) => raw.map(text),
    body: () => {
      const masker = createMasker(needles);
      let seen = 0;
      return new Transform({
        transform: (chunk: Buffer, _encoding, done) => {
          const isLast = seen < lookedThrough && seen + chunk.length >= lookedThrough;
          const isLooked = seen < lookedThrough;
          seen += chunk.length;
          if (!isLooked) return done(null, chunk);
          const ready = masker.push(chunk);
          done(null, isLast ? Buffer.concat([ready, masker.end()]) : ready);
        },
        flush: (done) => done(null, masker.end()),
      });
    },
  };
}
