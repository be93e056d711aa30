import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ownUid, systemClock } from '../../shared/home/index.ts';
import { readAccess } from '../../runner/fleet/files.ts';
import type { FleetAccess } from '../../runner/fleet/files.ts';
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
  const admit = (name: string): FleetAccess => {
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
  return { desk, fleet, server, admit, paired };
}
