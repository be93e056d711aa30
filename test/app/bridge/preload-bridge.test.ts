import { describe, expect, it } from 'vitest';
import { bridgeOverPreload } from '../../../app/bridge/preload-bridge.ts';
import { pushBetween } from '../../../app/bridge/state-push.ts';
import type { StatePush } from '../../../app/bridge/state-push.ts';
import type { AppState } from '../../../app/bridge/types.ts';

const at = (revision: number, now = revision): AppState => ({
  revision,
  now,
  runner: null,
  queue: [],
  missed: [],
  policy: { hash: String(revision), problem: null },
});

/** A bridge whose reads of the whole state are answered when the test says so. */
function follow() {
  const reads: ((state: AppState | null) => void)[] = [];
  let push: (push: StatePush) => void = () => undefined;
  const bridge = bridgeOverPreload({
    onPush: (listener) => void (push = listener),
    state: () => new Promise((resolve) => reads.push(resolve)),
    call: () => expect.unreachable(),
  });
  const seen: AppState[] = [];
  bridge.subscribe((state) => seen.push(state));
  const answer = async (state: AppState | null): Promise<void> => {
    reads.shift()?.(state);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { bridge, seen, reads, answer, push: (sent: StatePush) => push(sent) };
}

describe('the bridge of a window', () => {
  it('begins with the whole state and follows the changes', async () => {
    const { bridge, seen, answer, push } = follow();
    await answer(at(1));
    push(pushBetween(at(1), at(2)));
    expect(seen).toEqual([at(1), at(2)]);
    const late: number[] = [];
    bridge.subscribe(({ revision }) => late.push(revision));
    expect(late).toEqual([2]);
  });

  it('puts the changes that came first on a state that is read late', async () => {
    const { seen, answer, push } = follow();
    push(pushBetween(at(1), at(2)));
    push(pushBetween(at(2), at(3)));
    await answer(at(2));
    expect(seen).toEqual([at(2), at(3)]);
  });

  it('does not go back to an older state', async () => {
    const { seen, answer, push } = follow();
    push({ type: 'state', state: at(3) });
    await answer(at(9));
    push(pushBetween(at(7), at(8)));
    expect(seen).toEqual([at(9)]);
  });

  it('reads the whole state again when it missed a change', async () => {
    const { seen, reads, answer, push } = follow();
    await answer(at(1));
    push(pushBetween(at(4), at(5)));
    expect(reads).toHaveLength(1);
    await answer(at(5));
    push(pushBetween(at(5), at(6)));
    expect(seen).toEqual([at(1), at(5), at(6)]);
  });

  it('takes the first whole push when there was no state yet', async () => {
    const { seen, answer, push } = follow();
    await answer(null);
    push({ type: 'state', state: at(1) });
    expect(seen).toEqual([at(1)]);
  });
});
