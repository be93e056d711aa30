import { noteLimit } from '../bridge/answering.ts';
import { confirmWord } from '../bridge/arming.ts';
import type { KeyPress } from '../bridge/keys.ts';
import { answered, saying } from './answer.ts';
import type { Focus, ScreenState, Step } from './screen-state.ts';

const queueFocus = { kind: 'queue' } as const;

/** A key press while something is typed, confirmed or read. Escape leaves, and answers nothing. */
export function reduceFocus(state: ScreenState, press: KeyPress, now: number): Step {
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
