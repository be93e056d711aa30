import { realpath } from 'node:fs/promises';
import type { PeerCredentials } from '../../shared/ipc/index.ts';
import { refuse } from '../../shared/base/index.ts';
import type { GatePorts } from './ports.ts';
import type { Incoming, Permitted } from './request-context.ts';

/** A ticket as it comes back. */
export interface Slip {
  readonly ticket: string;
  /** Absolute folder in which the holder stands. */
  readonly cwd: string;
  readonly peer: PeerCredentials | null;
}

/** The permission behind a ticket, which is spent with this call; or why there is none. */
export function take(
  { ticket }: Slip,
  { tickets }: Pick<GatePorts, 'tickets'>,
):
  | { readonly ok: true; readonly permitted: Permitted }
  | { readonly ok: false; readonly error: unknown } {
  try {
    return { ok: true, permitted: tickets.take(ticket) };
  } catch (error) {
    return { ok: false, error };
  }
}

/** A ticket that leads nowhere, as a request for the record. The ticket itself is not written down. */
export function slipAsRequest({ cwd, peer }: Slip): Incoming {
  return { kind: 'exec', peer, request: { argv: ['interlock', 'run', '--ticket', '…'], cwd } };
}

/**
 * The same user in the same folder, or `binding-drift`. The ticket itself proves the rest: command,
 * agent and session are those of the permission, and nothing that comes with it can change them.
 */
export async function requireHolder(permitted: Permitted, { cwd, peer }: Slip): Promise<void> {
  const { identity, understood } = permitted;
  if (peer === null || peer.uid !== identity.uid)
    throw drifted('The ticket was issued to another user.');
  const here = await realpath(cwd).catch(() => null);
  if (here !== understood.command.cwd)
    throw drifted(`The ticket is for a command in ${understood.command.cwd}.`);
}

function drifted(sentence: string): Error {
  return refuse('binding-drift', sentence, 'Nothing was run. Ask for the command again.');
}
