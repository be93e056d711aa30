import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch } from '../../../shared/engine/policy/edit.ts';
import { patchBetween } from '../../../shared/engine/policy/patch.ts';
import type { PolicyPatch } from '../../../shared/engine/policy/patch.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';

const rule = (id: string, note?: string): Rule => ({
  id,
  pattern: 'git',
  ...(note !== undefined && { note }),
});
const policy = (allowlist: readonly Rule[]): PolicyDocument => ({
  version: 1,
  socket: { path: '/s', token: 'secret' },
  defaults: { security: 'deny' },
  agents: { claude: { security: 'allowlist', allowlist } },
});

function applied(document: PolicyDocument, patch: PolicyPatch | null): PolicyDocument {
  if (patch === null) throw new Error('There is no patch.');
  const edited = applyPatch(document, JSON.parse(JSON.stringify(patch)) as PolicyPatch);
  if (!edited.ok) throw new Error(edited.problem.message);
  return edited.document;
}

const modes = fc.record(
  {
    security: fc.constantFrom('deny', 'allowlist', 'full'),
    ask: fc.constantFrom('always', 'on-miss', 'off'),
    askTimeoutMs: fc.constantFrom(1_000, 60_000),
    presence: fc.constantFrom({ high: 'passkey' } as const, { low: 'hold' } as const),
    approvers: fc.constantFrom({ high: 2 }, { none: 1, high: 2 }),
  },
  { requiredKeys: [] },
);
const allowlist = fc.uniqueArray(
  fc.record({ id: fc.constantFrom(...'abcdefgh'.split('')), note: fc.constantFrom('x', 'y') }),
  { selector: ({ id }) => id },
);
const agent = fc
  .tuple(modes, allowlist)
  .map(([own, rules]) => ({ ...own, allowlist: rules.map(({ id, note }) => rule(id, note)) }));
const document = fc
  .record({ defaults: modes, one: agent, other: agent })
  .map(({ defaults, one, other }): PolicyDocument => ({
    version: 1,
    defaults,
    agents: { '*': one, claude: other },
  }));

describe('a patch', () => {
  it('takes any policy to any other', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        expect(applied(before, patchBetween(before, after))).toEqual(after);
      }),
    );
  });

  it('makes an agent that was not there', () => {
    const before = policy([]);
    for (const fresh of [{}, { allowlist: [] }, { security: 'deny', allowlist: [rule('a')] }]) {
      const after = { ...before, agents: { ...before.agents, codex: fresh } } as PolicyDocument;
      expect(applied(before, patchBetween(before, after))).toEqual(after);
    }
  });

  it('names the one rule that changed', () => {
    expect(
      patchBetween(policy([rule('a'), rule('b')]), policy([rule('a'), rule('b', 'x')])),
    ).toEqual({ agents: { claude: { rules: { replace: [rule('b', 'x')] } } } });
    expect(patchBetween(policy([rule('a')]), policy([rule('a')]))).toEqual({});
  });

  it.each([
    ['the socket', { socket: { path: '/elsewhere' } }],
    ['a field of another program', { theirs: 1 }],
    ['an agent that is gone', { agents: {} }],
    ['an agent without the list that it had', { agents: { claude: { security: 'allowlist' } } }],
    ['a mode that is not ours', { defaults: { security: 'deny', autoAllowSkills: true } }],
    ['two rules with one id', policy([rule('a'), rule('a')])],
  ])('cannot say %s', (_what, change) => {
    const before = policy([rule('a')]);
    expect(patchBetween(before, { ...before, ...change } as PolicyDocument)).toBeNull();
  });

  it('leaves what it does not name as it is', () => {
    const before = { ...policy([rule('a')]), theirs: 1 } as PolicyDocument;
    const patch = { agents: { claude: { modes: { security: null } } } };
    expect(applied(before, patch)).toEqual({
      ...before,
      agents: { claude: { allowlist: [rule('a')] } },
    });
  });

  it.each<readonly [string, PolicyPatch]>([
    ['a rule that is not there', { agents: { claude: { rules: { remove: ['x'] } } } }],
    [
      'an id that is taken',
      { agents: { claude: { rules: { insert: [{ at: 0, items: [rule('a')] }] } } } },
    ],
    [
      'a place beyond the end',
      { agents: { claude: { rules: { insert: [{ at: 9, items: [rule('b')] }] } } } },
    ],
    [
      'a rule that cannot be understood',
      { agents: { claude: { rules: { replace: [{ ...rule('a'), argPattern: '(' }] } } } },
    ],
    ['a name that no agent can have', JSON.parse('{"agents":{"__proto__":{}}}') as PolicyPatch],
  ])('is refused with %s', (_what, patch) => {
    expect(applyPatch(policy([rule('a')]), patch)).toMatchObject({
      ok: false,
      problem: { code: 'invalid-request' },
    });
  });

  it('lets no rule pass that fails its own examples', () => {
    const fails = (each: Rule) => (each.id === 'b' ? ['It should match.'] : []);
    const patch = { agents: { claude: { rules: { insert: [{ at: 1, items: [rule('b')] }] } } } };
    expect(applyPatch(policy([rule('a')]), patch, fails)).toMatchObject({ ok: false });
    expect(applyPatch(policy([rule('a')]), patch, () => [])).toMatchObject({ ok: true });
  });
});
