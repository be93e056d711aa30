import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { displayPlain, parseJson } from '../../../shared/base/index.ts';
import { homePaths } from '../../../shared/home/index.ts';
import { defaultGatewayUrl } from '../../ingress/openclaw/access.ts';
import type { GatewayConnection } from '../../ingress/openclaw/connection.ts';
import { openAsking } from '../asking.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { folderOf } from '../request.ts';
import type { GatewayFlags, OpenClawStatus, StateFlags } from '../openclaw.ts';

const tokenFlag = [
  '--token-file <file>',
  'a file of yours, mode 600, with the token of the Gateway',
] as const;

function withUrl(command: Command): Command {
  return command.option('--url <address>', 'where the Gateway listens', defaultGatewayUrl);
}

function withGatewayFlags(command: Command): Command {
  return withUrl(command).requiredOption(...tokenFlag);
}

function withStateFlags(command: Command): Command {
  return command
    .option('--state <folder>', "OpenClaw's state (default: OPENCLAW_STATE_DIR, else ~/.openclaw)")
    .option('--node <file>', 'the Node that OpenClaw runs with (default: the one that runs this)');
}

type Flags = GatewayFlags & { readonly key?: string };
type TokenFlags = GatewayFlags & { readonly tokenFile: string };

/** `openclaw pair`, `unpair` and `status`: who we are to the Gateway, and what it shows us. */
const pairingCommands = (
  io: Io,
  done: Parameters<CommandModule['declare']>[1],
): readonly Command[] => [
  withStateFlags(withGatewayFlags(new Command('pair')))
    .summary('become an approver who sees every ask')
    .description(
      "Pairs this home with the Gateway of this machine: a token of its own for approvals alone, and that of OpenClaw's approval runtime, without which releases since 2026.9 show nobody else's asks. Both go into the secret store; the Gateway's own token is not kept.",
    )
    .addHelpText(
      'after',
      '\nExample:\n  interlock openclaw pair --token-file gateway.token --node /opt/node-26/bin/node',
    )
    .action(async (flags: TokenFlags & StateFlags) => {
      const { pair } = await import('../openclaw.ts');
      const version = await pair(flags, io);
      say(io.stdout, `Paired with OpenClaw ${displayPlain(version)}.`);
      say(io.stdout, `${flags.tokenFile} is not needed for this any more: remove it.`);
      say(
        io.stdout,
        'A runner that starts from now on answers there. "interlock openclaw status" looks.',
      );
      done(0);
    }),
  new Command('unpair')
    .summary('forget the pairing')
    .description(
      'Takes both tokens out of the secret store. The Gateway goes on knowing the device until it is removed there: openclaw devices remove.',
    )
    .action(async () => {
      const { unpair } = await import('../openclaw.ts');
      say(io.stdout, (await unpair(io)) ? 'Forgotten.' : 'There was no pairing.');
      done(0);
    }),
  withStateFlags(withUrl(new Command('status')))
    .summary('check that asks can be seen')
    .description(
      'Says whether this home is paired, whether the Gateway answers and shows it the asks of other clients, and which runs fail before anybody is asked. Ends with 1 where asks cannot be seen.',
    )
    .option('--json', 'as JSON')
    .action(async (flags: GatewayFlags & StateFlags & { readonly json?: boolean }) => {
      const { statusOf } = await import('../openclaw.ts');
      const status = await statusOf(flags, io);
      if (flags.json === true) sayJson(io.stdout, status);
      else for (const line of statusLines(status)) say(io.stdout, line);
      done(status.seesAsks === true ? 0 : 1);
    }),
];

function statusLines(status: OpenClawStatus): readonly string[] {
  const { url, paired, gateway, scopes, seesAsks, problems, failBefore } = status;
  const seen = { true: 'yes', false: 'no', null: 'that cannot be told' } as const;
  const rights = scopes.length === 0 ? '' : `, which gives ${displayPlain(scopes.join(', '))}`;
  return [
    `Gateway      ${url}${gateway === null ? '' : ` (OpenClaw ${displayPlain(gateway)}${rights})`}`,
    `Paired       ${paired ? 'yes' : 'no'}`,
    `Sees asks    ${seen[`${seesAsks}`]}`,
    ...problems.map((problem) => `  ${problem}`),
    'What fails before anybody is asked:',
    ...failBefore.map((kind) => `  ${kind}`),
  ];
}

/** `openclaw connect`: stays connected until it is told to stop. */
const connectCommand: CommandModule['declare'] = (io, done) =>
  withUrl(new Command('connect'))
    .option(...tokenFlag)
    .summary('stay connected and answer')
    .description(
      "Stays connected to OpenClaw's Gateway and puts each of its requests through the gate. Ctrl-C ends it; open asks are then taken back. Needs a pairing, or the token file.",
    )
    .option(
      '--key <file>',
      "sign as the agent of this key (default: each of OpenClaw's by its name)",
    )
    .addHelpText(
      'after',
      '\nExample:\n  interlock openclaw connect --url ws://127.0.0.1:18789 --token-file gateway.token',
    )
    .action(async (flags: Flags) => {
      const { approverAccess } = await import('../openclaw.ts');
      const { stayAtGateway } = await import('../../ingress/openclaw/stay.ts');
      const access = await approverAccess(flags, io);
      const { key } = flags;
      const { client, speaker } = openAsking(
        { session: 'openclaw', ...(key !== undefined && { key }) },
        io,
        homePaths(io.env),
      );
      const stop = new AbortController();
      const unlisten = io.onSignal(() => stop.abort());
      const alive = setInterval(() => undefined, 60_000);
      try {
        await stayAtGateway({
          ...access,
          client,
          agent: speaker.agent ?? null,
          signal: stop.signal,
          say: (line) => say(io.stderr, `interlock: ${line}`),
        });
      } finally {
        clearInterval(alive);
        unlisten();
      }
      done(0);
    });

