import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createMasker, knowSecrets, withoutKnown } from '../../../runner/audit/known-secrets.ts';
import { spellingsOf } from '../../../shared/engine/index.ts';
import { redactRow } from '../../../runner/audit/rows.ts';
import { createLog } from '../../../runner/service/log.ts';

const value = 'correct horse/battery+staple?';

const know = (...values: string[]): void => knowSecrets(values.map((one) => Buffer.from(one)));

afterEach(() => knowSecrets([]));

/** What a masker passes on of some bytes that come in pieces. */
function masked(bytes: Buffer, cuts: readonly number[]): string {
  const masker = createMasker();
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted(
    (a, b) => a - b,
  );
  let from = 0;
  const out: Uint8Array[] = [];
  for (const end of ends) {
    out.push(masker.push(bytes.subarray(from, end)));
    from = end;
  }
  return Buffer.concat([...out, masker.end()]).toString();
}

describe('a secret that is kept here', () => {
  const basic = Buffer.from(`x-access-token:${value}`).toString('base64');
  it.each([
    ['as it is', value],
    ['percent-encoded', encodeURIComponent(value)],
    ['in a form', encodeURIComponent(value).replaceAll('%20', '+')],
    ['in base64', Buffer.from(value).toString('base64').replace(/=+$/u, '').slice(0, -1)],
    ['in the base64 of an address', Buffer.from(value).toString('base64url').slice(0, -1)],
    ['in hexadecimal', Buffer.from(value).toString('hex')],
    ['in a string of JSON', JSON.stringify(value).slice(1, -1)],
  ])('is taken out of a text %s', (_how, spelling) => {
    know(value);
    const text = `before ${spelling} behind`;
    expect(withoutKnown(text)).not.toContain(spelling);
    expect(withoutKnown(text)).toMatch(/^before .*\[redacted\].* behind$/u);
  });

  const odd = 'Zm9v+bar/"baz\'==&<é>`';
  it.each([
    [
      'a page of Go',
      odd
        .replaceAll('&', '&amp;')
        .replaceAll('"', '&#34;')
        .replaceAll("'", '&#39;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;'),
    ],
    [
      'a page of Python',
      odd
        .replaceAll('&', '&amp;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#x27;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;'),
    ],
    [
      'a page of Mustache',
      odd.replaceAll(
        /[&"'<>/`=]/gu,
        (one) =>
          ({ '&': '&amp;', '"': '&quot;', "'": '&#39;', '<': '&lt;', '>': '&gt;' })[one] ??
          `&#x${one.charCodeAt(0).toString(16).toUpperCase()};`,
      ),
    ],
    ['JSON of Go', String.raw`Zm9v+bar/\"baz'==\u0026\u003cé\u003e` + '`'],
    ['JSON of Gson', String.raw`Zm9v+bar/\"baz\u0027\u003d\u003d\u0026\u003cé\u003e` + '`'],
    ['JSON of .NET', String.raw`Zm9v\u002Bbar/\u0022baz\u0027==\u0026\u003C\u00E9\u003E\u0060`],
    ['JSON of Python', String.raw`Zm9v+bar/\"baz'==&<\u00e9>` + '`'],
    ['JSON of PHP', String.raw`Zm9v+bar\/\"baz'==&<\u00e9>` + '`'],
    ['an address of Python', 'Zm9v%2Bbar/%22baz%27%3D%3D%26%3C%C3%A9%3E%60'],
    [
      'an address within an address',
      encodeURIComponent(encodeURIComponent(odd).replaceAll("'", '%27')),
    ],
    ['an address of a browser', encodeURI(odd)],
  ])('is taken out of a text as it stands in %s', (_how, spelling) => {
    know(odd);
    expect(withoutKnown(`before ${spelling} behind`)).toBe('before [redacted] behind');
  });

  it('with few special characters is taken out whichever of them are percent-encoded', () => {
    const key = 'abcdef+ghi/jkl==';
    know(key);
    const both = (one: string) => [
      one,
      encodeURIComponent(one),
      encodeURIComponent(one).toLowerCase(),
    ];
    for (const plus of both('+'))
      for (const slash of both('/'))
        for (const equals of both('='))
          if (
            new Set(
              [plus, slash, equals]
                .filter((one) => one.length > 1)
                .map((one) => /[A-Z]/u.test(one)),
            ).size < 2
          )
            expect(withoutKnown(`abcdef${plus}ghi${slash}jkl${equals}${equals}`)).toBe(
              '[redacted]',
            );
  });

  const each = (text: string, way: (code: number) => string) =>
    Array.from(text, (letter) => way(letter.codePointAt(0) ?? 0)).join('');
  it.each([
    ['in JSON', each(value, (one) => `\\u${one.toString(16).padStart(4, '0')}`)],
    [
      'in JSON of another',
      each(value, (one) => `\\u${one.toString(16).padStart(4, '0').toUpperCase()}`),
    ],
    ['in a page', each(value, (one) => `&#${String(one)};`)],
    ['in a page, by hexadecimal numbers', each(value, (one) => `&#x${one.toString(16)};`)],
    ['in a page, by larger ones', each(value, (one) => `&#x${one.toString(16).toUpperCase()};`)],
    ['in a string of C', each(value, (one) => `\\x${one.toString(16)}`)],
    ['in a string of a shell', each(value, (one) => `\\${one.toString(8).padStart(3, '0')}`)],
    ['in an old address', each(value, (one) => `%u${one.toString(16).padStart(4, '0')}`)],
    ['in a letter', each(value, (one) => `=${one.toString(16).toUpperCase()}`)],
  ])('is taken out where each letter is escaped, as %s', (_how, spelling) => {
    know(value);
    expect(withoutKnown(`before ${spelling} behind`)).toBe('before [redacted] behind');
  });

  const key = 'ghp_0123456789abcdefghijKLMNOPQRSTUVWXYZ';
  const by =
    (program: string, ...words: readonly string[]) =>
    (input: string): string =>
      execFileSync(program, words, { input }).toString();
  const bytesOf = (text: string): readonly number[] => [...Buffer.from(text)];
  const hexOf = (text: string): readonly string[] =>
    Buffer.from(text).toString('hex').match(/../gu) ?? [];
  it.each<[string, (text: string) => string]>([
    ['base64', by('base64')],
    ['base64 of 64 columns', by('base64', '-w', '64')],
    ['base64 of 30 columns', by('base64', '-w', '30')],
    ['base64 with CR LF', (text) => by('base64', '-w', '40')(text).replaceAll('\n', '\r\n')],
    ['base64 within JSON', (text) => JSON.stringify(by('base64', '-w', '40')(text))],
    ['base64, quoted', (text) => by('base64', '-w', '40')(text).replaceAll('\n', '\n    > ')],
    ['od -An -tx1', by('od', '-An', '-tx1', '-v')],
    ['od -An -tu1', by('od', '-An', '-tu1', '-v')],
    ['od -An -b', by('od', '-An', '-b', '-v')],
    ['fold', by('fold', '-w', '30')],
    ['bytes in JSON', (text) => JSON.stringify(bytesOf(text))],
    [
      'bytes in C',
      (text) =>
        hexOf(text)
          .map((two) => `0x${two}`)
          .join(', '),
    ],
    ['a fingerprint', (text) => hexOf(text).join(':').toUpperCase()],
    [
      'xxd -p',
      (text) =>
        (
          hexOf(text)
            .join('')
            .match(/.{1,60}/gu) ?? []
        ).join('\n'),
    ],
    [
      'groups of xxd',
      (text) =>
        (
          hexOf(text)
            .join('')
            .match(/.{1,4}/gu) ?? []
        ).join(' '),
    ],
  ])('leaves next to nothing where a token is cut over lines or set apart: %s', (_how, encoded) => {
    know(key);
    for (let before = 0; before < 24; before += 1) {
      const begin = 'some text in front of it'.slice(before);
      const text = encoded(`${begin}${key} and some text behind it`);
      // Of a key of 40 letters four are left at either end, at most.
      const most = encoded(begin + key.slice(0, 5)).replace(/[\s>]+$/u, '').length;
      const least = encoded(begin + key.slice(0, -5)).replace(/[\s>]+$/u, '').length;
      for (const cuts of [[], [7, 19, 40, 41, 77, 90], text.split('').map((_letter, at) => at)]) {
        const [front = '', ...rest] = masked(Buffer.from(text), cuts).split('[redacted]');
        const back = rest.at(-1) ?? '';
        expect(rest).toHaveLength(1);
        expect([text.startsWith(front), text.endsWith(back)]).toEqual([true, true]);
        expect(front.length).toBeLessThanOrEqual(most);
        expect(text.length - back.length).toBeGreaterThanOrEqual(least);
      }
      expect(withoutKnown(text)).toBe(masked(Buffer.from(text), []));
    }
  });

  it('of letters and digits costs no more spellings than it has', () => {
    expect(spellingsOf('ghp_0123456789abcdefghijklmnop').length).toBeLessThan(50);
  });

  it.each([0, 1, 2])('is taken out of base64 of a longer text, %i bytes in', (before) => {
    know(value);
    const encoded = Buffer.from(`${'u'.repeat(before + 3)}${value} and more`).toString('base64');
    const left = Buffer.from(withoutKnown(encoded).replace('[redacted]', '!'), 'base64').toString(
      'latin1',
    );
    for (let at = 0; at + 4 <= value.length; at += 1)
      expect(left).not.toContain(value.slice(at, at + 4));
    expect(basic).not.toBe(withoutKnown(basic));
  });

  it('is taken out of the record and the log, where no pattern would know it', () => {
    know(value);
    const row = redactRow({ type: 'note', at: 1, code: 'x', text: `said ${value} aloud` });
    expect(row).toMatchObject({ text: 'said [redacted] aloud' });
    let logged = '';
    const log = createLog(
      (text) => (logged += text),
      () => 0,
    );
    log.error('failed', new Error(`with ${value}`));
    expect(logged).toContain('[redacted]');
    expect(logged).not.toContain(value);
  });

  it('of several lines is taken out line by line', () => {
    const pem = '-----BEGIN KEY-----\nMIIabcdefghijk\nlmnopqrstuvwx\n-----END KEY-----';
    know(pem);
    expect(withoutKnown('a lmnopqrstuvwx b')).toBe('a [redacted] b');
  });

  it('is taken out of output wherever that is cut', () => {
    know(value, 'another-secret-value');
    const text = Buffer.from(`one ${value}${value} two another-secret-value correct horse three`);
    const whole = masked(text, []);
    expect(whole).toBe('one [redacted][redacted] two [redacted] correct horse three');
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 200 }), { maxLength: 12 }), (cuts) => {
        expect(masked(text, cuts)).toBe(whole);
      }),
      { numRuns: 100 },
    );
  });

  it('does not change what holds none', () => {
    know(value);
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.nat({ max: 200 })),
        (bytes, cuts) => {
          const given = Buffer.from(bytes);
          expect(masked(given, cuts)).toBe(given.toString());
        },
      ),
      { numRuns: 100 },
    );
  });

  it('that is no longer kept is no longer masked', () => {
    know(value);
    know();
    expect(withoutKnown(value)).toBe(value);
  });
});
