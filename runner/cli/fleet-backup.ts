import { resolve } from 'node:path';
import { Command } from 'commander';
import { displayPlain, messageOf } from '../../shared/base/index.ts';
import { clientSocket, openHome } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import type { openRegistry } from '../nodes/registry.ts';
import type { CommandModule } from './command-table.ts';
import { CliError } from './failure.ts';
import { fleetOf, seatOf, textOf, writeNew } from './fleet-files.ts';
import { exitCodes, say } from './io.ts';
import type { Io } from './io.ts';
import { confirm, readHidden, requirePersonHere } from './presence.ts';

type Done = Parameters<CommandModule['declare']>[1];

/** `interlock fleet backup`: what only the first gateway has, for the day that it is lost. */
export function backupCommand(io: Io, done: Done): Command {
  return new Command('backup')
    .summary('keep the keys of the fleet for the day this machine is lost')
    .description(
      'Writes the keys that only the gateway has which made the fleet, sealed with a code that is shown once. Put the file on another machine or disk, and the code on paper: neither is worth anything without the other. Machines and gateways that come later do not change it.',
    )
    .option('--output <file>', 'where to write it', 'fleet-backup.age')
    .action(async (flags: { readonly output: string }) => {
      const home = openHome(io.env);
      requirePersonHere(io, home);
      const fleet = fleetOf(home);
      const { sealBackup } = await import('../fleet/backup.ts');
      const { openGatewayCertificate } = await import('../nodes/certificate.ts');
      const { openDevice } = await import('../nodes/device.ts');
      // A runner that has not started yet has not made them yet.
      const { uid } = home;
      openDevice(home.nodesDevice, uid);
      await openGatewayCertificate({ path: home.nodesCertificate, uid, now: io.now() });
      const { text, code } = await sealBackup({
        fleet,
        device: textOf(home.nodesDevice),
        certificate: textOf(home.nodesCertificate),
      });
      const file = resolve(io.cwd(), flags.output);
      writeNew(file, text);
      say(io.stdout, `${displayPlain(file)} holds the keys of the fleet "${fleet.name}".`);
      say(io.stdout, `Its code is shown this once; write it down:\n\n  ${code}\n`);
      say(io.stdout, 'On another machine, should this one be lost: interlock fleet restore FILE');
      done(exitCodes.ok);
    });
}

/** `interlock fleet restore`: another machine in the place of the first gateway. */
export function restoreCommand(io: Io, done: Done): Command {
  return new Command('restore')
    .summary('put this machine in the place of the gateway that made the fleet')
    .description(
      'Makes this machine the gateway that made the fleet, with a file of "interlock fleet backup" and its code. No node has to be paired anew. A further gateway that becomes the first is no further one any more. The machine whose keys these are must never be started as a gateway again.',
    )
    .argument('<file>', 'that "interlock fleet backup" wrote')
    .action(async (path: string) => {
      const home = openHome(io.env);
      requirePersonHere(io, home);
      await requireStopped(io, home);
      const registry = await import('../nodes/registry.ts');
      requireNoOtherNodes(home, registry.openRegistry);
      const { openBackup, restoreBackup } = await import('../fleet/backup.ts');
      const kept = await openBackup(textOf(path), await readHidden(io, 'Its code: '));
      say(
        io.stdout,
        `This machine takes the place of the gateway that made the fleet "${kept.fleet.name}".`,
      );
      say(io.stdout, 'If that one was stolen, its keys are not safe: make a new fleet instead.');
      const question = 'It is lost, and will never be started as a gateway again? Type yes: ';
      if (!(await confirm(io, question, ['yes', 'y'])))
        throw new CliError('Nothing was changed.', 'Two with the same keys end each other.');
      const { formerUser } = restoreBackup(home, kept, { uid: home.uid, now: io.now() });
      say(io.stdout, `This machine is the first gateway of the fleet "${kept.fleet.name}" now.`);
      await leaveRoster(io, home, formerUser);
      say(io.stdout, 'Start its runner. Nodes are there within a minute.');
      done(exitCodes.ok);
    });
}

/** What a running one has read it would go on with, and write over what is restored. */
async function requireStopped(io: Io, home: Home): Promise<void> {
  const client = runnerClient({ socketPath: clientSocket(io.env, home) });
  const isThere = await client.nodes().then(
    () => true,
    () => false,
  );
  if (isThere) throw new CliError('The runner is running.', 'Stop it, and run this again.');
}

/** A machine has one key as a gateway: nodes that came by another way know the one that it has. */
function requireNoOtherNodes(home: Home, open: typeof openRegistry): void {
  const own = open({ path: home.nodes, uid: home.uid })
    .list()
    .filter(({ state, users = [] }) => state === 'approved' && users.length === 0);
  if (own.length === 0) return;
  const names = own.map(({ displayName }) => displayPlain(displayName)).join(', ');
  throw new CliError(
    `This machine has nodes that are not of a fleet, and know it by another key: ${names}.`,
    'Restore it elsewhere, or remove them first: interlock node remove NAME',
  );
}

/** It is no further gateway any more; and nats-server hears of all gateways that were removed. */
async function leaveRoster(io: Io, home: Home, formerUser: string | null): Promise<void> {
  const { withControl } = await import('./fleet-control.ts');
  const { settleRestored } = await import('../fleet/backup.ts');
  try {
    await withControl(home, seatOf(home), async (control) =>
      settleRestored(control, home, { formerUser, uid: home.uid, now: io.now() }),
    );
  } catch (error) {
    say(io.stdout, `nats-server was not told of it: ${displayPlain(messageOf(error))}`);
    if (formerUser !== null)
      say(
        io.stdout,
        'Later, remove the gateway that this machine was: interlock fleet gateway list',
      );
  }
}
