import type { CheckBody } from '../../shared/api/types.ts';
import { checkBody } from '../../shared/verdict/check-body.ts';
import { admit } from './admit.ts';
import { analyse } from './analyse.ts';
import { ask, standingPermission } from './ask.ts';
import { authenticate } from './authenticate.ts';
import { bind, snapshot } from './bind.ts';
import { openDossier } from './dossier.ts';
import type { Dossier } from './dossier.ts';
import { execute } from './execute.ts';
import { fallBack } from './fall-back.ts';
import { decideInput, match, requireNotDenied } from './match.ts';
import { meter } from './meter.ts';
import type { GatePorts } from './ports.ts';
import { record } from './record.ts';
import { reportEnd, reportRefusal } from './report.ts';
import { resolve } from './resolve.ts';
import { route } from './route.ts';
import type { RequestInFlight } from '../running/types.ts';
import type { GateIo, GateResult, Identity, Incoming } from './types.ts';
import { noteUse } from './usage.ts';

/** The one way from a request to a command that runs. */
export interface Gate {
  /** Decides, asks, runs and reports. Never rejects: every error is a refusal. */
  exec(incoming: Incoming, io: GateIo): Promise<GateResult>;
  /** Only decides: asks nobody, runs nothing. Rejects with a `RefusalError`. */
  check(incoming: Incoming): Promise<CheckBody>;
}

/** The gate over its ports. */
export function createGate(ports: GatePorts): Gate {
  return {
    exec: async (incoming, io) => {
      const dossier = openDossier(ports.newId(), ports.clock.now(), incoming);
      const flight = ports.inFlight.enter(dossier.id, io.gone);
      let leave: (() => void) | null = null;
      try {
        const identity = (dossier.identity = await authenticate(incoming, ports));
        leave = admit(identity, ports);
        return await pass({ dossier, identity, flight, io }, ports);
      } catch (error) {
        return await reportRefusal({ dossier, io }, error, ports);
      } finally {
        leave?.();
        flight.ended();
      }
    },
    check: async (incoming) => {
      const identity = await authenticate(incoming, ports);
      const target = route(incoming, identity, ports);
      const policy = resolve(incoming, identity, ports);
      const understood = await analyse(incoming, ports);
      const verdict = match(decideInput({ incoming, policy, understood, target }, ports));
      return checkBody(verdict, { host: target.host.name });
    },
  };
}

interface Admitted {
  readonly dossier: Dossier;
  readonly identity: Identity;
  readonly flight: RequestInFlight;
  readonly io: GateIo;
}

/** From the admission to the end. */
async function pass({ dossier, identity, flight, io }: Admitted, ports: GatePorts) {
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

  const executed = await execute({ ...subject, dossier, matched, flight, io }, ports);
  return reportEnd({ dossier, flight, io }, executed, ports);
}
