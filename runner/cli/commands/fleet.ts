import { resolve } from 'node:path';
import { Command } from 'commander';
import { displayPlain, messageOf, refusalOf } from '../../../shared/base/index.ts';
import { parseManaged } from '../../../shared/engine/index.ts';
import { hashOfText, openHome } from '../../../shared/home/index.ts';
import { readSeat } from '../../service/call-nodes.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import type { FleetReport } from '../fleet-control.ts';
import { fleetOf, seatOf, textOf, writeNew } from '../fleet-files.ts';
import { backupCommand, restoreCommand } from '../fleet-backup.ts';
import { gatewayCommand } from '../fleet-gateways.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { requireNoAgentsCommand, requirePersonHere } from '../presence.ts';

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
  interlock fleet policy push bounds.json
  interlock fleet lockout --reason "a laptop was stolen"
  interlock fleet gateway list
  interlock fleet status`,
    );
  const commands = [initCommand, addCommand, gatewayCommand, statusCommand];
  const more = [policyCommand, lockoutCommand, backupCommand, restoreCommand];
  for (const make of [...commands, ...more]) fleet.addCommand(make(io, done));
  return fleet;
};

interface JsonFlag {
  readonly json?: boolean;
}

interface InitFlags {
  readonly server: readonly string[];
  readonly ca?: string;
  readonly name: string;
  readonly json?: boolean;
}

function initCommand(io: Io, done: Done): Command {
  return new Command('init')
    .summary('make the keys of a fleet, and print the settings of nats-server')
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
      const seat = readSeat(home, uid);
      if (seat !== null && seat.fleet === null)
        throw new CliError(
          `This machine is a gateway of the fleet "${seat.name}", which another one has made.`,
          'A machine is a gateway of one fleet.',
        );
      const where = { servers: [...server], ca: ca === undefined ? null : textOf(ca) };
      const made = createFleet(home.fleet, { uid, name, now: io.now(), ...where });
      const config = serverConfig(made);
      if (json === true) sayJson(io.stdout, { name, servers: made.servers, config });
      else io.stdout.write(config);
      say(io.stderr, 'Start nats-server with these settings, and the runner again.');
      say(io.stderr, 'Then let each machine in: interlock fleet add NAME');
      say(io.stderr, 'And keep its keys for the day this machine is lost: interlock fleet backup');
      done(exitCodes.ok);
    });
}

function addCommand(io: Io, done: Done): Command {
  return new Command('add')
    .summary('make the file that lets one machine join')
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
        throw new CliError(
          'This is not a name for a machine.',
          'Use letters, digits, dots, - and _.',
        );
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
    .summary('show the fleet, and which nodes have followed it')
    .description(
      'Asks nats-server itself, and says of each node whether it has taken up the newest policy and the last lockout. Ends with 1 where nats-server does not answer, or shows older ones than this machine told.',
    )
    .option('--json', 'as JSON')
    .action(async ({ json }: JsonFlag) => {
      const home = openHome(io.env);
      const seat = seatOf(home);
      const { name, access } = seat;
      const { servers } = access;
      const { reportOf, withControl } = await import('../fleet-control.ts');
      const asked = await withControl(home, seat, reportOf).then(
        (report) => ({ problem: null, ...report }),
        (error: unknown) => {
          if (refusalOf(error) !== undefined) throw error;
          return { problem: displayPlain(messageOf(error)) };
        },
      );
      if (json === true) sayJson(io.stdout, { name, servers, ...asked });
      else {
        say(io.stdout, `Fleet     ${name}`);
        say(io.stdout, `Servers   ${servers.join(', ')}`);
        say(io.stdout, `State     ${asked.problem ?? 'reached'}`);
        if (asked.problem === null) sayReport(io, asked);
      }
      done(asked.problem === null && asked.withheld.length === 0 ? exitCodes.ok : 1);
    });
}

function policyCommand(io: Io, done: Done): Command {
  const policy = new Command('policy')
    .summary('show or set bounds for every node')
    .description(
      'Bounds that hold on every node of the fleet, beside what its own files say: they deny and tighten, and loosen nothing.',
    );
  policy.addCommand(
    new Command('show')
      .summary('show the bounds of the fleet, and their hash')
      .option('--json', 'as JSON')
      .action(async ({ json }: JsonFlag) => {
        const home = openHome(io.env);
        const { withControl } = await import('../fleet-control.ts');
        const there = await withControl(home, seatOf(home), async (control) =>
          control.current('policy'),
        );
        const hash = there === null ? null : hashOfText(there.text);
        if (json === true) sayJson(io.stdout, { hash, text: there?.text ?? null });
        else if (there === null) say(io.stdout, 'The fleet has no bounds.');
        else say(io.stdout, `${hash}\n${displayPlain(there.text).trimEnd()}`);
        done(exitCodes.ok);
      }),
  );
  policy.addCommand(
    new Command('push')
      .summary('replace the bounds of the fleet')
      .description(
        'Signs a file of bounds, of the form of /etc/interlock/policy.d, and tells every node. Where the fleet has bounds already, --base says which ones are meant to go; where others stand there, both are shown and nothing is changed.',
      )
      .argument('<file>', 'of bounds')
      .option('--base <hash>', 'sha256 of the bounds that these take the place of')
      .option('--json', 'as JSON')
      .action(async (path: string, { base, json }: JsonFlag & { readonly base?: string }) => {
        const home = openHome(io.env);
        requirePersonHere(io, home);
        const text = textOf(path);
        const parsed = parseManaged(text, path);
        if (!parsed.ok)
          throw new CliError(`${displayPlain(path)} is not valid: ${parsed.problem}`, 'Mend it.');
        const { tellAndWait, withControl } = await import('../fleet-control.ts');
        const report = await withControl(home, seatOf(home), async (control, known) => {
          const there = await control.current('policy');
          if (there !== null && hashOfText(there.text) !== base)
            throw new CliError(
              `The fleet has other bounds, ${hashOfText(there.text)}: ${displayPlain(there.text)} Yours are ${hashOfText(text)}: ${displayPlain(text)}`,
              `Where yours are to take their place: --base ${hashOfText(there.text)}`,
            );
          return tellAndWait(control, known, { name: 'policy', text, base: base ?? null });
        });
        if (json === true) sayJson(io.stdout, report);
        else sayReport(io, report);
        done(exitCodes.ok);
      }),
  );
  return policy;
}

function lockoutCommand(io: Io, done: Done): Command {
  return new Command('lockout')
    .summary('lock every machine of the fleet')
    .description(
      'Locks every node that is connected at once, and the others when they come. Each is unlocked there, by its own person. This machine is locked by "interlock lockout". Ends with 1 while a node has not locked.',
    )
    .option('--reason <text>', 'what each of them says')
    .option('--end', 'those that have not locked need not any more; unlocks nothing')
    .option('--json', 'as JSON')
    .action(async (flags: JsonFlag & { readonly reason?: string; readonly end?: true }) => {
      const { reason = null, end, json } = flags;
      const home = openHome(io.env);
      if (end === true) requirePersonHere(io, home);
      else requireNoAgentsCommand(home);
      if (reason !== null && reason.length > 500)
        throw new CliError('This reason is too long.', 'Use at most 500 characters.');
      const { tellAndWait, withControl } = await import('../fleet-control.ts');
      const report = await withControl(home, seatOf(home), async (control, known) => {
        const there = await control.current('lockout');
        const base = there === null ? null : hashOfText(there.text);
        const text = JSON.stringify({ locked: end !== true, reason });
        return tellAndWait(control, known, { name: 'lockout', text, base });
      });
      if (json === true) sayJson(io.stdout, report);
      else sayReport(io, report);
      done(report.nodes.every(({ lockout }) => lockout) ? exitCodes.ok : 1);
    });
}

function sayReport(io: Io, { policy, locked, withheld, nodes }: FleetReport): void {
  say(io.stdout, `Policy    ${policy ?? 'none'}`);
  say(io.stdout, `Lockout   ${locked ? 'every node locks' : 'none'}`);
  for (const name of withheld)
    say(
      io.stdout,
      `Withheld  nats-server shows an older ${name} than this machine told the fleet, or none. Nodes that followed the newer one keep to it; tell the fleet again what holds.`,
    );
  const mark = (isDone: boolean): string => (isDone ? '✓' : '…');
  for (const { id, displayName, ...has } of nodes)
    say(
      io.stdout,
      `  ${displayPlain(displayName).padEnd(20)}  ${id.slice(0, 12)}  policy ${mark(has.policy)}  lockout ${mark(has.lockout)}`,
    );
  if (nodes.length === 0) say(io.stdout, '  No node has joined it yet.');
}
