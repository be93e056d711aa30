import { Command } from 'commander';
import {
  editPolicyFile,
  failuresOf,
  openPolicy,
  readOtherPolicy,
  rulesOf,
  withoutSocket,
  yesFlag,
} from '../approvals/file.ts';
import type { YesOption } from '../approvals/file.ts';
import { engineOf } from '../check/bench.ts';
import { importCommand } from '../approvals/import.ts';
import { policyLines, ruleCommand } from '../approvals/rule.ts';
import { starterCommand } from '../approvals/starter.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';

/** `approvals export`: the policy as a file to pass on, without socket and token. */
const exportCommand: CommandModule['declare'] = (io, done) =>
  new Command('export')
    .summary('print the policy without its secrets')
    .description(
      'Prints the policy as JSON, without the socket and its token, to be kept or passed on.',
    )
    .addHelpText('after', '\nExample:\n  interlock approvals export > team.json')
    .action(() => {
      sayJson(io.stdout, withoutSocket(openPolicy(io).document));
      done(0);
    });

/** `approvals get`: the policy and the hash that a `set` must name. Never shows the token. */
const getCommand: CommandModule['declare'] = (io, done) =>
  new Command('get')
    .summary('show the policy and its hash')
    .description('Shows the policy and its hash. The token of the socket is left out.')
    .option('--json', '{"path", "hash", "document"} as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock approvals get\n  interlock approvals get --json',
    )
    .action((options: { readonly json?: boolean }) => {
      const { home, hash, document } = openPolicy(io);
      const path = home.policy;
      if (options.json === true)
        sayJson(io.stdout, { path, hash, document: withoutSocket(document) });
      else
        for (const line of [`file       ${path}`, `hash       ${hash}`, ...policyLines(document)])
          say(io.stdout, line);
      done(0);
    });

/** `approvals rm ID`: takes one rule out. */
const removeCommand: CommandModule['declare'] = (io, done) =>
  new Command('rm')
    .summary('remove a rule')
    .description('Removes the rule with this id. "approvals get" shows the ids.')
    .argument('<id>', 'id of the rule')
    .option('--agent <name>', 'only where it belongs to this agent')
    .addHelpText(
      'after',
      '\nExample:\n  interlock approvals rm 1facc7bd-ed96-40ee-9a6b-12df4e9e21ec',
    )
    .action(async (id: string, options: { readonly agent?: string }) => {
      const policy = openPolicy(io);
      await editPolicyFile(policy, [{ change: 'remove', id, ...options }], io);
      say(io.stdout, `Removed ${id}.`);
      done(0);
    });

/** `approvals set FILE --base-hash H`: replaces the policy if it is still the one that was read. */
const setCommand: CommandModule['declare'] = (io, done) =>
  new Command('set')
    .summary('replace the policy with a file')
    .description(
      'Replaces the policy with the one in FILE, if the present one still has the hash that "get" showed. Socket and token stay as they are.',
    )
    .argument('<file>', 'a policy file')
    .requiredOption('--base-hash <hash>', 'hash of the policy that FILE was made from')
    .option(...yesFlag)
    .addHelpText('after', '\nExample:\n  interlock approvals set new.json --base-hash 3f0c…')
    .action(async (file: string, options: YesOption & { readonly baseHash: string }) => {
      const current = openPolicy(io);
      const { socket: _socket, ...wanted } = readOtherPolicy(file);
      const { socket } = current.document;
      const document = socket === undefined ? wanted : { ...wanted, socket };
      const base = { ...current, hash: options.baseHash };
      const hash = await editPolicyFile(base, [{ change: 'whole', document }], io, options);
      say(io.stdout, hash);
      done(0);
    });

/** `approvals test`: holds every rule against its own examples. */
const testCommand: CommandModule['declare'] = (io, done) =>
  new Command('test')
    .summary('check every rule against its examples')
    .description(
      'Checks every rule against the examples that it carries. Exits with 1 when one fails.',
    )
    .option('--json', '{"ok", "rules", "examples", "problems"} as JSON')
    .action(async (options: { readonly json?: boolean }) => {
      const check = await engineOf({}, io).checkRules();
      const { document } = openPolicy(io);
      const rules = rulesOf(document).map(({ rule }) => rule);
      const examples = rules
        .map(({ examples: { match = [], noMatch = [] } = {} }) => match.length + noMatch.length)
        .reduce((sum, count) => sum + count, 0);
      const problems = failuresOf(document, check);
      const ok = problems.length === 0;
      if (options.json === true)
        sayJson(io.stdout, { ok, rules: rules.length, examples, problems });
      else {
        for (const problem of problems) say(io.stdout, problem);
        say(
          io.stdout,
          `${String(rules.length)} rules, ${String(examples)} examples, ${String(problems.length)} problems.`,
        );
      }
      done(ok ? exitCodes.ok : 1);
    });

/** `interlock approvals`: the policy file, read and edited. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('approvals')
    .enablePositionalOptions()
    .description(
      'Reads and edits the policy file. Two writers at once do not overwrite each other: an edit is refused when the file has changed since it was read.',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock approvals get
  interlock approvals allow --agent claude -- git status ...
  interlock approvals deny -- rm -rf ...
  interlock approvals test`,
    );
  for (const declareChild of [
    getCommand,
    setCommand,
    removeCommand,
    importCommand,
    exportCommand,
    testCommand,
    starterCommand,
  ])
    command.addCommand(declareChild(io, done));
  command.addCommand(ruleCommand('allow', io, done));
  command.addCommand(ruleCommand('deny', io, done));
  return command;
};
