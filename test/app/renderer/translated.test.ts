import { describe, expect, it } from 'vitest';
import { de } from '../../../app/renderer/text/de.ts';
import { en } from '../../../app/renderer/text/en.ts';
import { refusalCodes } from '../../../shared/base/refusal.ts';
import { verdictReasons } from '../../../shared/engine/decide/types.ts';
import { clauseKinds, sentenceOf } from '../../../shared/engine/proposals/clauses.ts';
import type { Clause } from '../../../shared/engine/proposals/clauses.ts';
import { riskCodes } from '../../../shared/engine/risk/finding.ts';
import { nodeProblemCodes } from '../../../shared/wire/index.ts';
import type { ReviewCode } from '../../../shared/engine/rules/review.ts';

const reviewCodes: Readonly<Record<ReviewCode, true>> = {
  'never-used': true,
  'long-unused': true,
  expired: true,
  'too-wide': true,
  'any-program': true,
  everything: true,
};

/** Words of the gate that the page is given besides those of the policy. */
const ofTheProxy = ['egress-unknown'];

describe('what the gate says', () => {
  it.each([
    ['verdicts', [...verdictReasons, ...ofTheProxy]],
    ['notAlways', [...verdictReasons, ...ofTheProxy, 'high', 'other-machine']],
    ['refusals', refusalCodes],
    ['nodeProblems', nodeProblemCodes],
    ['risks', riskCodes],
    ['reviews', Object.keys(reviewCodes)],
    ['outcomes', Object.keys(en.codes.outcomes)],
  ] as const)('has a German sentence for each code of %s, and none for others', (table, codes) => {
    expect(Object.keys(de.codes[table]).toSorted()).toEqual([...codes].toSorted());
    for (const said of Object.values(de.codes[table])) expect(said).toMatch(/\S/);
  });
});

const bounds: Omit<Clause, 'kind' | 'name'> = {
  env: ['A=1'],
  cwd: '/home/me/app',
  below: true,
  writes: ['/home/me/app/a.txt'],
  content: '/home/me/app/x.sh',
  lines: 3,
  sameScript: true,
  unlessRisky: true,
};

describe('what an answer would cover', () => {
  it.each(clauseKinds)('is said in German with all that the English sentence says: %s', (kind) => {
    const clause: Clause = {
      kind,
      name: 'prog',
      of: 'prog named',
      names: ['build', 'test'],
      words: [{ text: 'prog' }, { text: '/srv', any: 'in' }, { text: '', any: 'below' }],
    };
    const told = de.prompt.offer?.([clause, { ...clause, ...bounds }]) ?? '';
    const english = sentenceOf([clause, { ...clause, ...bounds }]);
    const names = ['A=1', '/home/me/app', '/home/me/app/a.txt', '/home/me/app/x.sh', '3'];
    for (const name of [...names, 'prog named', '/srv', 'build, test'])
      expect(told.includes(name), name).toBe(english.includes(name));
    expect(told.split('; und ')).toHaveLength(2);
    for (const part of Object.keys(bounds) as readonly (keyof typeof bounds)[]) {
      const { [part]: _, ...without } = bounds;
      expect(de.prompt.offer?.([{ ...clause, ...without }]), part).not.toBe(
        de.prompt.offer?.([{ ...clause, ...bounds }]),
      );
    }
  });

  it('marks what a command has hidden, and not its own quotes', () => {
    const [first, second] = ['a\u202eb', 'a“b'].map((of) =>
      de.prompt.offer?.([{ kind: 'exact', name: 'a', of, writes: ['x\u200by'] }]),
    );
    expect(first).toContain('genau „a⟨U+202E⟩b“');
    expect(first).toContain('⟨U+200B⟩');
    expect(second).toContain('„a“⟨U+201C⟩b“');
  });
});
