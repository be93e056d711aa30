import { checkBody } from '../../shared/wire/index.ts';
import type { CheckBody } from '../../shared/wire/index.ts';
import type { AskForTool, GateIo } from '../hosts/host.ts';
import { brokerHost } from '../tools/broker.ts';
import { admit } from './admit.ts';
import { analyse } from './analyse.ts';
import { authenticate } from './authenticate.ts';
import { createBrokenShells, createSandboxTries } from './boundary.ts';
import { broker, matchKept, requireStillAllowed, resolve } from './decide.ts';
import { execute } from './execute.ts';
import { permit, requireHolder, slipAsRequest, take } from './permit.ts';
import type { GatePorts } from './ports.ts';
import type { Slip } from './permit.ts';
import { reportEnd, reportHandedOver, reportRefusal } from './report.ts';
import { learn, openContext } from './request-context.ts';
import type {
  Call,
  ExecIncoming,
  GateResult,
  Identified,
  Identity,
  Incoming,
  PermitResult,
  Permitted,
  Refused,
  RequestContext,
} from './request-context.ts';
import { requireMayRunElsewhere, route } from './route.ts';
import type { CarriedOut } from './route.ts';

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
type Next<T> = (permitted: Permitted, call: Call) => Promise<T>;

/** The gate over its ports. */
export function createGate(given: GatePorts): Gate {
  const asker =
    ({ incoming: { peer }, identity }: Permitted): AskForTool =>
    async (request, io, starting) => {
      const call = { ...request, host: brokerHost };
      await exec({ kind: 'exec', request: call, peer, within: identity, starting }, io);
    };
  const tries = createSandboxTries(() => given.clock.now());
  const ports = { ...given, asker, tries, shells: createBrokenShells() };
  const open = (incoming: Incoming): RequestContext =>
    openContext({ id: ports.newId(), at: ports.clock.now(), owner: ports.uid }, incoming);
  const pass = async <T>(
    incoming: Incoming,
    io: GateIo,
    { by = 'here', next }: { readonly by?: CarriedOut; readonly next: Next<T> },
  ): Promise<T | Refused> => {
    const context = open(incoming);
    return guarded(context, io, ports, async (call) => {
      const identified = learn(context, { identity: await identify(incoming, ports) });
      if (by === 'elsewhere') requireMayRunElsewhere(identified);
      return inItsPlace(identified, ports, async () =>
        next(await permit(identified, call, ports, by), call),
      );
    });
  };
  const perform: Next<GateResult> = async (permitted, call) =>
    reportEnd(permitted, await execute(permitted, call, ports), call, ports);
  const exec: Gate['exec'] = async (incoming, io) => pass(incoming, io, { next: perform });
  return {
    exec,
    permit: async (incoming, io, by) =>
      pass(incoming, io, {
        by,
        next: async (permitted): Promise<PermitResult> => {
          const allowed = { ok: true, id: permitted.id, permission: permitted.permission } as const;
          if (by === 'ticket' && incoming.kind === 'exec')
            return { ...allowed, ticket: ports.tickets.issue(permitted) };
          await reportHandedOver(permitted, ports);
          return { ...allowed, ticket: null };
        },
      }),
    redeem: async (slip, io) => {
      const taken = take(slip, ports);
      const context = taken.ok ? taken.permitted : open(slipAsRequest(slip));
      return guarded(context, io, ports, async (call) => {
        if (!taken.ok) throw taken.error;
        const { permitted } = taken;
        await requireHolder(permitted, slip);
        requireStillAllowed(permitted, ports);
        return inItsPlace(permitted, ports, async () => perform(permitted, call));
      });
    },
    check: async (incoming) => {
      const identity = await identify(incoming, ports);
      const identified = learn(open(incoming), { identity });
      const routed = learn(identified, { target: await route(identified, ports) });
      const policy = resolve(identified, ports);
      const analysed = learn(routed, { policy, understood: await analyse(routed, ports) });
      await broker(analysed, ports);
      const verdict = await matchKept(analysed, ports);
      return checkBody(verdict);
    },
  };
}

/**
 * Who is asking. A lockout takes all keys away, so while it lasts no signature is right: what an
 * agent then has to hear is that everything is locked, not that its key is.
 */
async function identify(
  incoming: Incoming,
  ports: Pick<GatePorts, 'uid' | 'config' | 'callers' | 'stops'>,
): Promise<Identity> {
  try {
    return await authenticate(incoming, ports);
  } catch (error) {
    ports.stops.check();
    throw error;
  }
}

/** Runs a step as a request under way; whatever it throws becomes a refusal that is told and recorded. */
async function guarded<T>(
  context: RequestContext,
  io: GateIo,
  ports: GatePorts,
  step: (call: Call) => Promise<T>,
): Promise<T | Refused> {
  const flight = ports.inFlight.enter(context.id, io.gone);
  try {
    return await step({ flight, io });
  } catch (error) {
    return await reportRefusal(context, error, io, ports);
  } finally {
    flight.ended();
  }
}

async function inItsPlace<T>(
  identified: Identified,
  ports: GatePorts,
  work: () => Promise<T>,
): Promise<T> {
  const leave = admit(identified, ports);
  try {
    return await work();
  } finally {
    leave();
  }
}
