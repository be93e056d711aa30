import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { displayPlain } from '../../shared/base/index.ts';
import { openHome } from '../../shared/home/index.ts';
import { deviceId } from '../nodes/device.ts';
import type { CommandModule } from './command-table.ts';
import { CliError } from './failure.ts';
import { fleetOf, seatOf, textOf, writeNew } from './fleet-files.ts';
import { exitCodes, say, sayJson } from './io.ts';
import type { Io } from './io.ts';
import { confirm, requirePersonHere } from './presence.ts';

type Done = Parameters<CommandModule['declare']>[1];

/** `interlock fleet gateway`: further gateways of a fleet, so that none has to be there. */
export function gatewayCommand(io: Io, done: Done): Command {
  const gateway = new Command('gateway')
    .summary('add, list and remove further gateways')
    .description(
      'Further gateways of a fleet: each has a link to every node, may have commands run there, push bounds and lock, and none of them has to be there for the others.',
    );
  for (const make of [requestCommand, addCommand, joinCommand, listCommand, removeCommand])
    gateway.addCommand(make(io, done));
  return gateway;
}

function requestCommand(io: Io, done: Done): Command {
  return new Command('request')
    .summary('ask to become a gateway of a fleet')
    .description(
      'Makes the keys of this machine as a gateway and writes a file that asks for it, which holds no secret. Take it to the gateway that made the fleet, to "interlock fleet gateway add".',
    )
    .option('--name <name>', 'what this machine is called there (default: its host name)')
    .option('--output <file>', 'where to write it', 'gateway-request.json')
    .action(async (flags: { readonly name?: string; readonly output: string }) => {
      const home = openHome(io.env);
      requirePersonHere(io, home);
      const displayName = (flags.name ?? hostname()).trim().slice(0, 64) || 'gateway';
      const { openGatewayCertificate } = await import('../nodes/certificate.ts');
      const { openDevice } = await import('../nodes/device.ts');
      const { askIn } = await import('../fleet/membership.ts');
      const { uid } = home;
      const certificate = await openGatewayCertificate({
        path: home.nodesCertificate,
        uid,
        now: io.now(),
      });
      const { text, code } = askIn(home.fleetGateway, {
        uid,
        device: openDevice(home.nodesDevice, uid),
        displayName,
        certificate: Buffer.from(certificate.digest).toString('hex'),
      });
      const file = resolve(io.cwd(), flags.output);
      writeNew(file, text);
      say(io.stdout, `${displayPlain(file)} asks for it. Its code is\n\n  ${code}\n`);
      say(io.stdout, 'At the gateway that made the fleet: interlock fleet gateway add FILE');
      done(exitCodes.ok);
    });
}

function addCommand(io: Io, done: Done): Command {
  return new Command('add')
    .summary('let another machine be a gateway, too')
    .description(
      'Shows the code of a request, which a person compares with the one that the other machine showed. From a yes on, every node of the fleet counts it as a gateway. Writes the answer, which holds no secret; take it to "interlock fleet gateway join" there.',
    )
    .argument('<file>', 'that "interlock fleet gateway request" wrote there')
    .option('--output <file>', 'where to write the answer', 'gateway-answer.json')
    .action(async (path: string, flags: { readonly output: string }) => {
      const home = openHome(io.env);
      requirePersonHere(io, home);
      const fleet = fleetOf(home);
      const { admit, readRequest } = await import('../fleet/membership.ts');
      const { revokedUsers } = await import('../fleet/keys.ts');
      const { withGateway } = await import('../fleet/roster.ts');
      const { withControl } = await import('./fleet-control.ts');
      const { openDevice } = await import('../nodes/device.ts');
      const { gateway, code } = readRequest(textOf(path));
      if (revokedUsers(fleet).has(gateway.user))
        throw new CliError(
          'This machine was removed from the fleet, with the keys that it asks with.',
          'There, move keys/fleet-gateway.json away and ask anew: interlock fleet gateway request',
        );
      say(io.stdout, `${displayPlain(gateway.displayName)} asks with the code\n\n  ${code}\n`);
      await agree(io, 'Does that machine show the same?');
      await withControl(home, seatOf(home), async (control) => {
        const roster = await control.roster();
        const { key, user, certificate } = gateway;
        const isThere = roster.gateways.some(
          (each) => each.key === key && each.user === user && each.certificate === certificate,
        );
        // Its answer may have been lost.
        if (!isThere)
          await control.setRoster(withGateway(roster, { ...gateway, addedAt: io.now() }), roster);
      });
      const device = openDevice(home.nodesDevice, home.uid);
      const answer = admit(fleet, { device, gateway, now: io.now() });
      const file = resolve(io.cwd(), flags.output);
      writeNew(file, answer.text);
      say(io.stdout, `${displayPlain(file)} is the answer. Its code is\n\n  ${answer.code}\n`);
      say(io.stdout, 'There, at a terminal: interlock fleet gateway join FILE');
      done(exitCodes.ok);
    });
}

