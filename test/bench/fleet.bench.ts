import { setMaxListeners } from 'node:events';
import { Agent } from 'node:http';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { homePaths, ownUid, systemClock } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import type { ToGatewayFrame, ToNodeFrame } from '../../shared/wire/index.ts';
import { openControl } from '../../runner/fleet/control.ts';
import { accessOf } from '../../runner/fleet/files.ts';
import { openFollower } from '../../runner/fleet/follow.ts';
import { connectFleet, openNodeStream } from '../../runner/fleet/streams.ts';
import { deviceFrom, openDevice } from '../../runner/nodes/device.ts';
import { dialThrough } from '../../runner/nodes/dial.ts';
import type { Dialled } from '../../runner/nodes/dial.ts';
import type { NodeFile } from '../../runner/nodes/node-file.ts';
import { checkAtNode } from '../../runner/nodes/node-runs.ts';
import { stayAtGateway } from '../../runner/nodes/stay.ts';
import { hasNatsServer, until } from '../support/servers.ts';
import { socketOf, startMachines } from './machines.ts';
import type { Machines } from './machines.ts';
import { processorMicros, residentMiB } from './runner-process.ts';
import { post } from './throughput.bench.ts';

/** A gateway and a nats-server with so many nodes at them. Times in milliseconds. */
export interface FleetFigures {
  readonly nodes: number;
  /** Until the last of them was let in, and what that took. */
  readonly connectedMs: number;
  readonly connecting: Spent;
  /** What each has grown by, a node. */
  readonly gatewayKiB: number;
  readonly natsKiB: number;
  /** Microseconds of processor time a second and node, with signs of life alone. */
  readonly idle: Spent;
  /** An hour of all of them, as fast as it goes. */
  readonly hour: Hour;
  /** `interlock fleet lockout`: until the last node locks, and until its tick is back. */
  readonly fleet: Lockout;
  /** `interlock lockout` on the gateway: until the last node locks, and until the gateway knows. */
  readonly gateway: Lockout;
  /** Processor time of nats-server for `fleet`, a node, in microseconds. */
  readonly lockoutNatsMicros: number;
}

/** Microseconds of processor time, a node. */
export interface Spent {
  readonly gateway: number;
  readonly nats: number;
}

/** What all nodes do in an hour: a sign of life each 15 seconds, and a run each five minutes. */
export interface Hour {
  readonly signs: number;
  readonly runs: number;
  readonly elapsedMs: number;
  /** Microseconds of processor time, an hour of one node. */
  readonly spent: Spent;
}

export interface Lockout {
  readonly lockedMs: number;
  readonly knownMs: number;
}

const uid = ownUid();
/** How many come at once: a gateway gives strangers 64 places. */
const atOnce = 16;
/** Two signs of life of each node and of the gateway. */
const idleMs = 30_000;

/**
 * So many nodes, without a gate behind them, in this process. What each keeps lies in memory where the
 * machine has that: each of them would have a disk of its own. Null where there is no nats-server.
 */
