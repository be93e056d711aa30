import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../shared/base/index.ts';
import { ownUid, systemClock } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { readAccess } from '../../runner/fleet/files.ts';
import type { Fleet, FleetAccess } from '../../runner/fleet/files.ts';
import { openControl } from '../../runner/fleet/control.ts';
import { admit, askIn, readAdmission, readRequest } from '../../runner/fleet/membership.ts';
import { withGateway } from '../../runner/fleet/roster.ts';
import { openGatewayCertificate } from '../../runner/nodes/certificate.ts';
import { openDevice } from '../../runner/nodes/device.ts';
import { openRegistry } from '../../runner/nodes/registry.ts';
import { readSeat } from '../../runner/service/call-nodes.ts';
import { createFleet, newAccess, serverConfig } from '../../runner/fleet/keys.ts';
import { connectFleet, openNodeStream } from '../../runner/fleet/streams.ts';
import { dialThrough } from '../../runner/nodes/dial.ts';
import { nodesHome, pairHomes } from './nodes-home.ts';
import { freePort, startNatsServer, until } from './servers.ts';

/** A real nats-server with these settings, for the length of a test. */
export async function natsServer(config: string) {
  const server = await startNatsServer(config);
  onTestFinished(async () => server.dispose());
  return server;
}

const uid = ownUid();
const now = 1_700_000_000_000;
const signal = new AbortController().signal;

/** A gateway with a fleet at a real nats-server. */
export async function fleetOfOne() {
  const desk = nodesHome(null);
  const servers = [`nats://127.0.0.1:${await freePort()}`];
  const fleet = createFleet(desk.paths.fleet, { uid, name: 'test', now, servers, ca: null });
  const server = await natsServer(serverConfig(fleet));
  await desk.nodes.apply();
  await until(() => desk.nodes.body().problem === null);
  const letIn = (name: string): FleetAccess => {
    const path = join(desk.paths.home, `${name}.json`);
    writeFileSync(path, newAccess(fleet, { name, now }).text, { mode: 0o600 });
    return readAccess(path, uid);
  };
  const stream = async (access: FleetAccess) => openNodeStream(await connectFleet(access), access);
  const paired = async (access: FleetAccess) => {
    const build = nodesHome(null);
    const how = { certificate: null, clock: systemClock, signal };
    const dialled = await dialThrough({ ...how, stream: await stream(access) });
    await pairHomes(dialled, desk, build, { via: 'nats', access });
    return build;
  };
  const joined = async (displayName: string) => {
    const more = nodesHome(null);
    await joinAs(desk, fleet, more, displayName);
    await more.nodes.apply();
    await until(() => more.nodes.body().problem === null);
    return more;
  };
  return { desk, fleet, server, admit: letIn, paired, handOf, join: joined };
}

interface At {
  readonly paths: HomePaths;
}

/** The hand of a gateway on what its fleet keeps, for the length of a test. */
export async function handOf({ paths }: At, clock: Pick<Clock, 'now'> = systemClock) {
  const seat = readSeat(paths, uid);
  if (seat === null) throw new Error('it is a gateway of the fleet');
  const connection = await connectFleet(seat.access);
  onTestFinished(async () => connection.close());
  const device = openDevice(paths.nodesDevice, uid);
  const nodes = () => openRegistry({ path: paths.nodes, uid }).list();
  const control = await openControl(connection, {
    device,
    keeper: seat.keeper ?? device.publicKey,
    keyOf: (id) => nodes().find((node) => node.id === id)?.key ?? null,
    clock,
    path: paths.fleetTold,
    uid,
  });
  return { control, connection, device };
}

/** Makes a home a further gateway of the fleet that another one has made, as two people would. */
export async function joinAs(
  desk: At,
  fleet: Fleet,
  { paths }: At,
  displayName: string,
): Promise<void> {
  const device = openDevice(paths.nodesDevice, uid);
  const { digest } = await openGatewayCertificate({ path: paths.nodesCertificate, uid, now });
  const certificate = Buffer.from(digest).toString('hex');
  const asking = { uid, device, displayName, certificate };
  const { gateway } = readRequest(askIn(paths.fleetGateway, asking).text);
  const { control, device: keeper } = await handOf(desk);
  const roster = await control.roster();
  await control.setRoster(withGateway(roster, { ...gateway, addedAt: now }), roster);
  const { text } = admit(fleet, { device: keeper, gateway, now });
  readAdmission(text, paths.fleetGateway, uid).join();
}
