import type { RunnerClient } from '../../../shared/node/runner-client/types.ts';

/** The runner as the gateways of agent hosts see it. */
export type AskingClient = Pick<RunnerClient, 'check' | 'exec' | 'permit' | 'tool'>;
