import { askerOf } from '../../shared/engine/index.ts';
import { confirmWord, isArmed } from '../bridge/arming.ts';
import { groupAsks } from '../bridge/grouping.ts';
import type { KeyPress } from '../bridge/keys.ts';
import type { Answer, QueuedAsk } from '../bridge/types.ts';
import { saying } from './screen-state.ts';
import { piece, wrap } from './line.ts';
import type { Line } from './line.ts';
import { safeLine } from './prompt-text.ts';
import type { Focus, ScreenState, Step } from './screen-state.ts';

type GroupFocus = Extract<Focus, { kind: 'group' }>;

/** The most answers that one call takes. */
const mostAtOnce = 200;

/** Opens the list of the requests that are like the one in view. Those that come later are not in it. */
export function groupOpened(state: ScreenState, now: number): ScreenState {
  const group = groupAsks(state.app?.queue ?? []).find(({ asks }) =>
    asks.some(({ ask }) => ask.id === state.shown),
  );
  if (group === undefined || group.asks.length < 2)
    return saying(state, 'No other ask is like this one.', 'caution');
  const asks = group.asks.slice(0, mostAtOnce);
  const focus: GroupFocus = {
    kind: 'group',
    asks,
    allowTogether: group.allowTogether,
    openedAt: now,
    typed: null,
  };
  return { ...state, focus, scroll: 0, message: null };
}

/** A key press while the list is open: `d` denies all in it, `a` and the word allow all. */
export function reduceGroup(
  state: ScreenState,
  { focus, press }: { readonly focus: GroupFocus; readonly press: KeyPress },
  now: number,
): Step {
  const left: ScreenState = { ...state, focus: { kind: 'queue' }, scroll: 0, message: null };
  const stay = (next: Partial<GroupFocus>): Step => ({
    state: { ...state, focus: { ...focus, ...next } },
    effect: null,
  });
  if (press.key === 'Escape') return { state: left, effect: null };
  if (press.repeat === true) return { state, effect: null };
  if (focus.typed !== null) {
    if (press.key === 'Backspace') return stay({ typed: focus.typed.slice(0, -1) });
    if (press.key !== 'Enter') {
      const isLetter = press.ctrlKey !== true && /^[a-z]$/.test(press.key);
      return stay({ typed: isLetter ? (focus.typed + press.key).slice(0, 20) : focus.typed });
    }
    if (focus.typed !== confirmWord)
      return { state: saying(left, 'Not confirmed: nothing was sent.', 'caution'), effect: null };
    return { state: left, effect: answers(focus.asks, 'allow-once') };
  }
  if (press.key === 'd') return { state: left, effect: answers(focus.asks, 'deny') };
  if (press.key !== 'a') return { state, effect: null };
  if (!focus.allowTogether)
    return { state: saying(state, 'A high risk is allowed one by one.', 'caution'), effect: null };
  const exposure = { shownAt: focus.openedAt, focusedAt: state.focusedAt };
  if (!isArmed(exposure, now, state.app?.pace))
    return { state: saying(state, 'Too fast: read the list first.', 'caution'), effect: null };
  return stay({ typed: '' });
}

function answers(asks: readonly QueuedAsk[], decision: 'deny' | 'allow-once'): Step['effect'] {
  return {
    type: 'answers',
    decision,
    answers: asks.map(({ ask, askDigest }): Answer => ({ id: ask.id, askDigest, decision })),
  };
}

/** Every request of the list, each command whole. */
export function groupLines({ asks }: GroupFocus, width: number): readonly Line[] {
  const title = `${String(asks.length)} asks of ${asks[0] === undefined ? '' : safeLine(askerOf(asks[0].ask))} that are alike`;
  return [
    [piece(title, 'strong')],
    ...asks.flatMap(({ ask }, index) => [
      ...wrap([piece(`${String(index + 1)}. `, 'faint'), piece(safeLine(ask.command))], {
        width,
        indent: '   ',
      }),
      ...wrap([piece(`   in ${safeLine(ask.cwd)}`, 'faint')], { width, indent: '   ' }),
    ]),
  ];
}
