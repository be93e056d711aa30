import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ownUid, systemClock } from '../../shared/home/index.ts';
import { readAccess } from '../../runner/fleet/files.ts';
import type { FleetAccess } from '../../runner/fleet/files.ts';
import { createFleet, newAccess, serverConfig } from '../../runner/fleet/keys.ts';
import { connectFleet, openNodeStream } from '../../runner/fleet/streams.ts';
import { dialThrough } from '../../runner/nodes/dial.ts';
import { nodesHome, pairHomes, until } from './nodes-home.ts';

const program = ['/usr/sbin/nats-server', '/usr/local/bin/nats-server'].find((each) =>
  existsSync(each),
);
export const hasNatsServer = program !== undefined;

/** A port of loopback that is free now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A real nats-server with these settings, which a test may kill and start again. */
export async function natsServer(config: string) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-nats-'));
  const file = join(folder, 'nats.conf');
  writeFileSync(file, config.replaceAll('/var/lib/nats', folder));
  let child: ChildProcess | null = null;
  let said = '';
  const start = async (): Promise<void> => {
    said = '';
    child = spawn(program ?? '', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    const own = child;
    await until(() => said.includes('Server is ready') || own.exitCode !== null);
    if (own.exitCode !== null) throw new Error(`nats-server did not start: ${said}`);
  };
  const kill = async (): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  /** It forgets all that it kept: streams, and what it was told of its accounts. */
  const forget = (): void => {
    for (const each of ['jetstream', 'jwt'])
      rmSync(join(folder, each), { recursive: true, force: true });
  };
  return { start, kill, forget };
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