type PolicyFlags = TokenFlags & { readonly node?: string };

/** `openclaw policy get` and `set`: OpenClaw's own policy, over its Gateway; never in its files. */
const policyCommand: CommandModule['declare'] = (io, done) => {
  const command = new Command('policy')
    .enablePositionalOptions()
    .summary("read and replace OpenClaw's own policy")
    .description(
      "Reads and replaces OpenClaw's own approvals policy over its Gateway. The files of OpenClaw are never written.",
    );
  command.addCommand(
    withGatewayFlags(new Command('get'))
      .summary('show it and its hash')
      .description('Shows the policy and the hash that a "set" must name.')
      .option('--node <id>', 'of a node instead of the Gateway')
      .addHelpText(
        'after',
        '\nExample:\n  interlock openclaw policy get --token-file gateway.token > policy.json',
      )
      .action(async (flags: PolicyFlags) => {
        const { getPolicy } = await import('../../ingress/openclaw/access.ts');
        const found = await atGateway(flags, io, async (gateway) =>
          getPolicy(gateway, flags.node ?? null),
        );
        sayJson(io.stdout, found.file);
        say(io.stderr, `hash ${found.hash}${found.exists ? '' : ' (there is no policy yet)'}`);
        done(0);
      }),
  );
  command.addCommand(
    withGatewayFlags(new Command('set'))
      .summary('replace it with a file')
      .description('Replaces the policy, if it still has the hash that "get" showed.')
      .argument('<file>', "a policy file of OpenClaw's form")
      .requiredOption('--base-hash <hash>', 'hash of the policy that FILE was made from')
      .option('--node <id>', 'of a node instead of the Gateway')
      .addHelpText(
        'after',
        '\nExample:\n  interlock openclaw policy set policy.json --base-hash 3f0c… --token-file gateway.token',
      )
      .action(async (path: string, flags: PolicyFlags & { readonly baseHash: string }) => {
        const { setPolicy } = await import('../../ingress/openclaw/access.ts');
        const file = policyIn(resolve(folderOf(io), path));
        const { baseHash, node } = flags;
        const saved = await atGateway(flags, io, async (gateway) =>
          setPolicy(gateway, { file, baseHash, nodeId: node ?? null }),
        );
        say(io.stdout, saved.hash);
        done(0);
      }),
  );
  return command;
};

async function atGateway<T>(
  flags: TokenFlags,
  io: Io,
  work: (gateway: GatewayConnection) => Promise<T>,
): Promise<T> {
  const { adminAccess } = await import('../openclaw.ts');
  const { signIn } = await import('../../ingress/openclaw/sign-in.ts');
  const gateway = await signIn({
    ...adminAccess(flags, io),
    scope: 'operator.admin',
    onEvent: () => undefined,
  });
  try {
    return await work(gateway);
  } finally {
    gateway.dispose();
    await gateway.ended;
  }
}

/** OpenClaw checks the fields itself; what has another version would count there as no policy at all. */
function policyIn(path: string): Readonly<Record<string, unknown>> {
  const hint = 'Give a file that "get" wrote.';
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new CliError(`${path} cannot be read.`, hint, { cause });
  }
  const parsed = parseJson(bytes);
  if (!parsed.ok) throw new CliError(`${path} cannot be read as JSON. ${parsed.error}`, hint);
  const { value } = parsed;
  const version = (value as { readonly version?: unknown } | null)?.version;
  if (typeof value !== 'object' || value === null || version !== 1)
    throw new CliError(`${path} is not a policy of OpenClaw.`, 'It needs "version": 1.');
  return value as Readonly<Record<string, unknown>>;
}

/** `interlock openclaw`: OpenClaw's asks in Interlock's queue, and its policy. */
export const declare: CommandModule['declare'] = (io, done) => {
  const command = new Command('openclaw')
    .enablePositionalOptions()
    .description(
      "Joins OpenClaw's Gateway as an approver: its asks pass Interlock's gate, and a person answers them in Interlock.",
    )
    .addHelpText(
      'after',
      `
Examples:
  interlock openclaw pair --token-file ~/.config/openclaw.token
  interlock openclaw status
  interlock openclaw connect
  interlock openclaw policy get --token-file ~/.config/openclaw.token`,
    );
  for (const one of pairingCommands(io, done)) command.addCommand(one);
  command.addCommand(connectCommand(io, done));
  command.addCommand(policyCommand(io, done));
  return command;
};
