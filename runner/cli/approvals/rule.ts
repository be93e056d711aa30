import { Command, Option } from 'commander';
import { randomUUID } from 'node:crypto';
import { displayPlain } from '../../../shared/base/index.ts';
import { needNoRule, reviewRules, sentenceOf, toolKinds } from '../../../shared/engine/index.ts';
import type {
  PolicyDocument,
  PolicyModes,
  RequestKind,
  Rule,
  RuleEffect,
} from '../../../shared/engine/index.ts';
import { CliError } from '../failure.ts';
import { say } from '../io.ts';
import type { Io } from '../io.ts';
import { collect, parseDuration } from '../options.ts';
import { editPolicyFile, openPolicy, yesFlag } from './file.ts';
import type { YesOption } from './file.ts';

/** A policy for a person: modes and rules of each agent, line by line, display-safe. */
export function policyLines(document: PolicyDocument): readonly string[] {
  const agents = Object.entries(document.agents ?? {});
  return [
    `defaults   ${modesOf(document.defaults ?? {})}`,
    `no rule    shell text that only uses ${needNoRule.join(' ')}, and writes no file, needs none`,
    ...agents.flatMap(([agent, policy]) => [
      `${agent.padEnd(10)} ${modesOf(policy)}`,
      ...(policy.allowlist ?? []).map((rule) => `  ${ruleLine(rule)}`),
    ]),
  ].map(displayPlain);
}

/** One rule on one line. */
function ruleLine(rule: Rule): string {
  const words = [
    rule.id,
    (rule.effect ?? 'allow').padEnd(5),
    ...(rule.kind === undefined || rule.kind === 'exec'
      ? [rule.pattern, ...argumentWords(rule)]
      : [rule.kind, rule.pattern, ...(rule.tool === undefined ? [] : [`with ${rule.tool}`])]),
    ...(rule.cwd === undefined ? [] : [`in ${rule.cwd}`]),
    ...(typeof rule.expiresAt === 'number'
      ? [`until ${new Date(rule.expiresAt).toISOString()}`]
      : []),
    ...(rule.note === undefined ? [] : [`— ${rule.note}`]),
  ];
  return words.join('  ');
}

function argumentWords({ args, argPattern }: Rule): readonly string[] {
  if (args?.length === 0) return ['(no arguments)'];
  if (args !== undefined)
    return args.map((token) => (typeof token === 'string' ? token : `{${token.join(',')}}`));
  return argPattern === undefined ? ['(any arguments)'] : [`/${argPattern}/`];
}

function modesOf({ security, ask, askFallback }: PolicyModes): string {
  const words = [
    security === undefined ? null : `security ${security}`,
    ask === undefined ? null : `ask ${ask}`,
    askFallback === undefined ? null : `fallback ${askFallback}`,
  ].filter((word) => word !== null);
  return words.length === 0 ? 'as above' : words.join(', ');
}

/** Flags of `interlock approvals allow` and `deny`. */
interface RuleOptions extends YesOption {
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

interface RuleWords {
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
function ruleOf(words: RuleWords, options: RuleOptions, now: number): Rule {
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

/** `approvals allow` and `approvals deny`: adds one rule. */
export function ruleCommand(
  effect: 'allow' | 'deny',
  io: Io,
  done: (exitCode: number) => void,
): Command {
  return new Command(effect)
    .summary(`add a rule that ${effect === 'allow' ? 'allows' : 'denies'}`)
    .description(
      `Adds a rule that ${effect === 'allow' ? 'allows' : 'denies'} a program. Without arguments it holds for any; a last "..." stands for anything after. Flags of this command may stand anywhere before "--"; arguments of the rule that begin with a hyphen stand after it.`,
    )
    .argument(
      '<pattern>',
      'glob over the real path of the program, or a bare name found in a trusted folder; for other kinds over the file, the address, or server/tool; a host for egress',
    )
    .argument(
      '[args...]',
      'argument tokens: words or globs; after "--" where one begins with a hyphen',
    )
    .option('--agent <name>', 'for this agent, or "*" for all', '*')
    .addOption(
      new Option('--kind <kind>', 'what it is about')
        .choices(['exec', ...toolKinds, 'egress'])
        .default('exec'),
    )
    .option('--tool <glob>', "only with this tool of the agent's; for kinds other than exec")
    .option('--cwd <glob>', 'only in these folders')
    .option('--host <host>', 'only on this host')
    .option('--exact', 'with exactly these arguments, also where none are given')
    .option('--arg-pattern <regex>', 'a regular expression over the arguments instead of tokens')
    .option(
      '--writes <glob>',
      'a path that may be written by redirection; may be repeated',
      collect,
    )
    .option('--sha256 <digest>', 'only this very file')
    .option('--expires <duration>', 'until then, as in 30m or 8h')
    .option('--note <words>', 'why')
    .option(...yesFlag)
    .option('--match <command>', 'an example that must match; may be repeated', collect)
    .option('--never-match <command>', 'an example that must not match; may be repeated', collect)
    .addHelpText(
      'after',
      `\nExample:\n  interlock approvals ${effect} --agent claude -- git status ...\n  interlock approvals ${effect} --agent claude --kind edit -- '~/src/**'`,
    )
    .action(async (pattern: string, args: string[], options: RuleOptions) => {
      const policy = openPolicy(io);
      const rule = ruleOf({ effect, pattern, args }, options, io.now());
      const { agent } = options;
      await editPolicyFile(policy, [{ change: 'add', agent, rules: [rule] }], io, options);
      say(io.stdout, ruleLine(rule));
      say(io.stdout, displayPlain(sentenceOf(rule, agent)));
      const added: PolicyDocument = { version: 1, agents: { [agent]: { allowlist: [rule] } } };
      for (const { sentence } of reviewRules(added, io.now())) say(io.stdout, `Note: ${sentence}`);
      done(0);
    });
}
