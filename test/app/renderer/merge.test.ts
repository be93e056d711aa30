import { describe, expect, test } from 'vitest';
import { changesBetween, mergePolicies, withPart } from '../../../app/renderer/allowlist/merge.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';

const git: Rule = { id: 'git', pattern: '/usr/bin/git', args: ['status'] };
const npm: Rule = { id: 'npm', pattern: '/usr/bin/npm', args: ['test'] };

function policy(rules: readonly Rule[], security: 'allowlist' | 'full' = 'allowlist') {
  return {
    version: 1,
    agents: { claude: { security, allowlist: rules } },
  } satisfies PolicyDocument;
}

const base = policy([git, npm]);
const rulesOf = (document: PolicyDocument) => document.agents?.['claude']?.allowlist;

describe('merging an edit with a change made elsewhere', () => {
  test('keeps an added rule from each side', () => {
    const mine = policy([git, npm, { id: 'ls', pattern: 'ls' }]);
    const theirs = policy([git, npm, { id: 'rg', pattern: 'rg' }]);
    const merged = mergePolicies(base, mine, theirs);
    expect(rulesOf(merged.document)?.map(({ id }) => id)).toEqual(['git', 'npm', 'rg', 'ls']);
    expect(merged.conflicts).toEqual([]);
  });

  test('keeps my deletion beside their edit of another rule', () => {
    const theirs = policy([git, { ...npm, args: ['run', 'test'] }]);
    const { document } = mergePolicies(base, policy([npm]), theirs);
    expect(rulesOf(document)).toEqual([{ ...npm, args: ['run', 'test'] }]);
  });

  test('names what both changed, and leaves theirs until a person chooses', () => {
    const mine = policy([{ ...git, args: ['diff'] }, npm], 'full');
    const theirs = policy([{ ...git, args: ['log'] }, npm]);
    const merged = mergePolicies(base, mine, theirs);
    expect(merged.conflicts).toEqual([
      {
        part: { kind: 'rule', agent: 'claude', id: 'git' },
        mine: { ...git, args: ['diff'] },
        theirs: { ...git, args: ['log'] },
      },
    ]);
    expect(rulesOf(merged.document)?.[0]?.args).toEqual(['log']);
    expect(merged.document.agents?.['claude']?.security).toBe('full');
  });

  test('sees a conflict between my edit and their deletion', () => {
    const merged = mergePolicies(base, policy([{ ...git, args: ['log'] }, npm]), policy([npm]));
    expect(merged.conflicts).toMatchObject([{ theirs: null }]);
  });

  test('does not take a use of a rule for a change, and does not undo it', () => {
    const used = { ...git, lastUsedAt: 5, lastUsedCommand: 'git status' };
    const mine = policy([{ ...git, args: ['status', '...'] }, npm]);
    const merged = mergePolicies(base, mine, policy([used, npm]));
    expect(merged.theyChanged).toBe(false);
    expect(rulesOf(merged.document)?.[0]).toEqual({ ...used, args: ['status', '...'] });
  });

  test('keeps fields that it does not know', () => {
    const strange = { ...base, future: { kept: true } } as PolicyDocument;
    const { document } = mergePolicies(base, policy([git]), strange);
    expect(document).toMatchObject({ future: { kept: true } });
  });
});

test('a change and its opposite are no change', () => {
  const part = { kind: 'rule', agent: 'claude', id: 'git' } as const;
  const without = withPart(base, part, null);
  expect(changesBetween(base, without)).toEqual([{ part, value: null }]);
  expect(changesBetween(base, withPart(without, part, git))).toEqual([]);
});

test('a mode is set for one agent and taken out again', () => {
  const part = { kind: 'mode', agent: 'claude', field: 'ask' } as const;
  const asked = withPart(base, part, 'always');
  expect(asked.agents?.['claude']?.ask).toBe('always');
  expect(withPart(asked, part, null)).toEqual(base);
});
