import { describe, expect, it } from 'vitest';
import { emptyQueue, missedLimit, reduceQueue } from '../../../app/host/ask-queue.ts';
import type { QueueEvent, QueueState } from '../../../app/host/ask-queue.ts';
import type { WithdrawReason } from '../../../shared/engine/ask.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

const asked = (id: string, createdAt = 0): QueueEvent => ({
  type: 'asked',
  queued: queuedAsk({ id, createdAt }),
});
const withdrawn = (id: string, reason: WithdrawReason = 'expired', at = 9): QueueEvent => ({
  type: 'withdrawn',
  id,
  reason,
  at,
});
const after = (...events: QueueEvent[]): QueueState => events.reduce(reduceQueue, emptyQueue);
const ids = (state: QueueState): string[] => state.waiting.map(({ ask }) => ask.id);

describe('the queue', () => {
  it('stands oldest first, however the asks came in', () => {
    expect(ids(after(asked('b', 2), asked('a', 1), asked('c', 3)))).toEqual(['a', 'b', 'c']);
  });

  it('keeps the first of two asks with one id', () => {
    const other = { ...queuedAsk({ id: 'a', command: 'rm -rf /' }) };
    const state = after(asked('a'), { type: 'asked', queued: other });
    expect(state.waiting).toHaveLength(1);
    expect(state.waiting[0]?.ask.command).not.toBe('rm -rf /');
  });

  it('drops an answered ask without missing it', () => {
    expect(after(asked('a'), { type: 'answered', id: 'a' })).toEqual(emptyQueue);
  });

  it('does not count an ask as missed that was answered elsewhere', () => {
    expect(after(asked('a'), withdrawn('a', 'answered')).missed).toEqual([]);
  });

  it.each([
    'expired',
    'requester-gone',
    'lockout',
    'box-lockout',
    'pause',
    'runner-stopping',
  ] as const)('keeps an ask that ended by "%s" among the missed', (reason) => {
    const { waiting, missed } = after(asked('a'), withdrawn('a', reason, 77));
    expect(waiting).toEqual([]);
    expect(missed).toMatchObject([{ ask: { id: 'a' }, reason, at: 77 }]);
  });

  it('does not move for events about asks that do not wait', () => {
    const state = after(asked('a'), withdrawn('a'));
    expect(reduceQueue(state, withdrawn('a'))).toBe(state);
    expect(reduceQueue(state, { type: 'answered', id: 'a' })).toBe(state);
    expect(reduceQueue(state, withdrawn('never'))).toBe(state);
  });

  it('remembers the newest missed asks only, newest first', () => {
    const events = Array.from({ length: missedLimit + 5 }, (_, n) => [
      asked(String(n)),
      withdrawn(String(n)),
    ]).flat();
    const { missed } = after(...events);
    expect(missed).toHaveLength(missedLimit);
    expect(missed[0]?.ask.id).toBe(String(missedLimit + 4));
  });
});
