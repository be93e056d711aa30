import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { displayPlain, messageOf } from '../../../shared/base/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import { readFleet } from '../../fleet/files.ts';
import type { Fleet } from '../../fleet/files.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { requireNoAgentsCommand } from '../presence.ts';

type Done = Parameters<CommandModule['declare']>[1];

/** `interlock fleet`: many nodes, over nats-server. */
export const declare: CommandModule['declare'] = (io, done) => {
  const fleet = new Command('fleet')
    .enablePositionalOptions()
    .description(
      'Many nodes of this machine, over a nats-server that is trusted with nothing: it carries what the machines say to each other, and can neither read nor change it.',
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock fleet init --server tls://nats.example:4222 > nats-server.conf
  interlock fleet add build
  interlock fleet status`,
    );
  for (const make of [initCommand, addCommand, statusCommand]) fleet.addCommand(make(io, done));
  return fleet;
};

interface InitFlags {
  readonly server: readonly string[];
  readonly ca?: string;
  readonly name: string;
  readonly json?: boolean;
}

function initCommand(io: Io, done: Done): Command {
  return new Command('init')
    .summary('make the keys of a fleet, and print what nats-server has to be set to')
    .description(
      'Makes this machine the gateway of a fleet: its keys are kept in the home, and the settings of its nats-server are printed. Nothing is installed or started. The settings hold no secret.',
    )
    .requiredOption(
      '--server <url...>',
      'tls://HOST:PORT of nats-server, as every machine reaches it; nats:// on this machine alone',
    )
    .option(
      '--ca <file>',
      'whose certificates count for it, PEM (default: those the system trusts)',
    )
    .option('--name <name>', 'what the fleet is called', 'fleet')
    .option('--json', 'as JSON')
    .action(async ({ server, ca, name, json }: InitFlags) => {
      const home = openHome(io.env);
      requireNoAgentsCommand(home);
      const { createFleet, serverConfig } = await import('../../fleet/keys.ts');
      const { uid } = home;
      const where = { servers: [...server], ca: ca === undefined ? null : textOf(ca) };
      const made = createFleet(home.fleet, { uid, name, now: io.now(), ...where });
      const config = serverConfig(made);
      if (json === true) sayJson(io.stdout, { name, servers: made.servers, config });
      else io.stdout.write(config);
      say(io.stderr, 'Start nats-server with these settings, and the runner again.');
      say(io.stderr, 'Then let each machine in: interlock fleet add NAME');
      done(exitCodes.ok);
    });
}

function addCommand(io: Io, done: Done): Command {
  return new Command('add')
    .summary('make the file by which one machine reaches the fleet')
    .description(
      'Writes a file with what one machine needs to reach nats-server, as a user who may speak for that machine alone. Take it there by a way that nobody reads; it does not pair the machine: "interlock node pair --fleet FILE" does, and a person compares the codes.',
    )
    .argument('<name>', 'of the machine')
    .option('--output <file>', 'where to write it (default: NAME.fleet.json here)')
    .option('--json', 'as JSON: where it is, and which user')
    .action(async (name: string, flags: { readonly output?: string; readonly json?: boolean }) => {
      const home = openHome(io.env);
      requireNoAgentsCommand(home);
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u.test(name))
        throw new CliError('This is no name for a machine.', 'Use letters, digits, dots, - and _.');
      const { newAccess } = await import('../../fleet/keys.ts');
      const { user, text } = newAccess(fleetOf(home), { name, now: io.now() });
      const file = resolve(io.cwd(), flags.output ?? `${name}.fleet.json`);
      writeNew(file, text);
      if (flags.json === true) sayJson(io.stdout, { file, user });
      else {
        say(io.stdout, `${displayPlain(file)} lets one machine reach the fleet. It is secret.`);
        say(io.stdout, `There, at a terminal: interlock node pair --fleet ${name}.fleet.json`);
      }
      done(exitCodes.ok);
    });
}

function statusCommand(io: Io, done: Done): Command {
  return new Command('status')
    .summary('whether the fleet can be reached from here')
    .description('Asks nats-server itself. Ends with 1 where it does not answer.')
    .option('--json', 'as JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const fleet = fleetOf(openHome(io.env));
      const { name, servers } = fleet;
      const { connectFleet } = await import('../../fleet/streams.ts');
      const { accessOf } = await import('../../fleet/files.ts');
      const problem = await connectFleet(accessOf(fleet)).then(
        async (connection) => (await connection.close(), null),
        (error: unknown) => displayPlain(messageOf(error)),
      );
      if (json === true) sayJson(io.stdout, { name, servers, problem });
      else {
        say(io.stdout, `Fleet     ${name}`);
        say(io.stdout, `Servers   ${servers.join(', ')}`);
        say(io.stdout, `State     ${problem ?? 'reached'}`);
      }
      done(problem === null ? exitCodes.ok : 1);
    });
}

function fleetOf({ fleet: path, uid }: { readonly fleet: string; readonly uid: number }): Fleet {
  const fleet = readFleet(path, uid);
  if (fleet !== null) return fleet;
  throw new CliError(
    'This machine is the gateway of no fleet.',
    'Make one: interlock fleet init --server tls://HOST:PORT',
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`${displayPlain(path)} cannot be read.`, 'Say a file of PEM.', {
      cause: error,
    });
  }
}

/** Writes a file that was not there before, for its owner alone. */
function writeNew(path: string, text: string): void {
  try {
    const fd = openSync(path, 'wx', 0o600);
    try {
      writeSync(fd, text);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new CliError(
      `${displayPlain(path)} cannot be written: ${messageOf(error)}`,
      'Say another --output; a file that is there is not replaced.',
      { cause: error },
    );
  }
}
