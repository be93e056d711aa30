import type { Command } from 'commander';
import { defaultGatewayUrl } from '../../ingress/openclaw/address.ts';

/** Flags that every command to a Gateway takes. */
export interface GatewayFlags {
  readonly url: string;
  readonly tokenFile: string;
}

export function withGatewayFlags(command: Command): Command {
  return command
    .option('--url <address>', 'where the Gateway listens', defaultGatewayUrl)
    .requiredOption(
      '--token-file <file>',
      'a file of yours, mode 600, with the token of the Gateway',
    );
}
