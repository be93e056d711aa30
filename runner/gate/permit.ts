import type { RequestInFlight } from './in-flight.ts';
import { analyse } from './analyse.ts';
import { ask, standingPermission } from './ask.ts';
import { bind, snapshot } from './bind.ts';
import type { BindSubject } from './bind.ts';
import type { Dossier } from './request-context.ts';
import { fallBack } from './decide.ts';
import { decideInput, match, requireNotDenied } from './decide.ts';
import { meter } from './admit.ts';
import type { GatePorts } from './ports.ts';
import { record } from './record.ts';
import { resolve } from './decide.ts';
import { route } from './route.ts';
import type { GateIo, Identity, Matched, Permission } from './request-context.ts';
import { noteUse } from './decide.ts';

export interface Admitted {
  readonly dossier: Dossier;
  readonly identity: Identity;
  readonly flight: RequestInFlight;
  readonly io: GateIo;
}

/** A request that may be carried out, once, as it was looked at. */
export interface Permitted extends BindSubject {
  readonly dossier: Dossier;
  readonly matched: Matched;
  readonly permission: Permission;
}

/** From the admission to the row in the log that says yes. Everything else is thrown. */
export async function permit(
  { dossier, identity, flight, io }: Admitted,
  ports: GatePorts,
): Promise<Permitted> {
  const { incoming } = dossier;
  const target = (dossier.target = route(incoming, identity, ports));
  const policy = resolve(incoming, identity, ports);
  const understood = (dossier.understood = await analyse(incoming, ports));
  meter(identity, understood, ports);
  const subject = { incoming, identity, target, understood };

  const input = decideInput({ ...subject, policy }, ports);
  const verdict = match(input);
  const binding = snapshot(subject, { hashed: verdict.decision === 'ask' });
  const matched = (dossier.matched = { verdict, binding });
  requireNotDenied(verdict);

  const question = { ...subject, matched, input };
  const standing = standingPermission(question, ports);
  const permission = standing ?? (await ask(question, ports, { flight, io })) ?? fallBack(verdict);
  if (standing === null) await bind(subject, binding, ports);

  await record(dossier, permission, ports);
  dossier.recorded = true;
  noteUse(dossier, ports);
  return { ...subject, dossier, matched, permission };
}
