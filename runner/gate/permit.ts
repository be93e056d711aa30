import { realpath } from 'node:fs/promises';
import type { Verdict } from '../../shared/engine/index.ts';
import { admitByRate } from './admit.ts';
import { analyse } from './analyse.ts';
import { ask, standingPermission } from './ask.ts';
import { bind, snapshot } from './bind.ts';
import {
  broker,
  fallBack,
  matchKept,
  noteUse,
  requireNotDenied,
  requireStillAllowed,
  resolve,
} from './decide.ts';
import type { GatePorts } from './ports.ts';
import { record } from './record.ts';
import { learn } from './request-context.ts';
import type { Analysed, Call, Identified, Permitted, Incoming } from './request-context.ts';
import { route, settled } from './route.ts';
import type { CarriedOut } from './route.ts';
import type { PeerCredentials } from '../../shared/ipc/index.ts';
import { refuse } from '../../shared/base/index.ts';

/** From the admission to the row in the log that says yes. Everything else is thrown. */
export async function permit(
  identified: Identified,
  call: Call,
  ports: GatePorts,
  by: CarriedOut,
): Promise<Permitted> {
  await ports.vault?.refresh();
  const routed = learn(identified, { target: await route(identified, ports, by), by });
  const resolved = learn(routed, { policy: resolve(identified, ports) });
  const analysed = learn(resolved, { understood: await analyse(resolved, ports) });
  await broker(analysed, ports);
  admitByRate(analysed, ports);

  const verdict = withTry(await matchKept(analysed, ports), analysed, ports);
  learn(analysed, { target: settled(analysed.target, verdict, ports) });
  const binding = snapshot(analysed, { hashed: verdict.decision === 'ask' });
  const decided = learn(analysed, { verdict, binding });
  requireNotDenied(verdict);

  const standing = standingPermission(decided, ports);
  const permission = standing ?? (await ask(decided, call, ports)) ?? fallBack(decided, ports);
  const permitted = learn(decided, { permission });
  if (standing === null) {
    await bind(decided, ports);
    requireStillAllowed(permitted, ports);
  }

  await record(permitted, ports);
  learn(permitted, { recorded: true });
  noteUse(permitted, ports);
  return permitted;
}

/** A question for this machine says what became of it in the sandbox. */
function withTry(verdict: Verdict, analysed: Analysed, { tries }: GatePorts): Verdict {
  const words = verdict.decision === 'ask' ? (tries?.wordsOf(analysed) ?? null) : null;
  return words === null ? verdict : { ...verdict, message: `${verdict.message} ${words}` };
}

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
