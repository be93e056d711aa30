import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { argsFromText, argsToText } from '../../../app/renderer/allowlist/args-text.ts';

describe('the words of a rule as one line', () => {
  const table: readonly (readonly [string, readonly (string | readonly string[])[]])[] = [
    ['', []],
    ['status', ['status']],
    ['status ...', ['status', '...']],
    ['(status|diff) ...', [['status', 'diff'], '...']],
    ["commit -m 'two words'", ['commit', '-m', 'two words']],
    ['"a b"c\\ d', ['a bc d']],
    ["''", ['']],
    ['src/*.ts {a,b}', ['src/*.ts', '{a,b}']],
    ["('a b'|c)", [['a b', 'c']]],
  ];
  test.each(table)('%s', (text, args) => {
    expect(argsFromText(text)).toEqual({ ok: true, args });
  });

  test.each([
    ["'open", 'quote'],
    ['... status', 'rest'],
    ['(a|', 'alternatives'],
    ['(a||b)', 'alternatives'],
    ['()', 'alternatives'],
  ])('%s is refused: %s', (text, problem) => {
    expect(argsFromText(text)).toEqual({ ok: false, problem });
  });

  test('comes back from text as it was, whatever the words are', () => {
    const word = fc.string({ minLength: 0, maxLength: 12 }).filter((each) => each !== '...');
    const token = fc.oneof(
      word,
      fc.array(
        word.filter((each) => each !== ''),
        { minLength: 1, maxLength: 3 },
      ),
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 6 }), (args) => {
        expect(argsFromText(argsToText(args))).toEqual({ ok: true, args });
      }),
    );
  });
});
