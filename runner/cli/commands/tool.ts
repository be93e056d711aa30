import { Command } from 'commander';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { judgeToolCall } from '../../../shared/engine/index.ts';
import {
  ensurePrivateDirectory,
  openHome,
  parseToolPolicy,
  readToolPolicy,
  toolsIn,
  writeFileAtomic,
} from '../../../shared/home/index.ts';
import type { Home, ToolPolicyFile } from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { requireNoAgentsCommand } from '../presence.ts';

interface JsonOption {
  readonly json?: boolean;
}

function homeOf(io: Io): Home {
  const home = openHome(io.env, { asOwner: true });
  if (existsSync(home.home)) return home;
  throw new CliError(`There is no Interlock home at ${home.home}.`, 'Run "interlock init" first.');
}

/** Policies that come with Interlock, for `tool add`. */
function shippedFolder(io: Io): string {
  return join(io.packageRoot, 'assets', 'tools');
}

const listCommand: CommandModule['declare'] = (io, done) =>
  new Command('list')
    .summary('list the tools that are brokered, and those that could be')
    .option('--json', 'as JSON')
    .action(async ({ json }: JsonOption) => {
      const home = homeOf(io);
      const names = toolsIn(home.toolsDirectory);
      const files = await Promise.all(
        names.map(async (name) => ({
          name,
          file: await readToolPolicy(home.toolsDirectory, name, home.uid),
        })),
      );
      const available = toolsIn(shippedFolder(io)).filter((name) => !names.includes(name));
      const tools = files.map(({ name, file }) => ({
        name,
        problem: file.ok ? null : file.problem.message,
        secrets: file.ok ? file.policy.credentials.map(({ secret }) => secret) : [],
      }));
      if (json === true) sayJson(io.stdout, { tools, available });
      else {
        if (tools.length === 0) say(io.stdout, 'No tool is brokered here.');
        for (const { name, problem, secrets } of tools)
          say(
            io.stdout,
            `${name.padEnd(12)}  ${problem ?? (secrets.length === 0 ? 'no secret' : `with ${secrets.join(', ')}`)}`,
          );
        if (available.length > 0)
          say(io.stdout, `To add: ${available.join(', ')} (interlock tool add NAME)`);
      }
      done(tools.some(({ problem }) => problem !== null) ? exitCodes.failed : exitCodes.ok);
    });

const showCommand: CommandModule['declare'] = (io, done) =>
  new Command('show')
    .summary('show what a tool may be asked for')
    .description(
      'Prints the policy of a tool: that of this home, else the one that could be added.',
    )
    .argument('<name>', 'which tool')
    .action((name: string) => {
      const home = homeOf(io);
      const own = toolsIn(home.toolsDirectory).includes(name);
      const folder = own ? home.toolsDirectory : shippedFolder(io);
      if (!own && !toolsIn(folder).includes(name)) throw noneSuch(name);
      say(
        io.stdout,
        own
          ? `# ${join(folder, `${name}.yaml`)}`
          : `# Not brokered here; to add it: interlock tool add ${name}`,
      );
      io.stdout.write(readFileSync(join(folder, `${name}.yaml`), 'utf8'));
      done(0);
    });

const addCommand: CommandModule['declare'] = (io, done) =>
  new Command('add')
    .summary('broker a tool')
    .description(
      'Puts the policy that comes with Interlock into this home. From then on agents may ask for the tool; their rules decide, as about every command.',
    )
    .argument('<name>', 'git, gh, aws, npm, docker or kubectl')
    .action(async (name: string) => {
      const home = homeOf(io);
      requireNoAgentsCommand(home);
      const source = join(shippedFolder(io), `${name}.yaml`);
      if (!toolsIn(shippedFolder(io)).includes(name)) throw noneSuch(name);
      const path = join(home.toolsDirectory, `${name}.yaml`);
      if (existsSync(path))
        throw new CliError(`${path} is there already.`, 'Edit it, then: interlock tool check');
      const text = readFileSync(source, 'utf8');
      const read = await parseToolPolicy(text, name);
      if (!read.ok) throw new Error(`the policy of ${name} that comes with us: ${read.problem}`);
      ensurePrivateDirectory(home.toolsDirectory, { uid: home.uid });
      writeFileAtomic(path, text);
      say(io.stdout, `Agents may ask for ${name} now, as ${path} says.`);
      const kept = new Set((await home.openNamedSecrets()).list().map((one) => one.name));
      for (const { secret, optional } of read.policy.credentials)
        if (!kept.has(secret))
          say(
            io.stdout,
            `${optional === true ? 'It can use' : 'It needs'} a secret that is not kept yet: interlock secret set ${secret}`,
          );
      say(io.stdout, `Try it: interlock run --host tools -- ${name} …`);
      done(0);
    });

const removeCommand: CommandModule['declare'] = (io, done) =>
  new Command('rm')
    .summary('stop brokering a tool')
    .argument('<name>', 'which tool')
    .action((name: string) => {
      const home = homeOf(io);
      requireNoAgentsCommand(home);
      if (!toolsIn(home.toolsDirectory).includes(name)) throw noneSuch(name);
      rmSync(join(home.toolsDirectory, `${name}.yaml`));
      say(io.stdout, `Agents can no longer ask for ${name}. Its secrets stay.`);
      done(0);
    });

/** One line about a file, and whether it holds. */
function fileLine(name: string, file: ToolPolicyFile): string {
  return file.ok ? `${name}: valid` : `${name}: ${file.problem.message}`;
}

const checkCommand: CommandModule['declare'] = (io, done) =>
  new Command('check')
    .summary('check policies, or what one says about a call')
    .description(
      'Without words: whether the policy of a tool, or of all, can be used. With words: what it says about that call, before the rules of the agent. Runs nothing.',
    )
    .argument('[name]', 'which tool; all of them when absent')
    .argument('[words...]', 'arguments of the tool')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock tool check\n  interlock tool check git -- push --force origin main',
    )
    .action(async (name: string | undefined, words: readonly string[], { json }: JsonOption) => {
      const home = homeOf(io);
      const read = async (tool: string): Promise<ToolPolicyFile> =>
        readToolPolicy(home.toolsDirectory, tool, home.uid);
      if (name === undefined || words.length === 0) {
        const names = name === undefined ? toolsIn(home.toolsDirectory) : [name];
        const files = await Promise.all(
          names.map(async (tool) => [tool, await read(tool)] as const),
        );
        if (json === true)
          sayJson(
            io.stdout,
            files.map(([tool, file]) => ({ name: tool, problem: file.ok ? null : file.problem })),
          );
        else for (const [tool, file] of files) say(io.stdout, fileLine(tool, file));
        done(files.every(([, file]) => file.ok) ? exitCodes.ok : exitCodes.failed);
        return;
      }
      const file = await read(name);
      if (!file.ok) throw new CliError(file.problem.message, file.problem.hint);
      const verdict = judgeToolCall(file.policy, { words, env: [] });
      if (json === true) sayJson(io.stdout, verdict);
      else say(io.stdout, `${verdict.decision}: ${verdict.why}`);
      done(verdict.decision === 'deny' ? exitCodes.refused : exitCodes.ok);
    });

function noneSuch(name: string): CliError {
  return new CliError(`There is no tool "${name}".`, 'See "interlock tool list".');
}

/** `interlock tool`: programs that the runner runs for agents, with secrets that they never see. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('tool').description(
    'Tools that the runner runs for agents with credentials that they never see, outside of the sandbox.',
  );
  for (const one of [listCommand, showCommand, checkCommand, addCommand, removeCommand])
    command.addCommand(one(io, done));
  return command;
};
