import type { OwnAsks } from '../../runner/nodes/own-asks.ts';
import { fakeClock } from './fake-clock.ts';
import type { NodeAsks } from '../../runner/nodes/gateway-runs.ts';
import type { NodeTask } from '../../shared/wire/index.ts';

/** A machine that runs commands for a gateway, the gateway, and one command. */
export const node = { id: 'b'.repeat(64), displayName: 'build', remoteAddress: null };
export const gateway = { id: 'a'.repeat(64), displayName: 'desk', remoteAddress: null };
export const task: NodeTask = {
  id: 'g1',
  agent: 'claude',
  isNamed: true,
  argv: ['true'],
  cwd: '/',
  timeoutMs: 60_000,
  security: 'full',
  ask: 'off',
};

/** A gateway that shows no asks, and a node that raises none. */
export const noAsks: { readonly there: NodeAsks; readonly own: () => OwnAsks } = {
  there: { raised: () => undefined, over: () => undefined },
  own: () => ({
    connected: () => undefined,
    heard: () => undefined,
    told: () => undefined,
    relayOf: () => ({ raise: () => null }),
  }),
};

/** Number of the first run that a gateway with a clock of tests gives out. */
export const firstRun = fakeClock().now() + 1;
