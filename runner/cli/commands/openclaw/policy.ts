import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { GatewayConnection } from '../../../ingress/openclaw/connection.ts';
import type { CommandModule } from '../../command-table.ts';
import { CliError } from '../../failure.ts';
import { say, sayJson } from '../../io.ts';
import type { Io } from '../../io.ts';
import { withGatewayFlags } from '../../openclaw/flags.ts';
import type { GatewayFlags } from '../../openclaw/flags.ts';
import { folderOf } from '../../run/request.ts';

type Flags = GatewayFlags & { readonly node?: string };

/** `openclaw policy get` and `set`: OpenClaw's own policy, over its Gateway; never in its files. */
export const policyCommand: CommandModule['declare'] = (io, done) => {
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
      .action(async (flags: Flags) => {
        const { getPolicy } = await import('../../../ingress/openclaw/policy.ts');
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
      .action(async (path: string, flags: Flags & { readonly baseHash: string }) => {
        const { setPolicy } = await import('../../../ingress/openclaw/policy.ts');
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
  const { gatewayAccess } = await import('../../openclaw/access.ts');
  const { signIn } = await import('../../../ingress/openclaw/sign-in.ts');
  const gateway = await signIn({
    ...gatewayAccess(flags, io),
    scope: 'operator.admin',
    onEvent: () => undefined,
  });
  try {
    return await work(gateway);
  } finally {
    gateway.close();
    await gateway.ended;
  }
}

/** OpenClaw checks the fields itself; what has another version would count there as no policy at all. */
function policyIn(path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CliError(`${path} cannot be read as JSON.`, 'Give a file that "get" wrote.', {
      cause: error,
    });
  }
  const version = (value as { readonly version?: unknown } | null)?.version;
  if (typeof value !== 'object' || value === null || version !== 1)
    throw new CliError(`${path} is no policy of OpenClaw.`, 'It needs "version": 1.');
  return value as Readonly<Record<string, unknown>>;
}
