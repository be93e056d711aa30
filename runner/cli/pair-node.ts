import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { displayPlain } from '../../shared/base/index.ts';
import { systemClock } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import { readAccess } from '../fleet/files.ts';
import type { FleetAccess } from '../fleet/files.ts';
import { addressText, parseAddress } from '../nodes/address.ts';
import type { NodeAddress } from '../nodes/address.ts';
import { newDevice } from '../nodes/device.ts';
import { dial, dialThrough } from '../nodes/dial.ts';
import type { Dialled } from '../nodes/dial.ts';
import { openStreamSocket } from '../nodes/stdio.ts';
import { pairWithGateway } from '../nodes/handshake.ts';
import { readNodeFile, writeNodeFile } from '../nodes/node-file.ts';
import { Rejection } from '../nodes/talk.ts';
import { readVersion } from '../version.ts';
import { CliError } from './failure.ts';
import { say } from './io.ts';
import type { Io } from './io.ts';
import { confirm } from './presence.ts';

export interface PairOptions {
  /** Absent where it comes here. */
  readonly gateway?: string | undefined;
  readonly ssh?: true | undefined;
  /** A file of `interlock fleet add`. */
  readonly fleet?: string | undefined;
  readonly name?: string;
  readonly replace?: true;
}

const longestName = 64;

/** Pairs this machine with a gateway, with a person who compares the code. Throws a `CliError` for a no. */
export async function pairNode(
  io: Io,
  home: Home,
  { gateway, ssh, fleet, name, replace }: PairOptions,
): Promise<{ readonly displayName: string; readonly address: string }> {
  const route = routeOf({ gateway, ssh, fleet }, home.uid);
  const kept = readNodeFile(home.nodeFile, home.uid);
  if (kept !== null && replace !== true)
    throw new CliError(
      `This machine is a node of ${displayPlain(kept.file.gateway.displayName)} already.`,
      'Say --replace to make it one of another gateway, or to pair it anew.',
    );
  const displayName = (name ?? (hostname() || 'node')).trim();
  if (displayName === '' || displayName.length > longestName)
    throw new CliError(`A name has 1 to ${longestName} characters.`, 'Say another --name.');
  // The same key as before, so that a gateway knows the machine again.
  const { device, pem } = kept === null ? newDevice() : { device: kept.device, pem: kept.file.key };
  const policy = home.readPolicy();
  const stop = new AbortController();
  let isGivenUp = false;
  try {
    const unlisten = io.onSignal(() => {
      isGivenUp = true;
      stop.abort();
    });
    try {
      const { talk, channel } = await reach(io, home, route, stop.signal);
      stop.signal.addEventListener('abort', () => talk.close('The pairing was given up.'));
      const paired = await pairWithGateway(talk, {
        device,
        channel,
        displayName,
        nonce: () => randomBytes(32).toString('base64url'),
        state: { version: readVersion(), policyHash: policy.hash },
        confirm: async (shown, gone) => compare(io, shown, gone),
        keep: ({ key, token, displayName: called }) =>
          writeNodeFile(home.nodeFile, {
            version: 1,
            id: device.id,
            displayName,
            key: pem,
            token,
            gateway: {
              ...route,
              displayName: called,
              key,
              certificate: Buffer.from(channel.certificate).toString('hex'),
            },
            pairedAt: io.now(),
          }),
      });
      talk.close('The pairing is done.');
      const where =
        'host' in route ? addressText(route) : route.via === 'ssh' ? 'by SSH' : 'over NATS';
      return { displayName: paired.displayName, address: where };
    } finally {
      unlisten();
    }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    const hint = isGivenUp ? 'Start again when you are ready.' : hintFor(error);
    throw new CliError(`Nothing was paired: ${error.message}`, hint, { cause: error });
  }
}

type Route =
  NodeAddress | { readonly via: 'ssh' } | { readonly via: 'nats'; readonly access: FleetAccess };

/** Throws a `CliError` unless one way is named. */
function routeOf(
  { gateway, ssh, fleet }: Pick<PairOptions, 'gateway' | 'ssh' | 'fleet'>,
  uid: number,
): Route {
  if ([gateway, ssh, fleet].filter((each) => each !== undefined).length !== 1)
    throw new CliError(
      'There is one way to a gateway.',
      'Say HOST, or --ssh where this machine stands in nodes.ssh of the gateway, or --fleet FILE.',
    );
  if (gateway !== undefined) return parseAddress(gateway);
  return fleet === undefined ? { via: 'ssh' } : { via: 'nats', access: readAccess(fleet, uid) };
}

/** A connection to the gateway; where it comes here, its next one is waited for. */
async function reach(
  io: Io,
  { pairSocket }: Home,
  route: Route,
  signal: AbortSignal,
): Promise<Dialled> {
  const how = { certificate: null, clock: systemClock, signal };
  if ('host' in route) return dial({ ...route, ...how });
  if (route.via === 'nats') {
    const { connectFleet, openNodeStream } = await import('../fleet/streams.ts');
    const stream = await openNodeStream(await connectFleet(route.access), route.access);
    return dialThrough({ ...how, stream });
  }
  const socket = await openStreamSocket(pairSocket);
  try {
    say(io.stdout, 'Waiting for the gateway, which tries once a minute or more often …');
    const stream = await socket.next(signal);
    return await dialThrough({ ...how, stream });
  } finally {
    socket.dispose();
  }
}

async function compare(
  io: Io,
  { code, gateway }: { readonly code: string; readonly gateway: string },
  gone: AbortSignal,
): Promise<boolean> {
  say(io.stdout, `Connected to ${gateway}. The code is`);
  say(io.stdout, `\n  ${code}\n`);
  say(
    io.stdout,
    `Look at ${gateway}: its app shows a code under Nodes, and so does "interlock node list". Approve it there only if it is the same, letter by letter.`,
  );
  const isSame = await confirm(io, 'Is it the same? Then type yes: ', ['yes', 'y'], gone);
  if (isSame) say(io.stdout, 'Waiting for the gateway …');
  return isSame;
}

function hintFor({ code }: Rejection): string {
  if (code === 'lost') return 'Is the address right, and does config.json there have nodes.listen?';
  if (code === 'version') return 'Use the same version of Interlock on both machines.';
  if (code === 'unproven')
    return 'Start again. If it happens again, somebody stands between the two machines.';
  return 'Start again when you are ready.';
}
