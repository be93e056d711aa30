import { grantDurations } from '../../shared/engine/index.ts';
import type { GrantDuration } from '../../shared/engine/index.ts';

/** What a key does. The same on every surface. */
export type KeyAction =
  | { readonly type: 'deny' }
  | { readonly type: 'never' }
  | { readonly type: 'allow-once' }
  | { readonly type: 'remember' }
  | { readonly type: 'widen' }
  | { readonly type: 'everyone' }
  | { readonly type: 'note' }
  | { readonly type: 'next' }
  | { readonly type: 'previous' }
  | { readonly type: 'duration'; readonly duration: GrantDuration }
  | { readonly type: 'lockout' }
  | { readonly type: 'help' };

/** A key press in the terms of the DOM's `KeyboardEvent`; the terminal translates into them. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey?: boolean;
  readonly altKey?: boolean;
  readonly metaKey?: boolean;
  /** A key that is held down repeats: repeats move the selection and never answer. */
  readonly repeat?: boolean;
}

/** One line of the key table: `keys` as `KeyboardEvent.key`, `caption` for buttons and help. */
interface KeyBinding {
  readonly action: KeyAction;
  readonly keys: readonly string[];
  readonly caption: string;
}

const durationBindings: readonly KeyBinding[] = grantDurations.map((duration, index) => ({
  action: { type: 'duration', duration },
  keys: [String(index + 1)],
  caption: String(index + 1),
}));

/** All keys. A capital letter means the shifted key: what lasts should take two fingers. */
export const keyBindings: readonly KeyBinding[] = [
  { action: { type: 'deny' }, keys: ['d', 'Escape'], caption: 'd' },
  { action: { type: 'never' }, keys: ['D'], caption: 'D' },
  { action: { type: 'allow-once' }, keys: ['a'], caption: 'a' },
  { action: { type: 'remember' }, keys: ['A'], caption: 'A' },
  { action: { type: 'widen' }, keys: ['w'], caption: 'w' },
  { action: { type: 'everyone' }, keys: ['e'], caption: 'e' },
  { action: { type: 'note' }, keys: ['n'], caption: 'n' },
  { action: { type: 'next' }, keys: ['j', 'ArrowDown'], caption: 'j' },
  { action: { type: 'previous' }, keys: ['k', 'ArrowUp'], caption: 'k' },
  ...durationBindings,
  { action: { type: 'lockout' }, keys: ['L'], caption: 'L' },
  { action: { type: 'help' }, keys: ['?'], caption: '?' },
];

/** The action of a key press, or null for a key that means nothing here. */
export function actionOf(press: KeyPress): KeyAction | null {
  if (press.ctrlKey === true || press.altKey === true || press.metaKey === true) return null;
  const binding = keyBindings.find(({ keys }) => keys.includes(press.key));
  if (binding === undefined) return null;
  const moves = binding.action.type === 'next' || binding.action.type === 'previous';
  return press.repeat === true && !moves ? null : binding.action;
}

/** The key cap shown on an action's button, e.g. `d`; empty when it has no key. */
export function captionOf(type: KeyAction['type'], duration?: GrantDuration): string {
  const binding = keyBindings.find(
    ({ action }) =>
      action.type === type && (action.type !== 'duration' || action.duration === duration),
  );
  return binding?.caption ?? '';
}
