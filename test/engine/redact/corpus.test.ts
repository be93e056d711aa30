import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { redact } from '../../../shared/engine/redact/redact.ts';

const alphabets: Readonly<Record<string, string>> = {
  '': 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  h: '0123456789abcdef',
  u: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  d: '123456789',
  l: 'abcdefghijklmnopqrstuvwxyz0123456789',
};

/** Small and repeatable; a secret must not depend on luck to be found. */
function random(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function expanded(text: string, seed: number): string {
  const next = random(seed);
  return text
    .replaceAll(/\{([hudl]?)(\d+)\}/gu, (_all, kind: string, count: string) => {
      const letters = alphabets[kind] ?? '';
      const made = Array.from(
        { length: Number(count) },
        () => letters[Math.floor(next() * letters.length)] ?? '',
      );
      // Real ones of this length have letters of all kinds in them.
      if (kind === '' && made.length >= 6) made.splice(1, 3, 'q', '7', 'K');
      return made.join('');
    })
    .replaceAll('⏎', '\n');
}

function linesOf(name: string): readonly string[] {
  return readFileSync(new URL(`../../fixtures/redaction/${name}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# ') && !line.startsWith('## '));
}

const seeds = [1, 2, 3];

interface Case {
  readonly text: string;
  readonly secrets: readonly string[];
}

function caseOf(line: string, seed: number): Case {
  const text = expanded(line, seed);
  const secrets = [...text.matchAll(/⟦([^⟧]*)(?:⟧|$)/gu)].map((match) => match[1] ?? '');
  return { text: text.replaceAll(/[⟦⟧]/gu, ''), secrets };
}

/** Parts of a secret that would help a thief, still there. */
function leaks({ text, secrets }: Case): readonly string[] {
  const left = redact(text);
  return secrets
    .flatMap((secret) => secret.split(/[\s&!#]+/u))
    .filter((part) => part.length > 3 && left.includes(part));
}

const secretLines = linesOf('secrets.txt');
const tokens = linesOf('tokens.txt');
const harmless = linesOf('harmless.txt');

const contexts: Readonly<Record<string, (token: string) => string>> = {
  'as a word': (token) => `echo ${token} last`,
  'in single quotes': (token) => `echo 'x ${token}' last`,
  'behind an option that says nothing': (token) => `tool --value ${token} last`,
  'glued to a letter’s equals sign': (token) => `tool -x=${token} last`,
  'as a variable that says nothing': (token) => `FOO=${token} make last`,
  'in a header': (token) => `curl -H "X-Thing: ${token}" last`,
  'in JSON': (token) => `curl -d '{"a":"${token}"}' last`,
  'in escaped JSON': (token) => `sh -c "curl -d '{\\"a\\":\\"${token}\\"}'" last`,
  'in a query': (token) => `curl 'https://x.example/?a=${token}&b=1' last`,
  'in a here-document': (token) => `cat > f <<EOF\na: ${token}\nEOF\nlast`,
  'with an escaped line break behind it': (token) => `printf '${token}\\nlast'`,
};

describe('the corpus', () => {
  it('is as large as it should be', () => {
    expect(secretLines.length + tokens.length).toBeGreaterThanOrEqual(330);
    expect(secretLines.length).toBeGreaterThanOrEqual(250);
    expect(harmless.length).toBeGreaterThanOrEqual(150);
  });

  it.each(secretLines)('is hidden: %s', (line) => {
    for (const seed of seeds) {
      const one = caseOf(line, seed);
      expect(one.secrets.length).toBeGreaterThan(0);
      expect([one.text, redact(one.text), leaks(one)]).toEqual([one.text, redact(one.text), []]);
    }
  });

  it.each(tokens)('is hidden wherever it stands: %s', (line) => {
    for (const [where, put] of Object.entries(contexts))
      for (const seed of seeds) {
        const { text, secrets } = caseOf(put(`⟦${line}⟧`), seed);
        const left = redact(text);
        expect([where, text, left, left.includes(secrets[0] ?? '')]).toEqual([
          where,
          text,
          left,
          false,
        ]);
        expect([where, left]).toEqual([where, expect.stringContaining('last')]);
      }
  });

  it.each(harmless)('stays as it is: %s', (line) => {
    expect(redact(line)).toBe(line);
  });

  it('changes nothing more when it is done twice', () => {
    for (const line of secretLines) {
      const once = redact(caseOf(line, 1).text);
      expect(redact(once)).toBe(once);
    }
  });
});
