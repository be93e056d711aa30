import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SealedFrame } from '../../../shared/wire/frames-v2.ts';
import { answerV1 } from '../../../shared/ipc/protocol/v1.ts';
import { createNonceMemory } from '../../../shared/ipc/protocol/context.ts';
import { createLineParser } from '../../../shared/ipc/transport/line-parser.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import { openSessions, settle } from '../../support/sessions.ts';
import { askFrame, execFrame } from './v1/support.ts';

const runs = { seed: 20_261_121, numRuns: 400 };

/** Ways to spoil a line: bytes changed, cut, doubled, put in, and fields swapped for others. */
const spoil = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  how: fc.constantFrom('replace', 'delete', 'insert', 'cut', 'double', 'case', 'space', 'field'),
  text: fc.oneof(
    fc.string({ maxLength: 8, unit: 'binary' }),
    fc.constantFrom('"', '}', ',"seq":1', '\\u0000', '\\"', '0', '-', 'e9', '\u2028', '\ud800'),
  ),
  value: fc.jsonValue(),
  field: fc.nat(),
});
type Spoil = typeof spoil extends fc.Arbitrary<infer T> ? T : never;

function spoiled(line: string, change: Spoil): string {
  const at = Math.floor(change.at * line.length);
  const before = line.slice(0, at);
  switch (change.how) {
    case 'replace':
      return before + change.text + line.slice(at + Math.max(1, change.text.length));
    case 'delete':
      return before + line.slice(at + 1 + change.text.length);
    case 'insert':
      return before + change.text + line.slice(at);
    case 'cut':
      return before;
    case 'double':
      return before + line;
    case 'case':
      return before + line.slice(at).toUpperCase();
    case 'space':
      return `${before} ${line.slice(at)}`;
    default: {
      const frame = JSON.parse(line) as Record<string, unknown>;
      const names = [...Object.keys(frame), 'extra', '__proto__', 'constructor'];
      const name = names[change.field % names.length] ?? 'extra';
      Object.defineProperty(frame, name, { value: change.value, enumerable: true });
      return JSON.stringify(frame);
    }
  }
}

/** What a frame says, whatever its spacing: the same means that nothing was really spoiled. */
function meaning(line: string): string | null {
  try {
    const { seq, ts, body, mac, ...rest } = JSON.parse(line) as SealedFrame;
    return Object.keys(rest).length === 0 ? JSON.stringify([seq, ts, body, mac]) : null;
  } catch {
    return null;
  }
}

describe('frames that were spoiled at random', () => {
  it('never become a decision, and never throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(spoil, { minLength: 1, maxLength: 3 }), async (changes) => {
        const { approver, runner } = await openSessions();
        const digest = runner.session.ask(sampleAsk());
        await settle();
        approver.wire.hold();
        approver.session.decide({ id: 'ask-1', askDigest: digest, decision: 'allow-once' });
        const genuine = approver.wire.take()[0] ?? '';
        let line = genuine;
        for (const change of changes) {
          try {
            line = spoiled(line, change);
          } catch {
            break;
          }
        }
        fc.pre(meaning(line) !== meaning(genuine));
        approver.wire.inject(line);
        await settle();
        expect(runner.heard).toEqual([]);
        expect(runner.violations).toHaveLength(1);
      }),
      runs,
    );
  });

  it('close the session once, whatever line it is', async () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.json(),
      fc
        .record({ seq: fc.jsonValue(), ts: fc.jsonValue(), body: fc.json(), mac: fc.string() })
        .map((frame) => JSON.stringify(frame)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), async (lines) => {
        const { approver, clock, runner } = await openSessions();
        for (const one of lines) {
          approver.wire.inject(one);
          runner.wire.inject(one);
        }
        await settle();
        expect([runner.violations.length, approver.violations.length]).toEqual([1, 1]);
        expect(clock.pending).toBe(0);
      }),
      runs,
    );
  });

  it('of version 1 never reach a handler, and never throw', async () => {
    const genuine = [askFrame(), execFrame()].map((frame) => JSON.stringify(frame));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...genuine), spoil, async (line, change) => {
        const changed = spoiled(line, change);
        let frame: unknown;
        try {
          frame = JSON.parse(changed);
        } catch {
          return;
        }
        fc.pre(typeof frame === 'object' && frame !== null && !Array.isArray(frame));
        const clock = fakeClock();
        const reached: unknown[] = [];
        const answer = await answerV1(frame as Record<string, unknown>, {
          token: 'tok',
          now: () => clock.now(),
          seen: createNonceMemory(clock),
          peer: null,
          signal: new AbortController().signal,
          onViolation: () => {},
          handlers: {
            decide: (request) => {
              reached.push(request.command);
              return Promise.resolve('deny');
            },
            onExec: (request) => {
              reached.push(request.command);
              return Promise.reject(new Error('not run'));
            },
          },
        });
        expect(answer === null || JSON.parse(answer) !== null).toBe(true);
        // A plain request is not signed: only what an exec frame runs is bound to its hmac.
        if (line === genuine[1])
          for (const command of reached) expect(command).toEqual(['echo', 'hi']);
      }),
      runs,
    );
  });

  it('are cut into the same lines however they arrive, or into a fault', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.nat({ max: 200 }), { maxLength: 10 }),
        (bytes, cuts) => {
          expect(linesOf(bytes, cuts)).toEqual(linesOf(bytes, []));
        },
      ),
      runs,
    );
  });
});

function linesOf(bytes: Uint8Array, cuts: readonly number[]): string[] {
  const parser = createLineParser({ clock: fakeClock(), maxBytes: 50, partialFrameMs: 1_000 });
  const seen: string[] = [];
  const receive = ({ type, data }: { type: string; data: string }): void => {
    seen.push(`${type} ${data}`);
  };
  let state: Parameters<typeof parser.read>[0] = '';
  const edges = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length].toSorted(
    (a, b) => a - b,
  );
  edges.slice(1).forEach((edge, index) => {
    const piece = Buffer.from(bytes.subarray(edges[index], edge)).toString('latin1');
    state = parser.read(state, piece, receive);
  });
  parser.finish(state, receive);
  parser.drop(state);
  return seen;
}
