import { describe, expect, it } from 'vitest';
import { actionOf, captionOf, keyBindings } from '../../../app/bridge/keys.ts';
import type { KeyPress } from '../../../app/bridge/keys.ts';

describe('keys', () => {
  const table: readonly (readonly [KeyPress, unknown])[] = [
    [{ key: 'd' }, { type: 'deny' }],
    [{ key: 'Escape' }, { type: 'deny' }],
    [{ key: 'a' }, { type: 'allow-once' }],
    [{ key: 'A' }, { type: 'remember' }],
    [{ key: 'n' }, { type: 'note' }],
    [{ key: 'j' }, { type: 'next' }],
    [{ key: 'ArrowDown' }, { type: 'next' }],
    [{ key: 'k' }, { type: 'previous' }],
    [{ key: 'ArrowUp' }, { type: 'previous' }],
    [{ key: '1' }, { type: 'duration', duration: 'once' }],
    [{ key: '5' }, { type: 'duration', duration: 'always' }],
    [{ key: 'L' }, { type: 'lockout' }],
    [{ key: '?' }, { type: 'help' }],
    [{ key: 'l' }, null],
    [{ key: 'D' }, { type: 'never' }],
    [{ key: 'D', repeat: true }, null],
    [{ key: 'Enter' }, null],
    [{ key: ' ' }, null],
    [{ key: '6' }, null],
  ];
  it.each(table)('%o means %o', (press, action) => {
    expect(actionOf(press)).toEqual(action);
  });

  it('leaves chords to the browser and the terminal', () => {
    expect(actionOf({ key: 'a', ctrlKey: true })).toBeNull();
    expect(actionOf({ key: 'd', metaKey: true })).toBeNull();
    expect(actionOf({ key: 'A', altKey: true })).toBeNull();
  });

  it('never answers by a key that is held down', () => {
    const held = keyBindings
      .flatMap(({ keys }) => keys)
      .filter((key) => actionOf({ key, repeat: true }) !== null);
    expect(held).toEqual(['j', 'ArrowDown', 'k', 'ArrowUp']);
  });

  it('gives no key two meanings', () => {
    const keys = keyBindings.flatMap((binding) => binding.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('knows what to write on a button', () => {
    expect(captionOf('deny')).toBe('d');
    expect(captionOf('duration', 'session')).toBe('3');
  });
});
