import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { leaveNoCore, openHome, requireSecretName } from '../../../shared/home/index.ts';
import type { Home, NamedSecrets, SecretFacts } from '../../../shared/home/index.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { readHidden, requireNoAgentsCommand } from '../presence.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** The secrets of the home, for a person: a command that an agent had run is turned away. */
async function openSecrets(
  io: Io,
): Promise<{ readonly home: Home; readonly secrets: NamedSecrets }> {
  const home = openHome(io.env, { asOwner: true });
  if (!existsSync(home.home))
    throw new CliError(
      `There is no Interlock home at ${home.home}.`,
      'Run "interlock init" first.',
    );
  requireNoAgentsCommand(home);
  leaveNoCore();
  return { home, secrets: await home.openNamedSecrets() };
}

/** More is no secret of ours, and is not read to its end. */
const mostRead = 64 * 1024;
/** One more than may be kept, so that a longer one is refused and not cut. */
const mostTyped = 8_193;

/** From a terminal one line that is not shown; else all of standard input, less a last line end. */
async function readValue(io: Io, name: string): Promise<Buffer> {
  if (io.stdin.isTTY === true)
    return Buffer.from(await readHidden(io, `Value of "${name}" (it is not shown): `, mostTyped));
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of io.stdin as AsyncIterable<Buffer | string>) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > mostRead) break;
    chunks.push(bytes);
  }
  const all = Buffer.concat(chunks);
  const end = all.at(-1) === 10 ? (all.at(-2) === 13 ? 2 : 1) : 0;
  return all.subarray(0, all.length - end);
}

const setCommand: CommandModule['declare'] = (io, done) =>
  new Command('set')
    .summary('keep a secret, or change one')
    .description(
      'Keeps a secret under a name. The value comes from a prompt that does not show it, or from standard input, and is never an argument.',
    )
    .argument('<name>', '1 to 40 of a-z, 0-9 and hyphens')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock secret set github\n  gh auth token | interlock secret set github',
    )
    .action(async (name: string) => {
      requireSecretName(name);
      const { secrets } = await openSecrets(io);
      const value = await readValue(io, name);
      const what = await secrets.set(name, value);
      value.fill(0);
      say(io.stdout, `The secret "${name}" was ${what === 'made' ? 'kept' : 'changed'}.`);
      say(io.stdout, secrets.sentence);
      done(0);
    });

const listCommand: CommandModule['declare'] = (io, done) =>
  new Command('list')
    .summary('list the secrets by name, and their use')
    .description('Names, when they were kept, and what last used them. Never a value.')
    .option('--json', 'as JSON')
    .action(async ({ json }: JsonOption) => {
      const { secrets } = await openSecrets(io);
      const known = secrets.list();
      if (json === true) sayJson(io.stdout, { store: secrets.kind, secrets: known });
      else {
        if (known.length === 0)
          say(io.stdout, 'No secret is kept here. Keep one: interlock secret set NAME');
        for (const line of known.map(lineOf)) say(io.stdout, line);
        say(io.stdout, secrets.sentence);
      }
      done(0);
    });

function lineOf({ name, createdAt, changedAt, lastUsedAt, lastUsedBy }: SecretFacts): string {
  const changed = changedAt === createdAt ? '' : `, changed ${timeOf(changedAt)}`;
  const used = lastUsedAt === null ? 'never used' : `last used ${timeOf(lastUsedAt)}`;
  const by = lastUsedBy === null ? '' : ` by ${lastUsedBy}`;
  return `${name.padEnd(20)}  kept ${timeOf(createdAt)}${changed}, ${used}${by}`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

const removeCommand: CommandModule['declare'] = (io, done) =>
  new Command('rm')
    .summary('remove a secret')
    .argument('<name>', 'which secret')
    .action(async (name: string) => {
      requireSecretName(name);
      const { secrets } = await openSecrets(io);
      if (!(await secrets.remove(name))) throw noneSuch(name);
      say(
        io.stdout,
        `The secret "${name}" is gone. Where it came from it still counts: revoke it there.`,
      );
      done(0);
    });

const testCommand: CommandModule['declare'] = (io, done) =>
  new Command('test')
    .summary('check that a secret can be read')
    .description('Reads a secret as a tool would, and says whether that worked. Never shows it.')
    .argument('<name>', 'which secret')
    .option('--json', 'as JSON')
    .action(async (name: string, { json }: JsonOption) => {
      requireSecretName(name);
      const { secrets } = await openSecrets(io);
      const value = await secrets.get(name);
      if (value === null) throw noneSuch(name);
      value.fill(0);
      if (json === true) sayJson(io.stdout, { name, readable: true, store: secrets.kind });
      else say(io.stdout, `The secret "${name}" can be read. ${secrets.sentence}`);
      done(0);
    });

function noneSuch(name: string): CliError {
  return new CliError(`There is no secret "${name}".`, 'See "interlock secret list".');
}

/** `interlock secret`: what tools may use and agents never see. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('secret').description(
    'Secrets that tools use for agents, which never see them. Works with the runner running or stopped.',
  );
  for (const one of [setCommand, listCommand, removeCommand, testCommand])
    command.addCommand(one(io, done));
  return command;
};
