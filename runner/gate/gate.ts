import { checkBody } from '../../shared/wire/index.ts';
import type { CheckBody } from '../../shared/wire/index.ts';
import type { RequestInFlight } from './in-flight.ts';
import { admit } from './admit.ts';
import { analyse } from './analyse.ts';
import { authenticate } from './authenticate.ts';
import { openDossier } from './request-context.ts';
import type { Dossier } from './request-context.ts';
import { execute } from './execute.ts';
import { decideInput, match } from './decide.ts';
import { permit } from './permit.ts';
import type { Permitted } from './permit.ts';
import type { GatePorts } from './ports.ts';
import { requireHolder, slipAsRequest, take } from './redeem.ts';
import type { Slip } from './redeem.ts';
import { reportEnd, reportHandedOver, reportRefusal } from './report.ts';
import { resolve } from './decide.ts';
import { route } from './route.ts';
import type {
  ExecIncoming,
  GateIo,
  GateResult,
  Identity,
  Incoming,
  PermitResult,
  Refused,
} from './request-context.ts';

/** The one way from a request to something that happens. */
export interface Gate {
  /** Decides, asks, runs and reports. Never rejects: every error is a refusal. */
  exec(incoming: ExecIncoming, io: GateIo): Promise<GateResult>;
  /**
   * Decides and asks, and runs nothing. With `ticket` the command waits here for its holder to
   * redeem it; with `elsewhere` the agent's host carries it out, and what comes of it is not known.
   */
  permit(incoming: Incoming, io: GateIo, by: 'ticket' | 'elsewhere'): Promise<PermitResult>;
  /** Runs what a ticket was issued for, as `exec` does after its decision. */
  redeem(slip: Slip, io: GateIo): Promise<GateResult>;
  /** Only decides: asks nobody, runs nothing. Rejects with a `RefusalError`. */
  check(incoming: Incoming): Promise<CheckBody>;
}

/** What happens once a request is permitted. */
type Next<T> = (permitted: Permitted, flight: RequestInFlight) => Promise<T>;

/** The gate over its ports. */
export function createGate(ports: GatePorts): Gate {
  const open = (incoming: Incoming): Dossier =>
    openDossier({ id: ports.newId(), at: ports.clock.now(), owner: ports.uid }, incoming);
  const pass = async <T>(incoming: Incoming, io: GateIo, next: Next<T>): Promise<T | Refused> => {
    const dossier = open(incoming);
    return guarded(dossier, io, ports, async (flight) => {
      const identity = (dossier.identity = await authenticate(incoming, ports));
      return inItsPlace(identity, ports, async () =>
        next(await permit({ dossier, identity, flight, io }, ports), flight),
      );
    });
  };
  return {
    exec: async (incoming, io) =>
      pass(incoming, io, async (permitted, flight) => perform(permitted, { flight, io }, ports)),
    permit: async (incoming, io, by) =>
      pass(incoming, io, async (permitted): Promise<PermitResult> => {
        const { dossier, permission } = permitted;
        const given = { ok: true, id: dossier.id, permission } as const;
        if (by === 'ticket' && incoming.kind === 'exec')
          return { ...given, ticket: ports.tickets.issue(permitted) };
        await reportHandedOver(dossier, ports);
        return { ...given, ticket: null };
      }),
    redeem: async (slip, io) => {
      const taken = take(slip, ports);
      const dossier = taken.ok ? taken.permitted.dossier : open(slipAsRequest(slip));
      return guarded(dossier, io, ports, async (flight) => {
        if (!taken.ok) throw taken.error;
        const { permitted } = taken;
        await requireHolder(permitted, slip);
        return inItsPlace(permitted.identity, ports, async () =>
          perform(permitted, { flight, io }, ports),
        );
      });
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

/** Runs a step as a request under way; whatever it throws becomes a refusal that is told and recorded. */
async function guarded<T>(
  dossier: Dossier,
  io: GateIo,
  ports: GatePorts,
  step: (flight: RequestInFlight) => Promise<T>,
): Promise<T | Refused> {
  const flight = ports.inFlight.enter(dossier.id, io.gone);
  try {
    return await step(flight);
  } catch (error) {
    return await reportRefusal({ dossier, io }, error, ports);
  } finally {
    flight.ended();
  }
}

async function inItsPlace<T>(
  identity: Identity,
  ports: GatePorts,
  work: () => Promise<T>,
): Promise<T> {
  const leave = admit(identity, ports);
  try {
    return await work();
  } finally {
    leave();
  }
}

async function perform(
  permitted: Permitted,
  around: { readonly flight: RequestInFlight; readonly io: GateIo },
  ports: GatePorts,
): Promise<GateResult> {
  const executed = await execute({ ...permitted, ...around }, ports);
  return reportEnd({ dossier: permitted.dossier, ...around }, executed, ports);
}
