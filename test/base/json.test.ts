import { describe, expect, it } from 'vitest';
import { compile } from '../../shared/base/compile.ts';
import { lineOf, parseJson, readJson } from '../../shared/base/json.ts';
import { s } from '../../shared/base/schema.ts';

const errorOf = (input: string | Uint8Array): string => {
  const parsed = parseJson(input);
  return parsed.ok ? 'it was read' : parsed.error;
};

describe('JSON from outside', () => {
  it.each([
    ['{}'],
    ['[]'],
    ['null'],
    [' -1.5e+3 '],
    ['"a\\u00e9\\"\\\\"'],
    ['{"a": {"a": [1, {"a": true}, {"a": false}]}, "b": {"a": ""}}'],
    ['{"\\"": 1, "\\\\": 2, "": 3}'],
    [`"${'x'.repeat(1_000_000)}"`],
  ])('is read as JSON.parse reads it: %.40s', (text) => {
    expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
    expect(parseJson(Buffer.from(text))).toEqual({ ok: true, value: JSON.parse(text) });
  });

  it.each([
    ['{"a": 1,\n "a": 1}', 'the field "a" stands there twice, again on line 2'],
    [
      '{"a": {"b": 1, "c": [{"b": 1,\r\n"b": 2}]}}',
      'the field "b" stands there twice, again on line 2',
    ],
    ['{"a": 1, "\\u0061": 2}', 'the field "a" stands there twice, again on line 1'],
    ['[{"__proto__": {}}]', 'a field is named "__proto__" on line 1'],
    ['{"\\u005f_proto__": {}}', 'a field is named "__proto__" on line 1'],
    ['{"a": 1,\n}', '"}" is out of place on line 2'],
    ['{"a": 1\n"b": 2}', '"\\"" is out of place on line 2'],
    ['{\n"a": x}', '"x" is out of place on line 2'],
    ['{"a": 01}', '"1" is out of place on line 1'],
    ['{} {}', '"{" is out of place on line 1'],
    ["{'a': 1}", '"\'" is out of place on line 1'],
    ['{"a": 1} // why', '"/" is out of place on line 1'],
    ['{"a":\n', 'it ends too early on line 2'],
    ['[1, 2', 'it ends too early on line 1'],
    ['["a\n"]', 'a text has a character that must be escaped, or a wrong escape on line 1'],
    ['["\\x"]', 'a text has a character that must be escaped, or a wrong escape on line 1'],
    ['\n["a', 'a text does not end on line 2'],
    ['["a\\"]', 'a text does not end on line 1'],
    ['', 'It is empty.'],
    [' \n', 'It is empty.'],
    ['\ufeff{}', '"\ufeff" is out of place on line 1'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'stand too deep inside each other'],
  ])('is refused: %.60j', (text, error) => {
    expect(errorOf(text)).toContain(error);
  });

  it.each([
    ['a broken sequence', [0x22, 0xc3, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['half a surrogate pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('is refused where its bytes are not UTF-8: %s', (_what, bytes) => {
    expect(errorOf(Uint8Array.from(bytes))).toBe('It is not UTF-8 text.');
  });

  it('is refused by both readers or by none, but for what is not clear', () => {
    const signs = ['{', '}', '[', ']', '"a"', '"b"', ':', ',', '1', 'null', ' ', '\\', '"'];
    let seed = 7;
    const next = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % below;
    };
    let taken = 0;
    for (let round = 0; round < 5_000; round += 1) {
      const text = Array.from({ length: 1 + next(9) }, () => signs[next(signs.length)]).join('');
      const parsed = parseJson(text);
      let valid = true;
      try {
        JSON.parse(text);
      } catch {
        valid = false;
      }
      if (parsed.ok) taken += 1;
      const unclear = !parsed.ok && parsed.error.startsWith('It is not clear');
      expect(parsed.ok || unclear, text).toBe(valid);
      expect(parsed.ok || !parsed.error.includes('cannot be read'), text).toBe(true);
    }
    expect(taken).toBeGreaterThan(50);
  });

  it('is read quickly, whatever stands in it', () => {
    const long = JSON.stringify({ text: '\\"'.repeat(1_000_000), after: '\\'.repeat(1_000_000) });
    const started = performance.now();
    expect(parseJson(long).ok).toBe(true);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('the line of a value', () => {
  const text = '{\n "a": [\n  1,\n  {"b/c": 2}\n ]\n}';

  it.each([
    ['', 1],
    ['/a', 2],
    ['/a/0', 3],
    ['/a/1', 4],
    ['/a/1/b~1c', 4],
    ['/a/2', null],
    ['/x', null],
  ])('%j is %j', (pointer, line) => {
    expect(lineOf(text, pointer)).toBe(line);
  });

  it('stands in what a check says of a file, and not where there is one line only', () => {
    const check = compile(s.object({ a: s.array(s.integer()) }));
    expect(readJson(check, '{\n"a": [1,\n"x"]}')).toMatchObject({
      error: 'a[1] must be a whole number, not a string (line 3).',
    });
    expect(readJson(check, '{"a": [1], "b": 1}')).toMatchObject({
      error: 'The value has an unknown field "b".',
    });
    expect(readJson(check, '{"a": [1]}')).toEqual({ ok: true, value: { a: [1] } });
  });
});
