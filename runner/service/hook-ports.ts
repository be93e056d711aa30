import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { clientPath } from '../../shared/agents/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { redeemCommand } from '../ingress/asking.ts';
import type { HookPorts } from '../ingress/hooks.ts';
import type { ApiPorts } from '../ingress/http/ports.ts';
import { packageRoot } from '../version.ts';
import type { Parts } from './parts.ts';

interface Doors extends Pick<ApiPorts, 'endSession' | 'overrideSession'> {
  /** What throws where a process is a command of this runner. */
  readonly noCommand: (what: string, by: string) => HookPorts['mayTellOfPrompts'];
}

/** What the hooks of agent hosts need of this runner. */
export function hookPorts(
  { gate, arming }: Pick<Parts, 'gate' | 'arming'>,
  { paths: { home }, clock }: { readonly paths: Pick<HomePaths, 'home'>; readonly clock: Clock },
  { endSession, overrideSession, noCommand }: Doors,
): HookPorts {
  const client = join(packageRoot(), clientPath);
  const program = {
    ...(existsSync(client) && { client }),
    node: process.execPath,
    program: join(packageRoot(), 'dist', 'runner', 'cli', 'main.js'),
    home: home === join(homedir(), '.interlock') ? null : home,
  };
  return {
    gate,
    arming,
    endSession: async (ended) => void (await endSession(ended)),
    overrideSession,
    mayTellOfPrompts: noCommand('type to an agent', 'interlock session'),
    now: () => clock.now(),
    redeemCommand: (ticket, shell) => redeemCommand(program, ticket, shell),
  };
}