function joinCommand(io: Io, done: Done): Command {
  return new Command('join')
    .summary('join the fleet that has answered')
    .description(
      'Shows the code of the answer, which a person compares with the one that the gateway showed which made the fleet. From the next start of the runner on, or a SIGHUP, this machine is a gateway of it.',
    )
    .argument('<file>', 'that "interlock fleet gateway add" wrote there')
    .action(async (path: string) => {
      const home = openHome(io.env);
      requirePersonHere(io, home);
      const { readFleet } = await import('../fleet/files.ts');
      const { readAdmission } = await import('../fleet/membership.ts');
      if (readFleet(home.fleet, home.uid) !== null)
        throw new CliError(
          'This machine has made a fleet of its own.',
          `Its keys are in ${home.fleet}. A machine is a gateway of one fleet.`,
        );
      const { code, name, join } = readAdmission(textOf(path), home.fleetGateway, home.uid);
      say(io.stdout, `The answer of the fleet "${name}" has the code\n\n  ${code}\n`);
      await agree(io, 'Did the gateway that made the fleet show the same?');
      join();
      say(io.stdout, `This machine is a gateway of the fleet "${name}" now.`);
      say(io.stdout, 'Start its runner again, or send it a SIGHUP.');
      done(exitCodes.ok);
    });
}

async function agree(io: Io, question: string): Promise<void> {
  if (await confirm(io, `${question} Then type yes: `, ['yes', 'y'])) return;
  throw new CliError(
    'Nothing was changed.',
    'If the codes differ, the file was changed on its way.',
  );
}

function listCommand(io: Io, done: Done): Command {
  return new Command('list')
    .summary('list the gateways of the fleet')
    .description(
      'Lists the gateway that made the fleet and all further ones, as its own key signed them last, and says which of them this machine is.',
    )
    .option('--json', 'as JSON')
    .action(async ({ json }: { readonly json?: boolean }) => {
      const home = openHome(io.env);
      const seat = seatOf(home);
      const { withControl } = await import('./fleet-control.ts');
      const { openDevice } = await import('../nodes/device.ts');
      const { gateways } = await withControl(home, seat, async (control) => control.roster());
      const own = openDevice(home.nodesDevice, home.uid).publicKey;
      const first = { displayName: null, key: seat.keeper ?? own, addedAt: null };
      const listed = [first, ...gateways].map(({ displayName, key, addedAt }) => ({
        id: deviceId(key),
        displayName,
        addedAt,
        isThis: key === own,
      }));
      if (json === true) sayJson(io.stdout, listed);
      else
        for (const { id, displayName, addedAt, isThis } of listed) {
          const name = displayName === null ? '(made the fleet)' : displayPlain(displayName);
          const since = addedAt === null ? '' : `  since ${new Date(addedAt).toISOString()}`;
          const mark = isThis ? '  this machine' : '';
          say(io.stdout, `${name.padEnd(20)}  ${id.slice(0, 12)}${since}${mark}`);
        }
      done(exitCodes.ok);
    });
}

function removeCommand(io: Io, done: Done): Command {
  return new Command('remove')
    .summary('end what a gateway may do')
    .description(
      'Every node ends its link to that gateway and stops what it had run there; nats-server lets it in no more. The bounds and the lockout of the fleet stand as they were told last, signed anew: look at them with "interlock fleet policy show", since that gateway may have been the one to tell them.',
    )
    .argument('<name>', 'of the gateway, or six or more characters of its id')
    .action(async (name: string) => {
      const home = openHome(io.env);
      requirePersonHere(io, home);
      const fleet = fleetOf(home);
      const { withRevoked } = await import('../fleet/keys.ts');
      const { tellServer } = await import('../fleet/revoke.ts');
      const { writeFleet } = await import('../fleet/files.ts');
      const { withoutGateway } = await import('../fleet/roster.ts');
      const { withControl } = await import('./fleet-control.ts');
      const removed = await withControl(home, seatOf(home), async (control) => {
        const roster = await control.roster();
        const next = withoutGateway(roster, name);
        // On the disk first: whatever happens next, the runner brings it to nats-server again.
        const revoked = withRevoked(fleet, [next.removed.user], io.now());
        writeFleet(home.fleet, revoked);
        await control.setRoster(next.roster, roster);
        await tellServer(revoked);
        return next.removed;
      });
      say(io.stdout, `${displayPlain(removed.displayName)} is no gateway of the fleet any more.`);
      done(exitCodes.ok);
    });
}
