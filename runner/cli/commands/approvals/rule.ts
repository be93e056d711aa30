import { Command, Option } from 'commander';
import { exampleCheck } from '../../approvals/examples.ts';
import { openPolicy, savePolicy } from '../../approvals/file.ts';
import { ruleOf } from '../../approvals/rule.ts';
import type { RuleOptions } from '../../approvals/rule.ts';
import { say } from '../../io.ts';
import type { Io } from '../../io.ts';
import { addRules } from '../../../../shared/policy/edit.ts';
import { toolKinds } from '../../../../shared/tools/types.ts';
import { ruleLine } from '../../text/rules.ts';
import { collect } from '../../text/collect.ts';

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
      'glob over the real path of the program, or a bare name found in a trusted folder; for other kinds over the file, the address, or server/tool',
    )
    .argument(
      '[args...]',
      'argument tokens: words or globs; after "--" where one begins with a hyphen',
    )
    .option('--agent <name>', 'for this agent, or "*" for all', '*')
    .addOption(
      new Option('--kind <kind>', 'what it is about')
        .choices(['exec', ...toolKinds])
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
    .option('--match <command>', 'an example that must match; may be repeated', collect)
    .option('--never-match <command>', 'an example that must not match; may be repeated', collect)
    .addHelpText(
      'after',
      `\nExample:\n  interlock approvals ${effect} --agent claude -- git status ...\n  interlock approvals ${effect} --agent claude --kind edit -- '~/src/**'`,
    )
    .action(async (pattern: string, args: string[], options: RuleOptions) => {
      const policy = openPolicy(io);
      const rule = ruleOf({ effect, pattern, args }, options, io.now());
      const check = await exampleCheck(io);
      await savePolicy(
        addRules(policy.document, { agent: options.agent, rules: [rule], check }),
        policy,
      );
      say(io.stdout, ruleLine(rule));
      done(0);
    });
}
