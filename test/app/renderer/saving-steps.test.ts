import { describe, expect, it } from 'vitest';
import { pageMessageLimit } from '../../../app/bridge/messages.ts';
import { savingSteps } from '../../../app/renderer/allowlist/saving-steps.ts';
import { applyPatch } from '../../../shared/engine/policy/edit.ts';
import type { PolicyDocument, Rule } from '../../../shared/engine/policy/types.ts';

const old: Rule = { id: 'old', pattern: 'git' };
const from: PolicyDocument = {
  version: 1,
  agents: { '*': { security: 'allowlist', allowlist: [old] } },
};

function grown(length: number): PolicyDocument {
  const allowlist = Array.from({ length }, (_, index): Rule => ({
    id: `rule-${index}`,
    pattern: `/opt/tools/bin/tool-${index}`,
    effect: (['allow', 'ask', 'deny'] as const)[index % 3] ?? 'deny',
    note: 'x'.repeat(60),
  }));
  return { version: 1, agents: { '*': { security: 'full', allowlist } } };
}

/** The documents that stand in the file after each step. */
function standing(to: PolicyDocument): readonly PolicyDocument[] {
  const documents = [from];
  for (const patch of savingSteps(from, to)) {
    expect(Buffer.byteLength(JSON.stringify(patch))).toBeLessThan(pageMessageLimit);
    const edited = applyPatch(documents.at(-1) ?? from, patch);
    if (!edited.ok) throw new Error(edited.problem.message);
    documents.push(edited.document);
  }
  return documents.slice(1);
}

const rulesOf = (document: PolicyDocument | undefined): readonly Rule[] =>
  document?.agents?.['*']?.allowlist ?? [];
const holdsBack = ({ effect }: Rule): boolean => effect === 'deny' || effect === 'ask';

describe('saving', () => {
  it('takes one step where that is possible', () => {
    expect(standing(grown(30))).toEqual([grown(30)]);
    expect(savingSteps(from, from)).toEqual([{}]);
  });

  it('ends with the document that was wanted, after steps that a message can hold', () => {
    const documents = standing(grown(6_000));
    expect(documents.length).toBeGreaterThan(4);
    expect(documents.at(-1)).toEqual(grown(6_000));
  });

  it('never lets through, between two steps, what neither end allows', () => {
    const wanted = rulesOf(grown(6_000));
    for (const document of standing(grown(6_000))) {
      const rules = rulesOf(document);
      // Either all is as it was but for rules that hold back, or all of those are there already.
      if (rules.includes(old)) {
        expect(document.agents?.['*']?.security).toBe('allowlist');
        expect(rules.filter((rule) => rule !== old).every(holdsBack)).toBe(true);
      } else {
        expect(rules.filter(holdsBack)).toHaveLength(wanted.filter(holdsBack).length);
      }
    }
  });
});
