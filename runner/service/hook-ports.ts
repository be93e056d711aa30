import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HookPorts } from '../ingress/hooks/answer-hook.ts';
import type { ApiPorts } from '../ingress/http/types.ts';
import { redeemCommand } from '../ingress/hooks/redeem-command.ts';
import { packageRoot } from '../version.ts';
import type { Parts } from './parts.ts';

/** What the hooks of agent hosts need of this runner. */
export function hookPorts(
  { gate }: Pick<Parts, 'gate'>,
  { home, endSession }: { readonly home: string } & Pick<ApiPorts, 'endSession'>,
): HookPorts {
  const program = {
    node: process.execPath,
    program: join(packageRoot(), 'dist', 'runner', 'cli', 'main.js'),
    home: home === join(homedir(), '.interlock') ? null : home,
  };
  return {
    gate,
    endSession: async (ended) => void (await endSession(ended)),
    redeemCommand: (ticket) => redeemCommand(program, ticket),
  };
}
