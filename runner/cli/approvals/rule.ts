import { randomUUID } from 'node:crypto';
import type { Rule, RuleEffect } from '../../../shared/policy/types.ts';
import { parseDuration } from '../text/duration.ts';

/** Flags of `interlock approvals allow` and `deny`. */
export interface RuleOptions {
  readonly agent: string;
  readonly cwd?: string;
  readonly host?: string;
  readonly note?: string;
  readonly expires?: string;
  readonly argPattern?: string;
  readonly sha256?: string;
  /** With exactly these arguments, also where there are none. */
  readonly exact?: boolean;
  readonly writes?: readonly string[];
  readonly match?: readonly string[];
  readonly neverMatch?: readonly string[];
}

export interface RuleWords {
  readonly effect: RuleEffect;
  readonly pattern: string;
  /** Argument tokens; none at all means any arguments. */
  readonly args: readonly string[];
}

/** The rule that words and flags stand for, with a fresh id. */
export function ruleOf(words: RuleWords, options: RuleOptions, now: number): Rule {
  const { cwd, host, note, expires, argPattern, sha256, writes } = options;
  const { match = [], neverMatch = [] } = options;
  const examples = {
    ...(match.length > 0 && { match }),
    ...(neverMatch.length > 0 && { noMatch: neverMatch }),
  };
  return {
    id: randomUUID(),
    effect: words.effect,
    pattern: words.pattern,
    ...((words.args.length > 0 || options.exact === true) && { args: words.args }),
    ...(argPattern !== undefined && { argPattern }),
    ...(writes !== undefined && { writes }),
    ...(sha256 !== undefined && { sha256 }),
    ...(cwd !== undefined && { cwd }),
    ...(host !== undefined && { host }),
    ...(note !== undefined && { note }),
    source: 'cli',
    createdAt: now,
    ...(expires !== undefined && { expiresAt: now + parseDuration(expires) }),
    ...(Object.keys(examples).length > 0 && { examples }),
  };
}
