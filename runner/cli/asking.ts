import { join } from 'node:path';
import { clientSocket } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import type { AskingAgent } from '../ingress/asking.ts';
import type { AskingClient } from '../ingress/asking.ts';
import type { CommandLineProgram } from '../ingress/asking.ts';
import { CliError } from './failure.ts';
import type { Io } from './io.ts';
import { speakerOf } from './signing-key.ts';
import { claimsFrom } from './trust-claims.ts';

/** Flags that all gateways share, as commander hands them over. */
export interface AskingOptions {
  readonly agent?: string;
  readonly key?: string;
  readonly session?: string;
}

export interface Asking {
  readonly client: AskingClient;
  readonly speaker: AskingAgent;
  readonly program: CommandLineProgram;
}

/** A way to the gate that speaks, and signs, for the agent that the flags name. */
export function openAsking(
  options: AskingOptions & { readonly session: string },
  io: Io,
  paths: HomePaths,
): Asking {
  const { session } = options;
  if (!/^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$/.test(session))
    throw new CliError(
      'This is not a name of a session.',
      'Use letters, digits and . _ : @ / -, at most 128.',
    );
  const { agent, sign } = speakerOf(options, io, paths);
  return {
    client: runnerClient({
      socketPath: clientSocket(io.env, paths),
      ...(sign !== undefined && { sign }),
    }),
    speaker: { session, ...(agent !== undefined && { agent }), claims: claimsFrom({}, io.env) },
    program: {
      node: process.execPath,
      program: join(io.packageRoot, 'dist/runner/cli/main.js'),
      home: (io.env['INTERLOCK_HOME'] ?? '') === '' ? null : paths.home,
    },
  };
}
