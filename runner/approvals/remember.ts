import { choiceOf } from '../../shared/engine/index.ts';
import type { Rule } from '../../shared/engine/index.ts';
import { bindingDigest } from '../gate/binding.ts';
import type { Memory } from '../gate/ports.ts';
import type { Grants } from '../gate/grants.ts';
import { longestKeptMs } from '../gate/kept-grants.ts';
import { sameCommandId } from '../gate/question.ts';
import type { KeptTexts } from './kept-texts.ts';

interface MemoryOptions {
  readonly now: () => number;
  readonly newId: () => string;
  readonly grants: Grants;
  /** Where it is kept what allowed scripts held; absent: nowhere. */
  readonly texts?: Pick<KeptTexts, 'keep'>;
  /** Writes rules to the policy file, for an agent or `*`; rejects when they cannot be saved. */
  readonly save: (agent: string, rules: readonly Rule[]) => Promise<void>;
}

/** Turns "always" into rules of the policy file, and "for a while" into grants. */
export function createMemory({ now, newId, grants, texts, save }: MemoryOptions): Memory {
  return {
    remember: async (ask, decision, binding) => {
      const chosen = choiceOf(ask, decision);
      if (chosen?.kind !== 'remember')
        return 'An "always" that was not on offer counted for this once only.';
      const { proposal, duration, everyAgent } = chosen;
      const rules = proposal.rules.map((rule): Rule => ({
        ...rule,
        id: newId(),
        source: duration === 'always' ? 'allow-always' : 'grant',
        createdAt: now(),
      }));
      for (const { path, sha256 } of binding.files ?? [])
        if (sha256 !== null && rules.some((rule) => rule.sha256 === sha256))
          texts?.keep(path, sha256);
      if (duration === 'always') return saved(save(everyAgent ? '*' : ask.agent, rules));
      grants.add({
        agent: ask.agent,
        session: duration === 'session' ? ask.session : null,
        grantedAt: now(),
        expiresAt: duration === '15-minutes' ? now() + longestKeptMs : null,
        covers:
          proposal.id === sameCommandId
            ? { kind: 'command', digest: bindingDigest(binding), command: ask.command }
            : { kind: 'rules', rules },
      });
      return null;
    },
  };
}

async function saved(saving: Promise<void>): Promise<string | null> {
  try {
    await saving;
    return null;
  } catch (error) {
    return `A rule could not be saved: ${(error as Error).message}`;
  }
}
