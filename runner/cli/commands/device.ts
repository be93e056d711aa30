import { randomBytes } from 'node:crypto';
import { Command, Option } from 'commander';
import { displayPlain } from '../../../shared/base/index.ts';
import { deviceRights } from '../../../shared/engine/index.ts';
import type { DeviceRights } from '../../../shared/engine/index.ts';
import { openHome } from '../../../shared/home/index.ts';
import type { Home } from '../../../shared/home/index.ts';
import { runnerClient } from '../../../shared/ipc/index.ts';
import {
  inviteToPage,
  listDevices,
  pairingTtlMs,
  revokeDevice,
} from '../../../shared/operations/index.ts';
import type { CommandModule } from '../command-table.ts';
import { exitCodes, say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { readHidden, requireNoAgentsCommand, requirePersonHere } from '../presence.ts';

const pairCommand: CommandModule['declare'] = (io, done) =>
  new Command('pair')
    .summary('invite a phone, by a code on this screen')
    .description(
      'Shows a code that brings in one phone, once, within ten minutes. The phone makes a key and a passkey of its own, and asks for the passphrase. That of another person does not: you type the passphrase here, and theirs sees what wants two people, no more.',
    )
    .argument('<name>', 'what you know the phone by')
    .addOption(
      new Option(
        '--rights <rights>',
        'only lock out, also answer what has a low risk, or everything; answer, and for another person everything, where it is not given',
      ).choices(deviceRights),
    )
    .option('--person <person>', 'whose phone it is, where it is not yours')
    .addHelpText(
      'after',
      '\nExamples:\n  interlock device pair phone\n  interlock device pair tablet --rights lockout\n  interlock device pair bens-phone --person Ben',
    )
    .action(async (name: string, { person, rights }: PairOptions) => {
      const home = openHome(io.env, { asOwner: true });
      requirePersonHere(io, home);
      const { ui } = home.configOrSafe();
      const { address, authority } = await inviteToPage(
        {
          name,
          rights,
          ...(person !== undefined && {
            other: { person, agree: () => agree(io, home, { name, person }) },
          }),
        },
        { paths: home, uid: home.uid, now: io.now, ui, env: io.env, random: randomBytes },
      );
      const { renderUnicodeCompact } = await import('uqr');
      say(io.stdout, renderUnicodeCompact(address, { ecc: 'M', border: 2 }));
      say(io.stdout, address);
      say(
        io.stdout,
        `Open it on "${name}" within ${String(pairingTtlMs / 60_000)} minutes. It works once, while "interlock ui --console --listen ${new URL(address).hostname}" runs.`,
      );
      if (authority !== null) say(io.stdout, authorityText(authority));
      done(exitCodes.ok);
    });

const authorityText = (authority: string): string =>
  `The page's certificate is of "${displayPlain(authority)}", which phones do not know by themselves: install the certificate of that authority on the phone first (docs/phone.md). If the phone then still warns of the page, go no further: it is not this machine.`;

interface PairOptions {
  readonly rights?: DeviceRights;
  readonly person?: string;
}

/** Has the owner show the passphrase here, so that it is typed on no phone of somebody else. */
async function agree(
  io: Io,
  home: Home,
  { name, person }: { readonly name: string; readonly person: string },
): Promise<string> {
  const runner = runnerClient({ socketPath: home.runnerSocket, timeoutMs: 60_000 });
  const nonce = await runner.passkeyNonce();
  const passphrase = await readHidden(io, 'Passphrase: ');
  return runner.invitePasskey({ nonce, name, person, proof: { passphrase } });
}

const listCommand: CommandModule['declare'] = (io, done) =>
  new Command('list')
    .summary('list the devices that may connect')
    .description('Name, rights, when each was paired and last seen, and whose it is.')
    .option('--json', 'as JSON')
    .action(({ json }: { readonly json?: boolean }) => {
      const home = openHome(io.env, { asOwner: true });
      const devices = listDevices({ paths: home, uid: home.uid });
      if (json === true)
        sayJson(io.stdout, { devices: devices.map(({ push: _push, ...one }) => one) });
      else if (devices.length === 0)
        say(io.stdout, 'No device is paired. Pair one: interlock device pair NAME');
      else for (const device of devices) say(io.stdout, lineOf(device));
      done(exitCodes.ok);
    });

function lineOf({
  name,
  rights,
  madeAt,
  lastSeenAt,
  person,
}: ReturnType<typeof listDevices>[number]): string {
  const whose = person === undefined ? '' : `, of ${displayPlain(person)}`;
  const seen = lastSeenAt === null ? 'never seen' : `last seen ${timeOf(lastSeenAt)}`;
  return `${displayPlain(name).padEnd(20)}  ${rights.padEnd(10)}  paired ${timeOf(madeAt)}, ${seen}${whose}`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

const revokeCommand: CommandModule['declare'] = (io, done) =>
  new Command('revoke')
    .summary('take a device out; its connections end at once')
    .argument('<name>', 'which device')
    .action(async (name: string) => {
      const home = ownHome(io);
      const by = 'person at a terminal';
      await revokeDevice({ paths: home, uid: home.uid, now: io.now, by }, name);
      say(
        io.stdout,
        `The device "${displayPlain(name)}" is out. Its passkey opens nothing any more.`,
      );
      done(exitCodes.ok);
    });

function ownHome(io: Io): Home {
  const home = openHome(io.env, { asOwner: true });
  requireNoAgentsCommand(home);
  return home;
}

/** `interlock device`: phones that answer. */
export const declare: CommandModule['declare'] = (io, done) =>
  new Command('device')
    .description('Phones that answer: invites one, lists them, takes one out.')
    .addCommand(pairCommand(io, done))
    .addCommand(listCommand(io, done))
    .addCommand(revokeCommand(io, done));
