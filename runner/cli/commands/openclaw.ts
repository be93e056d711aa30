import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseJson } from '../../../shared/base/index.ts';
import { homePaths } from '../../../shared/home/index.ts';
import { defaultGatewayUrl } from '../../ingress/openclaw/access.ts';
import type { GatewayConnection } from '../../ingress/openclaw/connection.ts';
import { openAsking } from '../asking.ts';
import type { CommandModule } from '../command-table.ts';
import { CliError } from '../failure.ts';
import { say, sayJson } from '../io.ts';
import type { Io } from '../io.ts';
import { folderOf } from '../request.ts';

/** Flags that every command to a Gateway takes. */
export interface GatewayFlags {
  readonly url: string;
  readonly tokenFile: string;
}

function withGatewayFlags(command: Command): Command {
  return command
    .option('--url <address>', 'where the Gateway listens', defaultGatewayUrl)
    .requiredOption(
      '--token-file <file>',
      'a file of yours, mode 600, with the token of the Gateway',
    );
}

type Flags = GatewayFlags & { readonly key?: string };

/** `openclaw connect`: stays connected until it is told to stop. */
const connectCommand: CommandModule['declare'] = (io, done) =>
  withGatewayFlags(new Command('connect'))
    .summary('stay connected and answer')
    .description(
      "Stays connected to OpenClaw's Gateway and puts each of its requests through the gate. Ctrl-C ends it; open asks are then taken back.",
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
      const { gatewayAccess } = await import('../openclaw.ts');
      const { stayAtGateway } = await import('../../ingress/openclaw/stay.ts');
      const access = gatewayAccess(flags, io);
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
          credentials: () => access.credentials,
        });
      } finally {
        clearInterval(alive);
        unlisten();
      }
      done(0);
    });

type PolicyFlags = GatewayFlags & { readonly node?: string };

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
        const { getPolicy } = await import('../../ingress/openclaw/policy.ts');
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
        const { setPolicy } = await import('../../ingress/openclaw/policy.ts');
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
  flags: GatewayFlags,
  io: Io,
  work: (gateway: GatewayConnection) => Promise<T>,
): Promise<T> {
  const { gatewayAccess } = await import('../openclaw.ts');
  const { signIn } = await import('../../ingress/openclaw/sign-in.ts');
  const gateway = await signIn({
    ...gatewayAccess(flags, io),
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
    throw new CliError(`${path} is no policy of OpenClaw.`, 'It needs "version": 1.');
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
  interlock openclaw connect --token-file ~/.config/openclaw.token
  interlock openclaw policy get --token-file ~/.config/openclaw.token`,
    );
  command.addCommand(connectCommand(io, done));
  command.addCommand(policyCommand(io, done));
  return command;
};
