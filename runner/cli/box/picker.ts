import { displayPlain } from '../../../shared/base/index.ts';

/** The list of boxes at a terminal, as data: what it shows, and what a key does. No I/O. */

export interface PickerBox {
  readonly name: string;
  readonly template: string;
  readonly state: 'running' | 'stopped' | 'unfinished';
  /** A person has locked it, and nothing of it starts. */
  readonly locked: boolean;
  /** Milliseconds since the epoch; null while it does not run. */
  readonly startedAt: number | null;
  /** How many terminals show it. */
  readonly attached: number;
}

export interface PickerState {
  readonly boxes: readonly PickerBox[];
  /** The name that is marked, and not its place: the list may change meanwhile. */
  readonly marked: string | null;
  /** The box that is to be ended, while a person is asked whether they mean it. */
  readonly ending: string | null;
  /** What happened last, as a sentence. */
  readonly said: string;
}

/** What the list asks for. */
export type PickerAct =
  | { readonly kind: 'attach' | 'down'; readonly name: string }
  | { readonly kind: 'new' | 'quit' | 'look' };

export const emptyPicker: PickerState = { boxes: [], marked: null, ending: null, said: '' };

/** The same list with the boxes of now. */
export function withBoxes(state: PickerState, boxes: readonly PickerBox[]): PickerState {
  const isThere = boxes.some(({ name }) => name === state.marked);
  return { ...state, boxes, marked: isThere ? state.marked : (boxes[0]?.name ?? null) };
}

const escape = '\u001B';
const keys = new RegExp(`${escape}(?:\\[[\\d;]*[A-Za-z~]|O[A-Za-z])?|[^]`, 'gu');

/** The keys in what a terminal sent, arrows as one each. */
export function keysOf(text: string): readonly string[] {
  return text.match(keys) ?? [];
}

/** What a key changes, and what it asks for; null for nothing. */
export function press(
  state: PickerState,
  key: string,
): { readonly state: PickerState; readonly act: PickerAct | null } {
  const { marked, ending } = state;
  if (ending !== null) {
    const calm = { ...state, ending: null, said: '' };
    // Only this key ends anything: every other one is a no.
    return { state: calm, act: key === 'y' ? { kind: 'down', name: ending } : null };
  }
  const clear = { ...state, said: '' };
  if (['\u001B[B', '\u001BOB', 'j'].includes(key)) return { state: move(clear, 1), act: null };
  if (['\u001B[A', '\u001BOA', 'k'].includes(key)) return { state: move(clear, -1), act: null };
  if (['q', '\u0003', '\u0004'].includes(key)) return { state: clear, act: { kind: 'quit' } };
  if (key === 'n') return { state: clear, act: { kind: 'new' } };
  if (key === 'r') return { state: clear, act: { kind: 'look' } };
  if (marked === null) return { state: clear, act: null };
  if (key === '\r' || key === '\n') return { state: clear, act: { kind: 'attach', name: marked } };
  return { state: key === 'd' ? { ...clear, ending: marked } : clear, act: null };
}

function move(state: PickerState, by: number): PickerState {
  const at = state.boxes.findIndex(({ name }) => name === state.marked) + by;
  const to = state.boxes[Math.max(0, Math.min(at, state.boxes.length - 1))];
  return { ...state, marked: to?.name ?? null };
}

/** The lines that it shows, none longer than `columns`. */
export function pickerLines(
  { boxes, marked, ending, said }: PickerState,
  { now, columns }: { readonly now: number; readonly columns: number },
): readonly string[] {
  const widest = Math.max(0, ...boxes.map(({ name }) => name.length));
  const rows = boxes.map(({ name, template, state, locked, startedAt, attached }) => {
    const age = startedAt === null ? '' : ageOf(now - startedAt);
    const shown = attached === 0 ? '' : `${String(attached)} attached`;
    const mark = name === marked ? '>' : ' ';
    const cells = [
      name.padEnd(widest),
      template.padEnd(12),
      (locked ? 'locked' : state).padEnd(10),
      age.padStart(4),
      shown,
    ];
    return `${mark} ${cells.join('  ')}`.trimEnd();
  });
  const asked =
    ending === null ? said : `End the box "${ending}"? y ends it, any other key does not.`;
  const lines = [
    'Boxes',
    '',
    ...(rows.length === 0 ? ['  There are none. n makes one.'] : rows),
    '',
    'Enter attach · n new · d down · r look again · q quit',
    asked,
  ];
  return lines.map((line) => displayPlain(line).slice(0, columns));
}

function ageOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${String(minutes)}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${String(hours)}h` : `${String(Math.floor(hours / 24))}d`;
}
