import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HookPorts } from '../ingress/hooks/answer-hook.ts';
import { redeemCommand } from '../ingress/hooks/redeem-command.ts';
import { endSession } from '../sessions/end.ts';
import { packageRoot } from '../version.ts';
import type { Parts } from './parts.ts';

/** What the hooks of agent hosts need of this runner. */
export function hookPorts(
  { gate, callers, config, grants }: Parts,
  { uid, home }: { readonly uid: number; readonly home: string },
): HookPorts {
  const program = {
    node: process.execPath,
    program: join(packageRoot(), 'dist', 'runner', 'cli', 'main.js'),
    home: home === join(homedir(), '.interlock') ? null : home,
  };
  return {
    gate,
    endSession: async (ended) =>
      endSession(ended, { uid, callers, grants, config: () => config.current() }),
    redeemCommand: (ticket) => redeemCommand(program, ticket),
  };
}
