import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths, ownUid } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { readAccess } from '../../runner/fleet/files.ts';
import type { Fleet } from '../../runner/fleet/files.ts';
import { createFleet, newAccess, serverConfig } from '../../runner/fleet/keys.ts';
import { openGatewayCertificate } from '../../runner/nodes/certificate.ts';
import { newDevice, openDevice } from '../../runner/nodes/device.ts';
import { tokenHash } from '../../runner/nodes/handshake.ts';
import { writeNodeFile } from '../../runner/nodes/node-file.ts';
import type { NodeFile } from '../../runner/nodes/node-file.ts';
import { openRegistry } from '../../runner/nodes/registry.ts';
import { freePort, startNatsServer } from '../support/servers.ts';
import { startRunnerProcess } from './runner-process.ts';
import type { RunnerProcess } from './runner-process.ts';

/** How a machine comes to its gateway. */
export const ways = ['WebSocket', 'NATS'] as const;
export type Way = (typeof ways)[number];

/** A gateway at work, its nats-server, and what the machines that it was paired with keep. */
export interface Machines {
  readonly gateway: RunnerProcess;
  readonly natsPid: number;
  readonly fleet: Fleet;
  /** What pairing has left on each, those of the first way first. */
  readonly nodes: readonly NodeFile[];
  readonly stop: () => Promise<void>;
}

const uid = ownUid();

/** Starts a gateway that is paired with so many machines a way, as pairing them one by one would leave it. */
export async function startMachines(
  dist: string,
  count: Readonly<Record<Way, number>>,
): Promise<Machines> {
  const folder = mkdtempSync(join(tmpdir(), 'il-bench-'));
  const port = await freePort();
  const [nats, now] = [`nats://127.0.0.1:${String(await freePort())}`, Date.now()];
  const config = {
    nodes: { listen: `127.0.0.1:${String(port)}` },
    exec: { hosts: ['gateway', 'node'] },
  };
  const nodes: NodeFile[] = [];
  let server: Awaited<ReturnType<typeof startNatsServer>> | null = null;
  let fleet: Fleet | null = null;
  const files = async (paths: HomePaths): Promise<void> => {
    for (const each of [paths.stateDirectory, paths.keysDirectory])
      mkdirSync(each, { recursive: true, mode: 0o700 });
    fleet = createFleet(paths.fleet, { uid, name: 'bench', now, servers: [nats], ca: null });
    server = await startNatsServer(serverConfig(fleet));
    const pair = await pairing(paths);
    for (const way of ways)
      for (let at = 0; at < count[way]; at += 1)
        nodes.push(
          pair(`${way.toLowerCase()}-${String(at)}`, () =>
            way === 'WebSocket' ? { host: '127.0.0.1', port } : joining(fleet, folder),
          ),
        );
  };
  const gateway = await startRunnerProcess(dist, { config, files });
  if (server === null || fleet === null) throw new Error('the gateway was not prepared');
  const { pid, dispose } = server as Awaited<ReturnType<typeof startNatsServer>>;
  return {
    gateway,
    natsPid: pid(),
    fleet,
    nodes,
    stop: async () => {
      await gateway.stop();
      await dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A runner on the machine of this file. */
export async function startNode(dist: string, file: NodeFile): Promise<RunnerProcess> {
  const files = (paths: HomePaths): void => writeNodeFile(paths.nodeFile, file);
  return startRunnerProcess(dist, { files });
}

type Where =
  | { readonly host: string; readonly port: number }
  | { readonly via: 'nats'; readonly access: ReturnType<typeof readAccess> };

/** Pairs machines with the gateway of a home, on the disk, before its runner starts. */
async function pairing(paths: HomePaths): Promise<(name: string, where: () => Where) => NodeFile> {
  const pairedAt = Date.now();
  const { digest } = await openGatewayCertificate({
    path: paths.nodesCertificate,
    uid,
    now: pairedAt,
  });
  const own = openDevice(paths.nodesDevice, uid);
  const registry = openRegistry({ path: paths.nodes, uid });
  return (displayName, where) => {
    const { device, pem } = newDevice();
    const token = randomBytes(32).toString('base64url');
    registry.approve({
      id: device.id,
      displayName,
      key: device.publicKey,
      tokenHash: tokenHash(token),
      version: '1',
      policyHash: null,
      pairedAt,
      lastAddress: null,
    });
    const gateway = { displayName: 'desk', key: own.publicKey };
    const certificate = Buffer.from(digest).toString('hex');
    return {
      version: 1,
      id: device.id,
      displayName,
      key: pem,
      token,
      gateway: { ...where(), ...gateway, certificate },
      pairedAt,
    };
  };
}

function joining(fleet: Fleet | null, folder: string): Where {
  if (fleet === null) throw new Error('there is no fleet to join');
  const path = join(folder, 'access.json');
  writeFileSync(path, newAccess(fleet, { name: 'node', now: Date.now() }).text, { mode: 0o600 });
  return { via: 'nats', access: readAccess(path, uid) };
}

/** Where the runner of a process answers. */
export const socketOf = ({ env }: RunnerProcess): string => homePaths(env).runnerSocket;
