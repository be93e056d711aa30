import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPush, pushBetween } from '../../../app/bridge/state-push.ts';
import type { AppState } from '../../../app/bridge/types.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

const asks = Array.from({ length: 12 }, (_, index) => {
  const queued = queuedAsk({ id: `ask-${index}`, createdAt: index });
  return { ...queued, askDigest: String(index % 10).repeat(64) };
});

function stateWith(revision: number, part: Partial<AppState>): AppState {
  return {
    revision,
    now: revision * 10,
    runner: null,
    queue: [],
    missed: [],
    policy: { hash: '', problem: null },
    ...part,
  };
}

const parts = fc.record({
  queue: fc.uniqueArray(fc.constantFrom(...asks), { selector: ({ ask }) => ask.id }),
  missed: fc
    .uniqueArray(fc.constantFrom(...asks), { selector: ({ ask }) => ask.id })
    .map((ended) => ended.map(({ ask }) => ({ ask, reason: 'expired' as const, at: 5 }))),
  policy: fc.record({ hash: fc.constantFrom('a', 'b'), problem: fc.constant(null) }),
  canStartRunner: fc.boolean(),
  canOpenBrowser: fc.boolean(),
});

describe('a push', () => {
  it('takes a page from any state to any other, over JSON', () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const before = stateWith(1, one);
        const after = stateWith(2, other);
        const sent = JSON.parse(JSON.stringify(pushBetween(before, after)));
        expect(sent.type).toBe('change');
        expect(applyPush(before, sent)).toEqual(after);
      }),
    );
  });

  it('carries an ask that joins a long queue, and not the queue', () => {
    const long = Array.from({ length: 400 }, (_, index) =>
      queuedAsk({ id: `old-${index}`, createdAt: index }),
    );
    const newest = queuedAsk({ id: 'new', createdAt: 1_000 });
    const push = pushBetween(
      stateWith(1, { queue: long }),
      stateWith(2, { queue: [...long, newest] }),
    );
    expect(push).toEqual({
      type: 'change',
      change: { base: 1, revision: 2, now: 20, queue: { insert: [{ at: 400, items: [newest] }] } },
    });
  });

  it('is whole at first, when a part is gone, and when asks cannot be told apart', () => {
    const plain = stateWith(2, {});
    expect(pushBetween(null, plain)).toEqual({ type: 'state', state: plain });
    expect(pushBetween(stateWith(1, { canStartRunner: true }), plain).type).toBe('state');
    const twice = stateWith(3, { queue: [queuedAsk(), queuedAsk()] });
    expect(pushBetween(plain, twice).type).toBe('state');
  });

  it('fits no other state than the one that it was made for', () => {
    const push = pushBetween(stateWith(1, {}), stateWith(2, { queue: asks }));
    expect(applyPush(null, push)).toBeNull();
    expect(applyPush(stateWith(3, {}), push)).toBeNull();
    expect(applyPush(stateWith(1, { queue: asks.slice(0, 1) }), push)).toBeNull();
  });
});
