import { Command } from 'commander';
import { brokeredSecretName, openHome } from '../../../shared/home/index.ts';
import type { Home } from '../../../shared/home/index.ts';
import { CliError } from '../failure.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say } from '../io.ts';
import type { Io } from '../io.ts';
import { readHidden, requireNoAgentsCommand } from '../presence.ts';

const longest = 1_024;
const nameForm = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/u;

type Done = Parameters<CommandModule['declare']>[1];

/** `interlock secret`: what Interlock uses for agents and they never see. */
export const declare: CommandModule['declare'] = (io, done) => {
  const secret = new Command('secret').description(
    'Secrets that the proxy of sandboxes puts into headers (egress.transforms). No agent sees them.',
  );
  declareSet(secret, io, done);
  declareTest(secret, io, done);
  declareRemove(secret, io, done);
  return secret;
};

const nameArgument = ['<name>', '1 to 48 of a-z, 0-9 and inner hyphens'] as const;

function declareSet(secret: Command, io: Io, done: Done): void {
  secret
    .command('set')
    .description(
      'Stores a secret, or another value for it. The value is typed without being shown, or comes on standard input; never in the command line.',
    )
    .argument(...nameArgument)
    .addHelpText(
      'after',
      '\nExamples:\n  interlock secret set api-token\n  pass show api | interlock secret set api-token',
    )
    .action(async (name: string) => {
      const home = opened(io, name);
      const isTyped = io.stdin.isTTY === true;
      const value = isTyped ? await readHidden(io, `Value of ${name}: `) : await readAll(io);
      if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u.test(value) || value.length > longest)
        throw new CliError(
          'The value is no line of printable ASCII of at most 1,024 characters; nothing was stored.',
          'Look at what was given: a header can hold nothing else.',
        );
      const store = await home.openSecrets();
      await store.set(brokeredSecretName(name), Buffer.from(value));
      say(io.stdout, `${name} is stored. ${placeSentence(store.kind, home)}`);
      done(exitCodes.ok);
    });
}

function declareTest(secret: Command, io: Io, done: Done): void {
  secret
    .command('test')
    .description('Says whether there is a secret of that name; ends with 1 where there is none.')
    .argument(...nameArgument)
    .addHelpText('after', '\nExample:\n  interlock secret test api-token')
    .action(async (name: string) => {
      const store = await opened(io, name).openSecrets();
      const isThere = (await store.get(brokeredSecretName(name))) !== null;
      say(io.stdout, isThere ? `${name} is stored.` : `There is no secret ${name}.`);
      done(isThere ? exitCodes.ok : 1);
    });
}

function declareRemove(secret: Command, io: Io, done: Done): void {
  secret
    .command('rm')
    .description('Forgets a secret. Requests that need it are refused from then on.')
    .argument(...nameArgument)
    .addHelpText('after', '\nExample:\n  interlock secret rm api-token')
    .action(async (name: string) => {
      const store = await opened(io, name).openSecrets();
      const was = await store.remove(brokeredSecretName(name));
      say(io.stdout, was ? `${name} is gone.` : `There was no secret ${name}.`);
      done(was ? exitCodes.ok : 1);
    });
}

function opened(io: Io, name: string): Home {
  if (!nameForm.test(name))
    throw new CliError(
      'A secret is named by 1 to 48 of a-z, 0-9 and inner hyphens.',
      'For example: interlock secret set api-token',
    );
  const home = openHome(io.env, { asOwner: true });
  requireNoAgentsCommand(home);
  return home;
}

function placeSentence(kind: 'keychain' | 'file', home: Home): string {
  return kind === 'keychain'
    ? "It is in the system's keychain."
    : `It is in a 0600 file below ${home.keysDirectory}: no keychain answered. Programs of your user can read it.`;
}

async function readAll({ stdin }: Io): Promise<string> {
  let text = '';
  for await (const part of stdin) {
    text += String(part);
    if (text.length > longest + 2) break;
  }
  return text.replace(/\r?\n$/u, '');
}
