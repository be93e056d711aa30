import { describe, expect, it } from 'vitest';
import { createAskQueue, waitingLimit } from '../../../app/host/ask-queue.ts';
import type { Asker } from '../../../app/host/ask-queue.ts';
import type { Decision } from '../../../shared/engine/ask.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

const first = queuedAsk({ id: 'first' });
const deny = (id = 'first', askDigest = first.askDigest): Decision => ({
  id,
  askDigest,
  decision: 'deny',
});

function asker(takes = true): Asker & { readonly got: Decision[] } {
  const got: Decision[] = [];
  return { got, deliver: (decision) => takes && got.push(decision) > 0 };
}

function openQueue() {
  const changes: number[] = [];
  const asks = createAskQueue({
    now: () => 5,
    onChange: ({ waiting }) => changes.push(waiting.length),
  });
  return { asks, changes };
}

describe('the queue of asks', () => {
  it('hands the first answer to who asked, and takes no second one', () => {
    const { asks, changes } = openQueue();
    const runner = asker();
    asks.take(runner, first);
    expect(asks.answer(deny())).toBe(true);
    expect(asks.answer({ ...deny(), decision: 'allow-once' })).toBe(false);
    expect(runner.got).toEqual([deny()]);
    expect(changes).toEqual([1, 0]);
  });

  it('takes no answer that names another text than the one that waits', () => {
    const { asks } = openQueue();
    const runner = asker();
    asks.take(runner, first);
    expect(asks.answer(deny('first', 'b'.repeat(64)))).toBe(false);
    expect(runner.got).toEqual([]);
    expect(asks.state().waiting).toHaveLength(1);
  });

  it('takes no answer to an ask that is unknown or was withdrawn', () => {
    const { asks } = openQueue();
    const runner = asker();
    expect(asks.answer(deny())).toBe(false);
    asks.take(runner, first);
    asks.withdraw(runner, 'first', 'expired');
    expect(asks.answer(deny())).toBe(false);
    expect(runner.got).toEqual([]);
  });

  it('sends the answer to nobody but the one who asked', () => {
    const { asks } = openQueue();
    const [one, two] = [asker(), asker()];
    const second = queuedAsk({ id: 'second' });
    asks.take(one, first);
    asks.take(two, second);
    asks.answer(deny('second', second.askDigest));
    expect(one.got).toEqual([]);
    expect(two.got).toHaveLength(1);
  });

  it('lets nobody take back or replace what another asked', () => {
    const { asks } = openQueue();
    const [owner, stranger] = [asker(), asker()];
    asks.take(owner, first);
    expect(asks.take(stranger, queuedAsk({ id: 'first', command: 'true' }))).toBe(false);
    asks.withdraw(stranger, 'first', 'expired');
    asks.withdrawAll(stranger, 'requester-gone');
    expect(asks.state().waiting).toEqual([first]);
  });

  it('takes back every ask of one who went away, and keeps the others', () => {
    const { asks } = openQueue();
    const [gone, stays] = [asker(), asker()];
    asks.take(gone, first);
    asks.take(stays, queuedAsk({ id: 'other' }));
    asks.take(gone, queuedAsk({ id: 'third' }));
    asks.withdrawAll(gone, 'runner-stopping');
    expect(asks.state().waiting.map(({ ask }) => ask.id)).toEqual(['other']);
    expect(asks.state().missed.map(({ reason }) => reason)).toEqual([
      'runner-stopping',
      'runner-stopping',
    ]);
  });

  it('says so when the one who asked does not take the answer any more', () => {
    const { asks } = openQueue();
    asks.take(asker(false), first);
    expect(asks.answer(deny())).toBe(false);
    expect(asks.state().missed).toMatchObject([{ reason: 'requester-gone', at: 5 }]);
  });

  it('takes no more asks than a person could ever read', () => {
    const { asks } = openQueue();
    const flood = asker();
    const taken = Array.from({ length: waitingLimit + 1 }, (_, n) =>
      asks.take(flood, queuedAsk({ id: String(n) })),
    );
    expect(taken.filter(Boolean)).toHaveLength(waitingLimit);
    expect(taken.at(-1)).toBe(false);
  });

  it('tells of what a rule covers by now, and counts it as neither missed nor answered', () => {
    const { asks } = openQueue();
    const runner = asker();
    asks.take(runner, first);
    asks.withdraw(runner, 'first', 'covered');
    expect(asks.state()).toMatchObject({
      waiting: [],
      missed: [],
      covered: [{ id: 'first', agent: first.ask.agent, at: 5 }],
    });
    expect(asks.answeredAny()).toBe(false);
  });
});
