import { describe, expect, it } from 'vitest';
import { createAskDesk, waitingLimit } from '../../../app/host/ask-queue.ts';
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

function openDesk() {
  const changes: number[] = [];
  const desk = createAskDesk({
    now: () => 5,
    onChange: ({ waiting }) => changes.push(waiting.length),
  });
  return { desk, changes };
}

describe('the ask desk', () => {
  it('hands the first answer to who asked, and takes no second one', () => {
    const { desk, changes } = openDesk();
    const runner = asker();
    desk.take(runner, first);
    expect(desk.answer(deny())).toBe(true);
    expect(desk.answer({ ...deny(), decision: 'allow-once' })).toBe(false);
    expect(runner.got).toEqual([deny()]);
    expect(changes).toEqual([1, 0]);
  });

  it('takes no answer that names another text than the one that waits', () => {
    const { desk } = openDesk();
    const runner = asker();
    desk.take(runner, first);
    expect(desk.answer(deny('first', 'b'.repeat(64)))).toBe(false);
    expect(runner.got).toEqual([]);
    expect(desk.state().waiting).toHaveLength(1);
  });

  it('takes no answer to an ask that is unknown or was withdrawn', () => {
    const { desk } = openDesk();
    const runner = asker();
    expect(desk.answer(deny())).toBe(false);
    desk.take(runner, first);
    desk.withdraw(runner, 'first', 'expired');
    expect(desk.answer(deny())).toBe(false);
    expect(runner.got).toEqual([]);
  });

  it('sends the answer to nobody but the one who asked', () => {
    const { desk } = openDesk();
    const [one, two] = [asker(), asker()];
    const second = queuedAsk({ id: 'second' });
    desk.take(one, first);
    desk.take(two, second);
    desk.answer(deny('second', second.askDigest));
    expect(one.got).toEqual([]);
    expect(two.got).toHaveLength(1);
  });

  it('lets nobody take back or replace what another asked', () => {
    const { desk } = openDesk();
    const [owner, stranger] = [asker(), asker()];
    desk.take(owner, first);
    expect(desk.take(stranger, queuedAsk({ id: 'first', command: 'true' }))).toBe(false);
    desk.withdraw(stranger, 'first', 'expired');
    desk.withdrawAll(stranger, 'requester-gone');
    expect(desk.state().waiting).toEqual([first]);
  });

  it('takes back every ask of one who went away, and keeps the others', () => {
    const { desk } = openDesk();
    const [gone, stays] = [asker(), asker()];
    desk.take(gone, first);
    desk.take(stays, queuedAsk({ id: 'other' }));
    desk.take(gone, queuedAsk({ id: 'third' }));
    desk.withdrawAll(gone, 'runner-stopping');
    expect(desk.state().waiting.map(({ ask }) => ask.id)).toEqual(['other']);
    expect(desk.state().missed.map(({ reason }) => reason)).toEqual([
      'runner-stopping',
      'runner-stopping',
    ]);
  });

  it('says so when the one who asked does not take the answer any more', () => {
    const { desk } = openDesk();
    desk.take(asker(false), first);
    expect(desk.answer(deny())).toBe(false);
    expect(desk.state().missed).toMatchObject([{ reason: 'requester-gone', at: 5 }]);
  });

  it('takes no more asks than a person could ever read', () => {
    const { desk } = openDesk();
    const flood = asker();
    const taken = Array.from({ length: waitingLimit + 1 }, (_, n) =>
      desk.take(flood, queuedAsk({ id: String(n) })),
    );
    expect(taken.filter(Boolean)).toHaveLength(waitingLimit);
    expect(taken.at(-1)).toBe(false);
  });
});
