import { randomUUID } from 'node:crypto';
import type { RequestKind, Rule, RuleEffect } from '../../../shared/policy/types.ts';
import { CliError } from '../failure.ts';
import { parseDuration } from '../text/duration.ts';

/** Flags of `interlock approvals allow` and `deny`. */
export interface RuleOptions {
  readonly agent: string;
  /** What the rule is about; commands when absent. */
  readonly kind?: RequestKind;
  /** For kinds other than commands: only with this tool. */
  readonly tool?: string;
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

/** Flags and words that only make sense for commands. */
function requireFitting({ args }: RuleWords, options: RuleOptions): void {
  const { kind = 'exec', tool, argPattern, exact, writes, sha256 } = options;
  if (kind === 'exec' && tool !== undefined)
    throw new CliError('--tool is not for commands.', 'Name a kind: --kind edit, fetch or mcp.');
  const forCommands = [argPattern, exact, writes, sha256].some((flag) => flag !== undefined);
  if (kind !== 'exec' && (forCommands || args.length > 0))
    throw new CliError(
      `A rule about "${kind}" has a pattern and no arguments.`,
      "As in: interlock approvals allow --kind edit -- '~/src/**'",
    );
}

/** The rule that words and flags stand for, with a fresh id. Throws for flags that do not fit. */
export function ruleOf(words: RuleWords, options: RuleOptions, now: number): Rule {
  requireFitting(words, options);
  const { kind = 'exec', tool, cwd, host, note, expires, argPattern, sha256, writes } = options;
  const { match = [], neverMatch = [] } = options;
  const examples = {
    ...(match.length > 0 && { match }),
    ...(neverMatch.length > 0 && { noMatch: neverMatch }),
  };
  return {
    id: randomUUID(),
    effect: words.effect,
    ...(kind !== 'exec' && { kind }),
    pattern: words.pattern,
    ...(tool !== undefined && { tool }),
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
