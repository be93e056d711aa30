import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../shared/base/index.ts';
import type { KeyPress } from '../bridge/keys.ts';

/** What comes in from a terminal: keys, pasted text, and the window gaining or losing focus. */
export type TerminalInput =
  | { readonly type: 'key'; readonly press: KeyPress }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'focus'; readonly focused: boolean };

const sequences: Readonly<Record<string, string>> = {
  '[A': 'ArrowUp',
  '[B': 'ArrowDown',
  '[C': 'ArrowRight',
  '[D': 'ArrowLeft',
  OA: 'ArrowUp',
  OB: 'ArrowDown',
  OC: 'ArrowRight',
  OD: 'ArrowLeft',
  '[5~': 'PageUp',
  '[6~': 'PageDown',
  '[H': 'Home',
  '[F': 'End',
  '[Z': 'ShiftTab',
};

const controls: Readonly<Record<string, string>> = {
  '\r': 'Enter',
  '\n': 'Enter',
  '\t': 'Tab',
  '\u007F': 'Backspace',
  '\b': 'Backspace',
};

/** How long a lone escape may still be the start of a sequence that arrived in pieces. */
const escapeDelayMs = 60;
const pasteStart = '\u001B[200~';
const pasteEnd = '\u001B[201~';
// eslint-disable-next-line no-control-regex -- these are the bytes of a terminal
const sequenceForm = /^\u001B(\[[0-9;]*[A-Za-z~]|O[A-Z])/;
// eslint-disable-next-line no-control-regex -- the same, still open
const openSequence = /^\u001B(?:\[[0-9;]*|O)?$/;

/**
 * Turns bytes of a terminal into input. Several keys in one piece are pasted or held: they are
 * marked as repeated, so that none of them answers anything.
 */
export function createKeyDecoder(clock: Clock, emit: (input: TerminalInput) => void) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let pasted: string | null = null;
  let cancel: (() => void) | null = null;

  const key = (name: string, flags: Partial<KeyPress> = {}): void => {
    emit({ type: 'key', press: { key: name, ...flags } });
  };
  const one = (crowded: boolean): boolean => {
    const repeat = crowded ? { repeat: true } : {};
    const sequence = sequenceForm.exec(rest);
    if (sequence !== null) {
      const [whole, name = ''] = sequence;
      rest = rest.slice(whole.length);
      if (name === '[I' || name === '[O') emit({ type: 'focus', focused: name === '[I' });
      else if (sequences[name] !== undefined) key(sequences[name], repeat);
      return true;
    }
    if (openSequence.test(rest)) return false;
    const [first = ''] = rest;
    rest = rest.slice(first.length);
    if (first === '\u001B') {
      // Escape and then a character: the Alt key was held.
      const [second = ''] = rest;
      rest = rest.slice(second.length);
      key(second, { altKey: true });
    } else if (controls[first] !== undefined) key(controls[first], repeat);
    else if (first < ' ') {
      key(String.fromCodePoint((first.codePointAt(0) ?? 0) + 96), { ctrlKey: true });
    } else key(first, repeat);
    return true;
  };
  const drain = (): void => {
    const [first = ''] = rest;
    const crowded = rest.length > (sequenceForm.exec(rest)?.[0] ?? first).length;
    while (rest !== '') {
      if (pasted !== null) {
        const end = rest.indexOf(pasteEnd);
        if (end < 0) {
          const kept = Math.max(0, rest.length - pasteEnd.length + 1);
          pasted += rest.slice(0, kept);
          rest = rest.slice(kept);
          return;
        }
        emit({ type: 'paste', text: pasted + rest.slice(0, end) });
        pasted = null;
        rest = rest.slice(end + pasteEnd.length);
      } else if (rest.startsWith(pasteStart)) {
        pasted = '';
        rest = rest.slice(pasteStart.length);
      } else if (!one(crowded)) return;
    }
  };

  return (chunk: Uint8Array): void => {
    cancel?.();
    rest += decoder.write(Buffer.from(chunk));
    drain();
    if (pasted !== null || rest === '') return;
    cancel = clock.after(escapeDelayMs, () => {
      const lone = rest === '\u001B';
      rest = '';
      if (lone) key('Escape');
    });
  };
}
