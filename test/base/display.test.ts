import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayPlain, displayText } from '../../shared/base/display.ts';

describe('display text', () => {
  it.each([
    ['git status -s\n\techo done'],
    ['git commit -m "Größe, naïve, 日本語 — don’t"'],
    ['git commit -m "Привет, мир: это проверка"'],
    ['echo 🙂 👨‍👩‍👧 ❤️'],
  ])('leaves honest text alone: %s', (text) => {
    expect(displayText(text)).toEqual({ segments: [{ kind: 'text', text }], marked: false });
  });

  it.each([
    ['a right-to-left override', 'rm \u202e/x', 'rm ⟨U+202E⟩/x', 'bidi'],
    ['a zero-width space', 'su\u200bdo', 'su⟨U+200B⟩do', 'invisible'],
    ['a zero-width joiner outside an emoji', 'a\u200db', 'a⟨U+200D⟩b', 'invisible'],
    ['a tag character', 'ls\u{e0041}', 'ls⟨U+E0041⟩', 'invisible'],
    ['a blank that is not a space', 'rm\u00a0-rf', 'rm⟨U+00A0⟩-rf', 'invisible'],
    ['a Hangul filler', 'a\u3164', 'a⟨U+3164⟩', 'invisible'],
    ['a line separator', 'a\u2028b', 'a⟨U+2028⟩b', 'invisible'],
    ['a carriage return', 'good\rbad', 'good⟨U+000D⟩bad', 'control'],
    ['a NUL', 'a\0b', 'a⟨U+0000⟩b', 'control'],
    ['a C1 control', 'a\u009bb', 'a⟨U+009B⟩b', 'control'],
    ['a backspace', 'rm\b\bls', 'rm⟨U+0008⟩⟨U+0008⟩ls', 'control'],
    ['a lone surrogate', 'a\ud800b', 'a⟨U+D800⟩b', 'invisible'],
    ['a private character', 'a\ue000b', 'a⟨U+E000⟩b', 'invisible'],
    ['a colour', '\u001b[31mred\u001b[0m', '⟨ESC[31m⟩red⟨ESC[0m⟩', 'ansi'],
    ['a window title', '\u001b]0;safe\u0007x', '⟨ESC]0;safe⟩x', 'ansi'],
    ['a cursor movement', 'x\u001b[2Ky', 'x⟨ESC[2K⟩y', 'ansi'],
    ['a bare escape', 'x\u001b', 'x⟨U+001B⟩', 'control'],
    ['a Cyrillic letter in a Latin word', 'c\u0430t', 'c\u0430⟨U+0430⟩t', 'confusable'],
    ['a Latin-looking Cyrillic word', '\u0441\u0430\u0442', null, null],
    ['a full-width letter', 'ｒm', 'ｒ⟨U+FF52⟩m', 'confusable'],
    ['a mathematical letter', '𝐫m', '𝐫⟨U+1D42B⟩m', 'confusable'],
    ['a division slash', 'rm -rf ∕', 'rm -rf ∕⟨U+2215⟩', 'confusable'],
    ['a Greek question mark', 'ls\u037e x', 'ls\u037e⟨U+037E⟩ x', 'confusable'],
    ['curly quotes', 'echo “x; y”', 'echo “⟨U+201C⟩x; y”⟨U+201D⟩', 'confusable'],
    ['a minus sign', 'rm −rf', 'rm −⟨U+2212⟩rf', 'confusable'],
  ])('marks %s', (_, text, plain, reason) => {
    const shown = displayText(text);
    expect(shown.marked).toBe(true);
    if (plain !== null) expect(displayPlain(text)).toBe(plain);
    if (reason !== null) {
      const marks = shown.segments.filter((segment) => segment.kind === 'mark');
      expect(marks.every((mark) => mark.reason === reason && mark.meaning !== '')).toBe(true);
    }
  });

  it('never loses a character that can be seen, and never lets one through that cannot', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('\u001b[', '\u001b]', '31m', '\u0007', '\u202e', 'rm', ' ', 'а', '\ud800'),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('');
        const plain = displayPlain(text);
        expect(plain).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\u200b\u2060]|\p{Cs}/u);
        for (const seen of text.match(/[ -~]/g) ?? []) expect(plain).toContain(seen);
      }),
    );
  });

  it('takes time that grows with the length, not faster', () => {
    const shown = displayText('а'.repeat(30_000));
    expect(shown.segments.length).toBe(30_000);
  });
});
