import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ownUid, systemClock } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import type { DecisionRow, OutcomeRow } from '../../runner/audit/rows.ts';
import { readAccess } from '../../runner/fleet/files.ts';
import type { FleetAccess } from '../../runner/fleet/files.ts';
import { createFleet, newAccess, serverConfig } from '../../runner/fleet/keys.ts';
import { connectFleet, openNodeStream } from '../../runner/fleet/streams.ts';
import { parseAddress } from '../../runner/nodes/address.ts';
import { newDevice } from '../../runner/nodes/device.ts';
import { dial, dialThrough } from '../../runner/nodes/dial.ts';
import type { Dialled } from '../../runner/nodes/dial.ts';
import { pairWithGateway } from '../../runner/nodes/handshake.ts';
import { writeNodeFile } from '../../runner/nodes/node-file.ts';
import { openStreamSocket } from '../../runner/nodes/stdio.ts';
import type { NodesBody } from '../../shared/wire/index.ts';
import { auditRows, root } from '../runner/service/support.ts';
import { natsServer } from './nats-server.ts';
import { freePort, hasNatsServer, hasSshd, startSshServer, stdioCommand } from './servers.ts';

/** Waits for what another process does, with a word for what that is. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 60_000,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`it did not come to that: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Asks the runner of a home. */
export async function call<T>(paths: HomePaths, path: string, body?: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath: paths.runnerSocket,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json' },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more: string) => (text += more));
        response.on('end', () => resolve(JSON.parse(text) as T));
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Changes the settings of a home. */
export function configure(paths: HomePaths, config: object): void {
  const before = JSON.parse(readFileSync(paths.config, 'utf8')) as object;
  writeFileSync(paths.config, JSON.stringify({ ...before, ...config }), { mode: 0o600 });
}

/** Where a node finds its gateway, as its `node.json` says it. */
type Where =
  | { readonly host: string; readonly port: number }
  | { readonly via: 'ssh' }
  | { readonly via: 'nats'; readonly access: FleetAccess };

/** How a test dials: without a certificate that it knows. */
export const dialling = {
  certificate: null,
  clock: systemClock,
  signal: new AbortController().signal,
};

/** Pairs the node that a home is with a gateway that runs, as its two people would. */
export async function pair(desk: HomePaths, build: HomePaths): Promise<void> {
  const { listening } = await call<NodesBody>(desk, '/v1/nodes');
  const address = parseAddress(listening ?? '');
  await pairBy(await dial({ ...address, ...dialling }), { desk, build, where: address });
}

interface Paired {
  readonly desk: HomePaths;
  readonly build: HomePaths;
  readonly where: Where;
  readonly name?: string;
}

/** The same over a connection to it that is there. */
export async function pairBy(
  dialled: Dialled,
  { desk, build, where, name = 'Build box' }: Paired,
): Promise<void> {
  const { device, pem } = newDevice();
  const certificate = Buffer.from(dialled.channel.certificate).toString('hex');
  await pairWithGateway(dialled.talk, {
    device,
    channel: dialled.channel,
    nonce: () => 'n'.repeat(43),
    state: { version: '1', policyHash: null },
    displayName: name,
    confirm: async ({ code }) => {
      const waits = async () => (await call<NodesBody>(desk, '/v1/nodes')).waiting.length === 1;
      await until(waits, 'the pairing waits');
      await call(desk, '/v1/nodes/approve', { code });
      return true;
    },
    keep: ({ key, displayName, token }) =>
      writeNodeFile(build.nodeFile, {
        version: 1,
        id: device.id,
        displayName: name,
        key: pem,
        token,
        gateway: { ...where, key, displayName, certificate },
        pairedAt: 1,
      }),
  });
  // The gateway ends it, and by then knows that the node has kept its pairing.
  if (!dialled.talk.gone.aborted) await once(dialled.talk.gone, 'abort');
}

/** How two machines reach each other: what it takes, what the gateway is told, and how they are paired. */
interface Way {
  readonly name: string;
  readonly isThere: boolean;
  /** Comes to the gateway's home before its runner starts, and answers with its settings and its PATH. */
  readonly prepare: (
    desk: HomePaths,
    build: HomePaths,
  ) => Promise<{
    readonly nodes: object;
    readonly env: Readonly<Record<string, string>>;
    readonly pairs: () => Promise<void>;
  }>;
}

/** Two machines that meet at a nats-server of their own. */
export async function overNats(desk: HomePaths, build: HomePaths) {
  const [servers, uid, now] = [[`nats://127.0.0.1:${await freePort()}`], ownUid(), Date.now()];
  const fleet = createFleet(desk.fleet, { uid, name: 'test', now, servers, ca: null });
  const server = await natsServer(serverConfig(fleet));
  const file = join(build.home, 'build.fleet.json');
  writeFileSync(file, newAccess(fleet, { name: 'build', now }).text, { mode: 0o600 });
  const access = readAccess(file, uid);
  const pairs = async (): Promise<void> => {
    const reached = async () => (await call<NodesBody>(desk, '/v1/nodes')).problem === null;
    await until(reached, 'the gateway is at nats-server');
    const stream = await openNodeStream(await connectFleet(access), access);
    const where = { via: 'nats', access } as const;
    await pairBy(await dialThrough({ ...dialling, stream }), { desk, build, where });
  };
  return { nodes: {}, env: {}, pairs, server };
}

/** Each carrier, with what this machine has of it. */
export const ways: readonly Way[] = [
  {
    name: 'WebSocket',
    isThere: true,
    prepare: async (desk, build) => {
      const listen = `127.0.0.1:${await freePort()}`;
      return { nodes: { listen }, env: {}, pairs: async () => pair(desk, build) };
    },
  },
  {
    name: 'NATS',
    isThere: hasNatsServer,
    prepare: overNats,
  },
  {
    name: 'SSH',
    isThere: hasSshd,
    prepare: async (desk, build) => {
      const { path, dispose } = await startSshServer(stdioCommand(build.home));
      onTestFinished(dispose);
      const pairs = async (): Promise<void> => {
        const waiting = await openStreamSocket(build.pairSocket);
        const stream = await waiting.next(dialling.signal);
        const where = { via: 'ssh' } as const;
        await pairBy(await dialThrough({ ...dialling, stream }), { desk, build, where });
        waiting.dispose();
      };
      return { nodes: { ssh: ['build'] }, env: { PATH: path, HOME: homedir() }, pairs };
    },
  },
];

/** Whether a node is connected. */
export const isThere = (desk: HomePaths) => async (): Promise<boolean> =>
  (await call<NodesBody>(desk, '/v1/nodes')).nodes.some(({ online }) => online);

/** The command line, on a home. */
export function interlock(paths: HomePaths, ...args: readonly string[]): string {
  return execFileSync(process.execPath, [join(root, 'dist/runner/cli/main.js'), ...args], {
    env: { ...process.env, INTERLOCK_HOME: paths.home },
    encoding: 'utf8',
  });
}

/** How many times a command has run that leaves a line. */
export const linesIn = (path: string): number =>
  existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').length : 0;

/** What the record of a home says of its runs. */
export function rowsOf(paths: HomePaths): {
  readonly decisions: readonly DecisionRow[];
  readonly outcomes: readonly OutcomeRow[];
} {
  const rows = auditRows(paths);
  return {
    decisions: rows.flatMap((row) => (row.type === 'decision' ? row : [])),
    outcomes: rows.flatMap((row) => (row.type === 'outcome' ? row : [])),
  };
}
