import { choicesOf, noteLimit } from '../bridge/answering.ts';
import type { Attempt } from '../bridge/answering.ts';
import { confirmWord } from '../bridge/arming.ts';
import { actionOf } from '../bridge/keys.ts';
import type { KeyPress } from '../bridge/keys.ts';
import type { AppState, ElevationEntry } from '../bridge/types.ts';
import { groupOpened, reduceGroup } from './group.ts';
import { answered, chosen, notOffered, saying, shownAsk, widthOf } from './screen-state.ts';
import type { Effect, Focus, Message, ScreenState, Step } from './screen-state.ts';

/**
 * The screen with a new state of the app. The ask in view stays in view while it waits. When it is
 * gone, the oldest takes its place: its delay starts again, and for a moment no key answers it.
 */
export function takeState(screen: ScreenState, app: AppState, now: number): ScreenState {
  const next = { ...screen, app, receivedAt: now };
  if (app.queue.some(({ ask }) => ask.id === screen.shown)) return next;
  const oldest = app.queue[0]?.ask.id ?? null;
  if (oldest === screen.shown) return next;
  return {
    ...next,
    ...inView(oldest, now),
    replacedAt: screen.shown === null ? screen.replacedAt : now,
    focus: focusAfter(screen.focus),
    message: messageAfter(screen),
  };
}

/** The fields that are reset for each ask that comes into view. */
function inView(
  id: string | null,
  now: number,
): Pick<
  ScreenState,
  'shown' | 'shownAt' | 'duration' | 'proposal' | 'everyAgent' | 'note' | 'scroll'
> {
  return {
    shown: id,
    shownAt: now,
    duration: null,
    proposal: null,
    everyAgent: false,
    note: '',
    scroll: 0,
  };
}

function focusAfter(focus: Focus): Focus {
  return focus.kind === 'note' || focus.kind === 'confirm' ? { kind: 'gone' } : focus;
}

/** A message about an earlier ask is outdated; one about the ask that just left is not. */
function messageAfter({ shown, message }: ScreenState): Message | null {
  if (shown === null) return null;
  const told = message !== null && message.tone !== 'caution';
  return told ? message : { text: 'The request in view is gone.', tone: 'caution' };
}

const queueFocus = { kind: 'queue' } as const;

/** A key press while something is typed, confirmed or read. Escape leaves, and answers nothing. */
function reduceFocus(state: ScreenState, press: KeyPress, now: number): Step {
  const { focus } = state;
  const left: ScreenState = { ...state, focus: queueFocus, message: null };
  if (press.key === 'Escape' || isReadOnly(focus)) {
    return { state: { ...left, scroll: 0 }, effect: null };
  }
  if (focus.kind === 'gone') {
    return { state: press.key === 'Enter' ? left : state, effect: null };
  }
  if (focus.kind === 'lockout') {
    if (press.key === 'y' && press.repeat !== true)
      return { state: left, effect: { type: 'lockout' } };
    return { state: saying(left, 'Nothing was locked.', 'caution'), effect: null };
  }
  if (press.key !== 'Enter') {
    const text = edited(focus.text, press);
    return { state: { ...state, focus: { kind: focus.kind, text } }, effect: null };
  }
  if (focus.kind === 'note') {
    return { state: { ...left, note: focus.text.trim() }, effect: null };
  }
  if (focus.text.trim() !== confirmWord) {
    return { state: saying(left, 'Not confirmed: nothing was sent.', 'caution'), effect: null };
  }
  return answered(left, { decision: 'allow-once', confirmed: true }, now);
}

/** Any key leaves these. */
function isReadOnly(focus: Focus): focus is Exclude<Focus, { kind: Typing | 'gone' | 'lockout' }> {
  const { kind } = focus;
  return kind !== 'note' && kind !== 'confirm' && kind !== 'gone' && kind !== 'lockout';
}

type Typing = 'note' | 'confirm';

/** Pasted text: it becomes part of a note, and means nothing anywhere else. */
export function reducePaste(state: ScreenState, pasted: string): ScreenState {
  if (state.focus.kind !== 'note') return state;
  const words = pasted.replaceAll(/\s+/g, ' ').replaceAll(/\p{Cc}/gu, '');
  const text = (state.focus.text + words).slice(0, noteLimit);
  return { ...state, focus: { kind: 'note', text } };
}