export async function measureFleet(dist: string, nodes: number): Promise<FleetFigures | null> {
  if (!hasNatsServer) return null;
  const machines = await startMachines(dist, { WebSocket: 0, NATS: nodes });
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'il-bench-'));
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  try {
    const simulated = machines.nodes.map((file) => simulate(file, folder, stop.signal));
    const gate = runnerClient({ socketPath: socketOf(machines.gateway), timeoutMs: 60_000 });
    while ((await gate.nodes()).problem !== null) await delay(20);
    const pids = [machines.gateway.pid, machines.natsPid] as const;
    const spending = async (work: () => Promise<void>, a: number): Promise<Spent> => {
      const before = pids.map((pid) => processorMicros([pid]));
      await work();
      const [gateway = NaN, nats = NaN] = pids.map(
        (pid, at) => (processorMicros([pid]) - (before[at] ?? NaN)) / a,
      );
      return { gateway, nats };
    };
    const heldBefore = pids.map((pid) => residentMiB(pid) ?? NaN);
    const begun = performance.now();
    const connecting = await spending(async () => comeAll(simulated), nodes);
    const connectedMs = performance.now() - begun;
    const idle = await spending(async () => delay(idleMs), (nodes * idleMs) / 1_000);
    const [gatewayKiB = NaN, natsKiB = NaN] = pids.map(
      (pid, at) => (((residentMiB(pid) ?? NaN) - (heldBefore[at] ?? NaN)) * 1024) / nodes,
    );
    let hour = { signs: 0, runs: 0, elapsedMs: NaN };
    const spent = await spending(async () => {
      hour = await anHour(socketOf(machines.gateway), simulated);
    }, nodes);
    const natsBefore = processorMicros([machines.natsPid]);
    const fleet = await fleetLockout(machines, simulated);
    const lockoutNatsMicros = (processorMicros([machines.natsPid]) - natsBefore) / nodes;
    const gateway = await gatewayLockout(gate, simulated);
    const grown = { gatewayKiB, natsKiB };
    const busy = { idle, hour: { ...hour, spent } };
    return { nodes, connectedMs, connecting, ...grown, ...busy, fleet, gateway, lockoutNatsMicros };
  } finally {
    stop.abort();
    await delay(500);
    await machines.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A node that follows its fleet and answers its gateway, and has no gate. */
interface Simulated {
  readonly start: () => void;
  isThere: boolean;
  readonly displayName: string;
  /** Says a sign of life. */
  sign: () => void;
  /** What it was sent to run, by the number of the run. */
  readonly runs: Map<number, number>;
  /** How often it locked for its fleet, and for its gateway. */
  ofFleet: number;
  ofGateway: number;
}

function simulate(file: NodeFile, folder: string, signal: AbortSignal): Simulated {
  const { gateway, key } = file;
  const device = deviceFrom(key);
  if (device === null || !('via' in gateway) || gateway.via !== 'nats')
    throw new Error('it is not a node of a fleet');
  const { access, certificate } = gateway;
  const node = {
    displayName: file.displayName,
    isThere: false,
    sign: (): void => undefined,
    runs: new Map<number, number>(),
    ofFleet: 0,
    ofGateway: 0,
  };
  const follower = openFollower({
    access,
    device,
    keeper: gateway.key,
    path: join(folder, `${file.id}.json`),
    uid,
    clock: systemClock,
    lockOut: async () => Promise.resolve(void (node.ofFleet += 1)),
    onGateways: () => undefined,
    note: () => undefined,
  });
  const dial = async (): Promise<Dialled> => {
    const connection = await connectFleet(access);
    void follower.attach(connection);
    const stream = await openNodeStream(connection, access);
    return dialThrough({ certificate, clock: systemClock, signal, stream });
  };
  const start = (): void =>
    void stayAtGateway<ToNodeFrame, ToGatewayFrame>({
      node: { file, device },
      gateway: { key: gateway.key, address: null },
      isFinal: ({ isFinal }) => isFinal,
      dial,
      clock: systemClock,
      nonce: () => 'n'.repeat(43),
      random: Math.random,
      check: checkAtNode,
      state: () => ({ version: '1', policyHash: null }),
      reporter: {
        read: () => ({ locked: false, gateways: [] }),
        onChange: (told) => {
          node.sign = told;
          return () => undefined;
        },
      },
      onLink: (link) =>
        link.onFrame((frame) => {
          if (frame.type === 'run') {
            const { run, digest } = frame;
            node.runs.set(run, (node.runs.get(run) ?? 0) + 1);
            link.send({ type: 'started', run, digest });
            link.send({ type: 'end', run, digest, end: { kind: 'done', outcome: ran } });
          }
          if (frame.type !== 'lockout') return;
          node.ofGateway += 1;
          link.send({ type: 'locked', order: frame.order });
        }),
      onStanding: ({ connected }) => {
        node.isThere = connected;
      },
      signal,
    });
  return Object.assign(node, { start });
}

/** Lets them come, a few at a time, as machines do that are not started by one hand. */
async function comeAll(nodes: readonly Simulated[]): Promise<void> {
  for (let at = 0; at < nodes.length; at += atOnce) {
    const some = nodes.slice(at, at + atOnce);
    for (const { start } of some) start();
    await until(() => some.every(({ isThere }) => isThere));
  }
}

const output = { stdout: '', stderr: '', truncated: false, tail: '' };
const ran = { kind: 'ran', exitCode: 0, signal: null, durationMs: 1, ...output } as const;

const [signsAnHour, runsAnHour] = [240, 12];

/** Rejects where a run was sent twice, or has no end. */
async function anHour(
  socketPath: string,
  nodes: readonly Simulated[],
): Promise<Omit<Hour, 'spent'>> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const at = { socketPath, agent };
  const since = performance.now();
  try {
    for (let sign = 0; sign < signsAnHour; sign += 1) {
      for (const node of nodes) node.sign();
      await delay(1);
      if (sign % (signsAnHour / runsAnHour) !== 0) continue;
      for (let from = 0; from < nodes.length; from += atOnce)
        await Promise.all(
          nodes
            .slice(from, from + atOnce)
            .map(async ({ displayName: node }) =>
              post(at, '/v1/exec', '"finished"', { host: 'node', node }),
            ),
        );
    }
  } finally {
    agent.destroy();
  }
  const elapsedMs = performance.now() - since;
  const sent = nodes.flatMap(({ runs }) => [...runs.values()]);
  const runs = nodes.length * runsAnHour;
  if (sent.length !== runs || sent.some((times) => times !== 1))
    throw new Error('a run was not sent once');
  return { signs: nodes.length * signsAnHour, runs, elapsedMs };
}

