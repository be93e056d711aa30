import { choicesOf } from '../bridge/answering.ts';
import type { Attempt } from '../bridge/answering.ts';
import { actionOf } from '../bridge/keys.ts';
import type { KeyPress } from '../bridge/keys.ts';
import { answered, chosen, notOffered, saying } from './answer.ts';
import { groupOpened, reduceGroup } from './group.ts';
import { reduceFocus } from './reduce-focus.ts';
import { shownAsk } from './screen-state.ts';
import type { ScreenState, Step } from './screen-state.ts';
import { inView } from './take-state.ts';

const helpFocus = { kind: 'help' } as const;
const lockoutFocus = { kind: 'lockout' } as const;

/** The screen after a key press. Only the ask in view is ever answered. */
export function reduceKey(before: ScreenState, press: KeyPress, now: number): Step {
  const state = { ...before, message: null };
  if (press.ctrlKey === true && press.key === 'c') return { state, effect: { type: 'quit' } };
  const { focus } = state;
  const moved = isRead(focus) ? scrolled(state, press.key) : null;
  if (focus.kind !== 'queue' && moved !== null) return still(moved);
  if (focus.kind === 'group') return reduceGroup(state, { focus, press }, now);
  if (focus.kind !== 'queue') return reduceFocus(state, press, now);
  if (moved !== null) return still(moved);
  const list = listOpened(state, press, now);
  if (list !== null) return list;
  const action = actionOf(press);
  switch (action?.type) {
    case 'help':
      return still({ ...state, focus: helpFocus });
    case 'lockout':
      return still({ ...state, focus: lockoutFocus });
    case 'next':
      return still(selected(state, 1, now));
    case 'previous':
      return still(selected(state, -1, now));
    case 'note':
      return still(noteOpened(state));
    case 'duration':
      return still(withDuration(state, action.duration));
    case 'deny':
      return answered(state, { decision: 'deny', confirmed: false }, now);
    case 'allow-once':
      return answered(state, { decision: 'allow-once', confirmed: false }, now);
    case 'remember':
      return answered(state, rememberOf(state), now);
    default:
      return still(state);
  }
}

/** What is longer than the screen and only read. */
function isRead(focus: ScreenState['focus']): boolean {
  const { kind } = focus;
  return (
    kind === 'queue' ||
    kind === 'missed' ||
    kind === 'history' ||
    (focus.kind === 'group' && focus.typed === null)
  );
}

/** Keys that only the terminal has: in a window these lists are tabs. */
function listOpened(state: ScreenState, press: KeyPress, now: number): Step | null {
  if (press.ctrlKey === true || press.altKey === true || press.repeat === true) return null;
  if (press.key === 'g') return still(groupOpened(state, now));
  if (press.key === 'm') return still({ ...state, focus: { kind: 'missed' }, scroll: 0 });
  if (press.key === 'h') return { state, effect: { type: 'history' } };
  return null;
}

function rememberOf(state: ScreenState): Omit<Attempt, 'shown' | 'note'> {
  const wanted = chosen(state);
  return wanted.duration === 'once'
    ? { decision: 'allow-once', confirmed: false }
    : { decision: 'allow-always', confirmed: false, ...wanted };
}

function selected(state: ScreenState, by: number, now: number): ScreenState {
  const queue = state.app?.queue ?? [];
  const at = queue.findIndex(({ ask }) => ask.id === state.shown);
  const next = queue[at + by]?.ask.id;
  if (at < 0 || next === undefined) return state;
  return { ...state, ...inView(next, now), message: null };
}

function noteOpened(state: ScreenState): ScreenState {
  if (shownAsk(state) === null) return state;
  return { ...state, focus: { kind: 'note', text: state.note }, message: null };
}

function withDuration(
  state: ScreenState,
  duration: NonNullable<ScreenState['duration']>,
): ScreenState {
  const shown = shownAsk(state);
  if (shown === null) return state;
  const offered = duration === 'once' || choicesOf(shown).durations.includes(duration);
  return offered ? { ...state, duration, message: null } : saying(state, notOffered, 'caution');
}

/** Rows that a page key moves; the view holds the scroll within the text. */
const pageRows = 8;

function scrolled(state: ScreenState, key: string): ScreenState | null {
  if (key === 'PageDown' || key === ' ') return { ...state, scroll: state.scroll + pageRows };
  if (key === 'PageUp') return { ...state, scroll: Math.max(0, state.scroll - pageRows) };
  if (key === 'Home') return { ...state, scroll: 0 };
  if (key !== 'Tab') return null;
  const shown = shownAsk(state);
  const count = shown === null ? 0 : choicesOf(shown).proposals.length;
  return { ...state, proposal: count === 0 ? 0 : (state.proposal + 1) % count };
}

function still(state: ScreenState): Step {
  return { state, effect: null };
}