function edited(text: string, press: KeyPress): string {
  if (press.key === 'Backspace') return Array.from(text).slice(0, -1).join('');
  if (press.ctrlKey === true) return press.key === 'u' ? '' : text;
  const typed = press.altKey !== true && Array.from(press.key).length === 1;
  return typed ? (text + press.key).slice(0, noteLimit) : text;
}

const helpFocus = { kind: 'help' } as const;
const lockoutFocus = { kind: 'lockout' } as const;

/** The screen after a key press. Only the ask in view is ever answered. */
export function reduceKey(before: ScreenState, press: KeyPress, now: number): Step {
  const state = { ...before, message: null };
  if (press.ctrlKey === true && press.key === 'c') return { state, effect: { type: 'quit' } };
  const { focus } = state;
  const moved = isRead(focus) ? scrolled(state, press.key, now) : null;
  if (focus.kind !== 'queue' && moved !== null) return still(moved);
  if (focus.kind === 'group') return reduceGroup(state, { focus, press }, now);
  const lowered = focus.kind === 'raised' ? lowerOf(focus.elevated, press) : null;
  if (lowered !== null)
    return { state: { ...state, focus: queueFocus, scroll: 0 }, effect: lowered };
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
    case 'widen':
      return still(widened(state, now));
    case 'everyone':
      return still(forEveryAgent(state, now));
    case 'deny':
      return answered(state, { decision: 'deny', confirmed: false }, now);
    case 'never':
      return answered(state, { decision: 'deny', never: true, confirmed: false }, now);
    case 'allow-once':
      return answered(state, { decision: 'allow-once', confirmed: false }, now);
    case 'remember':
      return answered(state, rememberOf(state), now);
    default:
      return still(state);
  }
}

/** Text that is longer than the screen and can only be scrolled. */
function isRead(focus: ScreenState['focus']): boolean {
  const { kind } = focus;
  return (
    kind === 'queue' ||
    kind === 'missed' ||
    kind === 'raised' ||
    kind === 'history' ||
    (focus.kind === 'group' && focus.typed === null)
  );
}

/** The number before a raised session ends it. */
function lowerOf(elevated: readonly ElevationEntry[], press: KeyPress): Effect | null {
  if (press.ctrlKey === true || press.altKey === true || press.repeat === true) return null;
  const found = /^[1-9]$/.test(press.key) ? elevated[Number(press.key) - 1] : undefined;
  return found === undefined ? null : { type: 'lower', id: found.id };
}

/** Keys that only the terminal has: in a window these lists are tabs. */
function listOpened(state: ScreenState, press: KeyPress, now: number): Step | null {
  if (press.ctrlKey === true || press.altKey === true || press.repeat === true) return null;
  if (press.key === 'g') return still(groupOpened(state, now));
  if (press.key === 'm') return still({ ...state, focus: { kind: 'missed' }, scroll: 0 });
  const elevated = state.app?.runner?.elevated ?? [];
  if (press.key === 'r' && elevated.length > 0)
    return still({ ...state, focus: { kind: 'raised', elevated }, scroll: 0 });
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

function scrolled(state: ScreenState, key: string, now: number): ScreenState | null {
  if (key === 'PageDown' || key === ' ') return { ...state, scroll: state.scroll + pageRows };
  if (key === 'PageUp') return { ...state, scroll: Math.max(0, state.scroll - pageRows) };
  if (key === 'Home') return { ...state, scroll: 0 };
  return key === 'Tab' ? widened(state, now) : null;
}

/** Another sentence has to be read anew before it counts, as in the page. */
function widened(state: ScreenState, now: number): ScreenState {
  const shown = shownAsk(state);
  const choices = shown === null ? null : choicesOf(shown);
  if (choices === null || choices.proposals.length === 0) return state;
  const proposal = (widthOf(state, choices) + 1) % choices.proposals.length;
  return { ...state, proposal, shownAt: now };
}

function forEveryAgent(state: ScreenState, now: number): ScreenState {
  const shown = shownAsk(state);
  if (shown === null) return state;
  const isOffered = choicesOf(shown).everyAgent && chosen(state).duration === 'always';
  return isOffered
    ? { ...state, everyAgent: !state.everyAgent, shownAt: now }
    : saying(state, 'Only an "always" can be given for every agent.', 'caution');
}

function still(state: ScreenState): Step {
  return { state, effect: null };
}