/** `interlock fleet lockout`, as its command tells the fleet. */
async function fleetLockout(
  { gateway, fleet, nodes }: Machines,
  simulated: readonly Simulated[],
): Promise<Lockout> {
  const paths = homePaths(gateway.env);
  const keys = new Map(
    nodes.map(({ id, key }) => [id, deviceFrom(key)?.publicKey ?? null] as const),
  );
  const connection = await connectFleet(accessOf(fleet));
  try {
    const device = openDevice(paths.nodesDevice, uid);
    const control = await openControl(connection, {
      device,
      keeper: device.publicKey,
      keyOf: (id) => keys.get(id) ?? null,
      clock: systemClock,
      path: paths.fleetTold,
      uid,
    });
    const ticked = new Set<string>();
    control.onTick(({ id, lockout }) => {
      if (lockout > 0) ticked.add(id);
    });
    const since = performance.now();
    const telling = control.tell('lockout', '{"locked":true,"reason":"benchmark"}', null);
    await until(() => simulated.every(({ ofFleet }) => ofFleet > 0));
    const lockedMs = performance.now() - since;
    await until(() => ticked.size === simulated.length);
    const knownMs = performance.now() - since;
    await telling;
    return { lockedMs, knownMs };
  } finally {
    await connection.close();
  }
}

/** `interlock lockout` at the gateway, which locks its nodes, too. */
async function gatewayLockout(
  gate: ReturnType<typeof runnerClient>,
  simulated: readonly Simulated[],
): Promise<Lockout> {
  const since = performance.now();
  const locking = gate.lockout('benchmark');
  await until(() => simulated.every(({ ofGateway }) => ofGateway > 0));
  const lockedMs = performance.now() - since;
  await locking;
  for (;;) {
    const { nodes } = await gate.nodes();
    if (nodes.every(({ lockout }) => lockout === 'locked')) break;
    await delay(2);
  }
  return { lockedMs, knownMs: performance.now() - since };
}

/** A line of what many nodes need, computed from what few have cost. */
export interface Need {
  readonly what: string;
  readonly amount: string;
}

/** How many nodes one gateway takes, by its registry. */
const nodesOfGateway = 500;

/** What so many nodes need, on paper: each figure of one node, so many times. */
export function needsOf(nodes: number, measured: FleetFigures): readonly Need[] {
  const GiB = (kiB: number): string => `${((kiB * nodes) / 1024 / 1024).toFixed(1)} GiB`;
  const processors = (micros: number): string => ((micros * nodes) / 1e6).toFixed(1);
  const { idle, hour, connecting, gatewayKiB, natsKiB, lockoutNatsMicros } = measured;
  const gateways = Math.ceil(nodes / nodesOfGateway);
  const seconds = (micros: number): string => `${((micros * nodes) / 1e6).toFixed(0)} s`;
  return [
    { what: 'gateways, as many as their registries need', amount: gateways.toLocaleString('en') },
    { what: 'memory of all gateways, for their links', amount: GiB(gatewayKiB) },
    { what: 'memory of nats-server, for its connections', amount: GiB(natsKiB) },
    { what: 'processors of all gateways, signs of life', amount: processors(idle.gateway) },
    { what: 'processors of nats-server, signs of life', amount: processors(idle.nats) },
    {
      what: 'processors of all gateways, a run each five minutes too',
      amount: processors(hour.spent.gateway / 3_600),
    },
    { what: 'processors of nats-server, the same', amount: processors(hour.spent.nats / 3_600) },
    { what: 'processor time of all gateways, all come anew', amount: seconds(connecting.gateway) },
    { what: 'processor time of nats-server, all come anew', amount: seconds(connecting.nats) },
    { what: 'processor time of nats-server, one lockout', amount: seconds(lockoutNatsMicros) },
  ];
}
