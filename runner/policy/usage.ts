import type { Clock } from '../../shared/clock/types.ts';
import { writePolicyFile } from '../../shared/node/policy-file/write.ts';
import type { AgentPolicy, PolicyDocument, Rule } from '../../shared/policy/types.ts';
import type { PolicySource } from '../gate/ports.ts';
import type { Log } from '../log/log.ts';
import type { PolicyStore } from './policy-store.ts';

/** The last use, and how many there were since the last write. */
type Use = Parameters<PolicySource['used']>[0] & { readonly count: number };

const writeEveryMs = 5 * 60_000;
const longestCommand = 500;

export interface RuleUsage {
  readonly used: PolicySource['used'];
  /** Writes what was noted. For the end of the runner. */
  flush(): Promise<void>;
}

export interface RuleUsageOptions {
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
export function withUses(document: PolicyDocument, uses: ReadonlyMap<string, Use>): PolicyDocument {
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
