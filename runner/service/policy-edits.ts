import { RefusalError, refusalOf } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { AgentPolicy, Engine, PolicyDocument, Rule } from '../../shared/engine/index.ts';
import { writePolicyFile } from '../../shared/home/index.ts';
import type { PolicySource } from '../gate/ports.ts';
import type { Log } from './log.ts';
import type { PolicyStore } from './policy-store.ts';

const attempts = 5;

export interface SaveRulesOptions {
  readonly path: string;
  readonly uid: number;
  readonly store: PolicyStore;
  readonly engine: Pick<Engine, 'edit'>;
}

/**
 * Adds rules to an agent's list in the policy file. When somebody else wrote in between, theirs is
 * read and ours is added to it. Throws a refusal when it cannot be saved.
 */
export async function saveRules(
  { path, uid, store, engine }: SaveRulesOptions,
  agent: string,
  rules: readonly Rule[],
): Promise<void> {
  for (let left = attempts; ; left -= 1) {
    const file = store.current();
    if (!file.ok) throw new RefusalError(file.problem);
    // What a person picked was shown to them in words, and is one of the engine's own proposals.
    const edited = await engine.edit(file.document, [{ change: 'add', agent, rules }], {
      accepted: true,
    });
    if (!edited.ok) throw new RefusalError(edited.problem);
    try {
      await writePolicyFile(path, edited.document, { uid, baseHash: file.hash });
      return;
    } catch (error) {
      if (left <= 1 || refusalOf(error)?.code !== 'binding-drift') throw error;
    }
  }
}

/** The last use, and how many there were since the last write. */
type Use = Parameters<PolicySource['used']>[0] & { readonly count: number };

const writeEveryMs = 5 * 60_000;
const longestCommand = 500;

export interface RuleUsage {
  readonly used: PolicySource['used'];
  /** Writes what was noted. For the end of the runner. */
  flush(): Promise<void>;
}

interface RuleUsageOptions {
  readonly path: string;
  readonly uid: number;
  readonly store: PolicyStore;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * "Last used" of the rules. Written rarely, on top of whatever the file holds by then; when somebody
 * else writes at the same moment, theirs stands and ours waits for the next time.
 */
export function createRuleUsage({ path, uid, store, clock, log }: RuleUsageOptions): RuleUsage {
  const uses = new Map<string, Use>();
  let cancel: (() => void) | null = null;
  const flush = async (): Promise<void> => {
    cancel?.();
    cancel = null;
    const file = store.current();
    if (uses.size === 0 || !file.ok) return;
    const noted = new Map(uses);
    try {
      await writePolicyFile(path, withUses(file.document, noted), { uid, baseHash: file.hash });
      for (const [id, use] of noted) {
        const now = uses.get(id);
        if (now === undefined || now === use) uses.delete(id);
        else uses.set(id, { ...now, count: now.count - use.count });
      }
    } catch (error) {
      log.warn(`The use of rules was not written: ${(error as Error).message}`);
      schedule();
    }
  };
  const schedule = (): void => {
    cancel ??= clock.after(writeEveryMs, () => void flush());
  };
  return {
    used: (use) => {
      uses.set(use.ruleId, { ...use, count: (uses.get(use.ruleId)?.count ?? 0) + 1 });
      schedule();
    },
    flush,
  };
}

/** The document with the uses noted at their rules; a rule that is gone stays gone. */
function withUses(document: PolicyDocument, uses: ReadonlyMap<string, Use>): PolicyDocument {
  if (document.agents === undefined) return document;
  const agents = Object.entries(document.agents).map(([name, agent]): [string, AgentPolicy] => [
    name,
    agent.allowlist === undefined
      ? agent
      : { ...agent, allowlist: agent.allowlist.map((rule) => withUse(rule, uses.get(rule.id))) },
  ]);
  return { ...document, agents: Object.fromEntries(agents) };
}

function withUse(rule: Rule, use: Use | undefined): Rule {
  if (use === undefined) return rule;
  return {
    ...rule,
    lastUsedAt: use.at,
    uses: (rule.uses ?? 0) + use.count,
    lastUsedCommand: use.command.slice(0, longestCommand),
    ...(use.resolvedPath === null ? {} : { lastResolvedPath: use.resolvedPath }),
  };
}
