import { readFileSync } from 'node:fs';
import v8 from 'node:v8';
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../../shared/engine/redact/redact.ts';
import { boundedSlice } from '../../support/bounded-slice.ts';

/** Steps back that a pattern may take for each character that it goes over, and for each look. */
const stepsPerCharacter = 64;
const stepsPerLook = 1_024;
const length = 4_000;
/** In few sizes, so that each pattern is made a few times only. The engine wants small integers. */
const allowances = [1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];

type Limited = (source: string, flags: string, mostStepsBack: number) => RegExp;

/** The engine's own count: a pattern that gives up after so many steps back, as if nothing matched. */
const limited = ((): Limited | null => {
  v8.setFlagsFromString('--allow-natives-syntax');
  try {
    return runInThisContext('(s, f, most) => %NewRegExpWithBacktrackLimit(s, f, most)') as Limited;
  } catch {
    return null;
  }
})();

const realExec = Object.getOwnPropertyDescriptor(RegExp.prototype, 'exec')?.value as (
  this: RegExp,
  text: string,
) => RegExpExecArray | null;
/** The twins of the product's patterns, by what they say: many are written where they are used. */
const made = new Map<string, RegExp>();

/** A pattern that gives up after about so many steps, and has a way out where one is wanted. */
function twinOf({ source, flags }: RegExp, most: number, wayOut: string): RegExp {
  const steps = allowances.find((allowance) => allowance >= most) ?? 0;
  const name = `${flags}${String(steps)}${wayOut}${source}`;
  const twin = made.get(name) ?? limited?.(`(?:${source})${wayOut}`, flags, steps);
  if (twin === undefined) throw new Error('the engine does not count');
  made.set(name, twin);
  return twin;
}

/**
 * Runs the work and names every look of a pattern that took more steps than the text which it went
 * over is worth. What one look went over the next does not, so the sum is linear as well.
 */
function tooSlow(work: () => void): readonly string[] {
  const found: string[] = [];
  const counted = function exec(this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = Reflect.apply(realExec, this, [text]);
    const to = match === null ? (this.sticky ? from : text.length) : match.index + match[0].length;
    // Where nothing is found it has a way out, so that giving up is seen to be another thing.
    const wayOut = match === null ? (this.sticky ? '|' : '|$') : '';
    const again = twinOf(this, stepsPerLook + stepsPerCharacter * (to - from), wayOut);
    again.lastIndex = from;
    if (Reflect.apply(realExec, again, [text]) === null) found.push(this.source.slice(0, 80));
    return match;
  };
  Reflect.set(RegExp.prototype, 'exec', counted);
  try {
    work();
  } finally {
    Reflect.set(RegExp.prototype, 'exec', realExec);
  }
  return found;
}

/** What the patterns look for, whole and in parts; one JSON string a line. */
const pieces = readFileSync(new URL('../../fixtures/redact/pieces.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as string);

const hostile = fc
  .tuple(
    fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }),
    fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '!', '\\', '"', "'", ' ', '\n'),
  )
  .map(([head, pump, tail]) => {
    const unit = pump.join('');
    return head.join('') + unit.repeat(Math.ceil(length / unit.length)) + tail;
  });

describe.skipIf(limited === null)('redaction takes steps in step with the text', () => {
  it('however the text is made', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect([text.slice(0, 80), tooSlow(() => redact(text))]).toEqual([text.slice(0, 80), []]);
      }),
      { numRuns: boundedSlice(20, 2_000) },
    );
  });

  it.each(pieces.map((piece) => [piece]))('and so on %j again and again', (piece) => {
    const text = piece.repeat(Math.ceil(length / piece.length));
    expect(tooSlow(() => redact(text))).toEqual([]);
    expect(tooSlow(() => redact(`mysql ${text} -p${text}`))).toEqual([]);
  });

  it('and this would not be so for a pattern that reads the rest anew from many places', () => {
    const text = '-eyJaaaaaaaaaaaa'.repeat(length / 16);
    expect(tooSlow(() => text.replaceAll(/\beyJ[\w-]{10,}\.eyJ/gu, ''))).toHaveLength(1);
    expect(tooSlow(() => 'a'.repeat(19).replaceAll(/(?:a+)+b/gu, ''))).toHaveLength(1);
  });
});
