import { describe, expect, it } from 'vitest';
import {
  addRules,
  firstPolicy,
  removeRule,
  replaceRule,
  setModes,
} from '../../../shared/engine/policy/edit.ts';
import type { Edited } from '../../../shared/engine/policy/edit.ts';
import { parsePolicy, serialisePolicy } from '../../../shared/engine/policy/parse.ts';
import { resolvePolicy } from '../../../shared/engine/policy/resolve.ts';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';

const first = firstPolicy({ path: '~/.interlock/exec-approvals.sock', token: 't'.repeat(43) });
const git = { id: 'g', pattern: 'git' };

function done(edited: Edited): PolicyDocument {
  if (!edited.ok) throw new Error(edited.problem.message);
  return edited.document;
}

describe('editing a policy', () => {
  it('starts with one that asks everybody, and denies when nobody is there', () => {
    expect(parsePolicy(serialisePolicy(first))).toEqual({ ok: true, document: first });
    expect(resolvePolicy(first, { agent: 'any' })).toMatchObject({
      security: 'allowlist',
      ask: 'on-miss',
      askFallback: 'deny',
      rules: [],
    });
  });

  it('adds, replaces and removes a rule, and leaves the old document as it was', () => {
    const added = done(addRules(first, { agent: 'a', rules: [git] }));
    const replaced = done(replaceRule(added, { agent: 'a', rule: { ...git, note: 'n' } }));
    const removed = done(removeRule(replaced, { id: 'g' }));
    expect(added.agents?.['a']?.allowlist).toEqual([git]);
    expect(replaced.agents?.['a']?.allowlist).toEqual([{ ...git, note: 'n' }]);
    expect(removed.agents?.['a']?.allowlist).toEqual([]);
    expect(first.agents).not.toHaveProperty('a');
  });

  it('sets and clears modes', () => {
    const set = done(setModes(first, { agent: 'a', modes: { security: 'full', ask: 'off' } }));
    expect(set.agents?.['a']).toEqual({ security: 'full', ask: 'off' });
    const cleared = done(setModes(set, { agent: 'a', modes: { security: null } }));
    expect(cleared.agents?.['a']).toEqual({ ask: 'off' });
    expect(done(setModes(first, { modes: { ask: 'always' } })).defaults?.ask).toBe('always');
  });

  it.each<[string, Edited, RegExp]>([
    [
      'an id that is there',
      addRules(done(addRules(first, { agent: 'a', rules: [git] })), { agent: 'a', rules: [git] }),
      /already is a rule g/,
    ],
    ['one id twice', addRules(first, { agent: 'a', rules: [git, git] }), /already is a rule g/],
    [
      'a pattern that is none',
      addRules(first, { agent: 'a', rules: [{ ...git, pattern: '[[:x:]]' }] }),
      /is not a glob/,
    ],
    [
      'an empty pattern',
      addRules(first, { agent: 'a', rules: [{ ...git, pattern: '' }] }),
      /pattern is empty/,
    ],
    [
      'an expression that is not linear',
      addRules(first, { agent: 'a', rules: [{ ...git, argPattern: '(?=x)' }] }),
      /linear time/,
    ],
    [
      'a name that cannot be',
      addRules(first, { agent: '__proto__', rules: [git] }),
      /cannot be the name/,
    ],
    [
      'a rule that is not there, to replace',
      replaceRule(first, { agent: 'a', rule: git }),
      /no rule g/,
    ],
    ['a rule that is not there, to remove', removeRule(first, { id: 'g' }), /no rule g/],
    [
      'a rule of another agent',
      removeRule(done(addRules(first, { agent: 'a', rules: [git] })), { agent: 'b', id: 'g' }),
      /no rule g/,
    ],
    [
      'a rule that fails its examples',
      addRules(first, { agent: 'a', rules: [git], check: () => ['It should match "x".'] }),
      /fails its own examples: It should match "x"\./,
    ],
  ])('is refused for %s', (_, edited, message) => {
    expect(edited.ok).toBe(false);
    if (!edited.ok) expect(edited.problem.message).toMatch(message);
  });
});
