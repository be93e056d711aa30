import { writePolicyFile } from '../../shared/node/policy-file/write.ts';
import { addRules } from '../../shared/policy/edit.ts';
import type { Rule } from '../../shared/policy/types.ts';
import { RefusalError, refusalOf } from '../../shared/refusal/refusal.ts';
import type { PolicyStore } from './policy-store.ts';

const attempts = 5;

export interface SaveRulesOptions {
  readonly path: string;
  readonly uid: number;
  readonly store: PolicyStore;
}

/**
 * Adds rules to an agent's list in the policy file. When somebody else wrote in between, theirs is
 * read and ours is added to it. Throws a refusal when it cannot be saved.
 */
export async function saveRules(
  { path, uid, store }: SaveRulesOptions,
  agent: string,
  rules: readonly Rule[],
): Promise<void> {
  for (let left = attempts; ; left -= 1) {
    const file = store.current();
    if (!file.ok) throw new RefusalError(file.problem);
    const edited = addRules(file.document, { agent, rules });
    if (!edited.ok) throw new RefusalError(edited.problem);
    try {
      await writePolicyFile(path, edited.document, { uid, baseHash: file.hash });
      return;
    } catch (error) {
      if (left <= 1 || refusalOf(error)?.code !== 'binding-drift') throw error;
    }
  }
}
