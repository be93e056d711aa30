import { Command } from 'commander';
import { homePaths } from '../../../../shared/node/home/paths.ts';
import { openAsking } from '../../asking/open.ts';
import type { CommandModule } from '../../command-table.ts';
import { say } from '../../io.ts';
import { withGatewayFlags } from '../../openclaw/flags.ts';
import type { GatewayFlags } from '../../openclaw/flags.ts';

type Flags = GatewayFlags & { readonly key?: string };

/** `openclaw connect`: stays connected until it is told to stop. */
export const connectCommand: CommandModule['declare'] = (io, done) =>
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
      const { gatewayAccess } = await import('../../openclaw/access.ts');
      const { stayAtGateway } = await import('../../../ingress/openclaw/stay.ts');
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
