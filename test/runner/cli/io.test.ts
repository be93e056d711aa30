import { expect, it } from 'vitest';
import { sayJson } from '../../../runner/cli/io.ts';

it('writes JSON in which nothing acts on a terminal or turns its text, and that reads as the same value', () => {
  const value = {
    c0: '\u001b[2J\u0007',
    c1: '\u009b2J\u009d52;c;eA==\u009c\u0090\u007f\u0085',
    bidi: '\u202etxt.exe\u2066\u2069\u200f\u061c',
    unseen: '\u200b\ufeff\u2028\u2029\u{e0041}',
    'as a \u202e name': 'Grüße, 日本 👍',
  };
  let text = '';
  sayJson({ write: (part: string) => ((text += part), true) } as never, value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(text).toContain('Grüße, 日本 👍');
});
