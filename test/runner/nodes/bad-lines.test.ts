import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../../../shared/base/index.ts';
import { ownUid, systemClock } from '../../../shared/home/index.ts';
import type { HomePaths } from '../../../shared/home/index.ts';
import type { RunEnd, NodeOutcome } from '../../../shared/wire/index.ts';
import type { ToGatewayFrame, ToNodeFrame } from '../../../shared/wire/index.ts';
import type { Gate } from '../../../runner/gate/gate.ts';
import { parseAddress } from '../../../runner/nodes/address.ts';
import { readAccess } from '../../../runner/fleet/files.ts';
import { createFleet, newAccess, serverConfig } from '../../../runner/fleet/keys.ts';
import { connectFleet, openNodeStream } from '../../../runner/fleet/streams.ts';
import { dial, dialThrough } from '../../../runner/nodes/dial.ts';
import { checkAtGateway, openGatewayDesk } from '../../../runner/nodes/gateway-runs.ts';
import type { GatewayDesk } from '../../../runner/nodes/gateway-runs.ts';
import { checkAtNode, openNodeDesk } from '../../../runner/nodes/node-runs.ts';
import type { NodeDesk } from '../../../runner/nodes/node-runs.ts';
import type { NodeTraffic } from '../../../runner/service/nodes.ts';
import { badLine } from '../../support/bad-line.ts';
import { natsServer } from '../../support/nats-server.ts';
import { nodesHome, pairHomes } from '../../support/nodes-home.ts';
import { freePort, hasNatsServer, until } from '../../support/servers.ts';
import { noAsks, task } from '../../support/node-task.ts';

const uid = ownUid();
const signal = new AbortController().signal;
const how = { certificate: null, clock: systemClock, signal };
type Traffic = NodeTraffic<ToGatewayFrame, ToNodeFrame>;

/** Waits are a tenth as long, and the two machines are half an hour apart. */
const clockOf = (apartMs: number): Clock => ({
  now: () => systemClock.now() + apartMs,
  elapsed: () => systemClock.elapsed(),
  after: (ms, run) => systemClock.after(ms / 10, run),
});

/** The same numbers each time, from 0 up to 1. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A gateway that has runs carried out, and a machine that counts them. */
function twoMachines(listen: string | null) {
  const begun = new Map<string, number>();
  const told: string[] = [];
  const opened: { desk?: GatewayDesk; there?: NodeDesk } = {};
  const note = (code: string): void => void told.push(code);
  const fail = (): never => {
    throw new Error('this side is not asked');
  };
  const atGateway = (paths: HomePaths): Traffic => {
    const clock = clockOf(0);
    mkdirSync(paths.gatewayRuns, { recursive: true });
    const desk = openGatewayDesk({
      asks: noAsks.there,
      directory: paths.gatewayRuns,
      uid,
      clock,
      note,
      onLate: () => note('late'),
      isTold: () => new Set(),
      onConnected: () => undefined,
      onLocked: () => undefined,
      onPolicy: () => undefined,
      onEndOf: () => undefined,
    });
    opened.desk = desk;
    const onNode: Traffic['onNode'] = (link, pairing) => desk.connected(link, pairing);
    return {
      checkAtGateway,
      checkAtNode,
      onNode,
      onGateway: fail,
      onGateways: fail,
      onGatewayState: fail,
      onRemoved: fail,
    };
  };
  const exec: Gate['exec'] = async (incoming, io) => {
    incoming.starting?.();
    const id = incoming.from?.id ?? '';
    begun.set(id, (begun.get(id) ?? 0) + 1);
    await io.emit({ type: 'stdout', id, data: id.repeat(2_000), encoding: 'utf8' });
    const outcome = { ending: 'exited', exitCode: 0, signal: null } as const;
    const output = { stdout: '', stderr: '', truncated: false, tail: '' };
    return { ok: true, id, outcome, durationMs: 1, output };
  };
  const atNode = (paths: HomePaths): Traffic => {
    mkdirSync(paths.nodeRuns, { recursive: true });
    const there = openNodeDesk({
      asks: noAsks.own,
      directory: paths.nodeRuns,
      uid,
      clock: clockOf(0),
      exec,
      note,
      lock: async () => undefined,
      policy: async () => ({ kind: 'conflict' }),
    });
    opened.there = there;
    const onGateway: Traffic['onGateway'] = (link, pairing) => there.connected(link, pairing);
    const onGatewayState = (): void => undefined;
    return {
      checkAtGateway,
      checkAtNode,
      onNode: fail,
      onGateway,
      onGateways: (ids, pairing) => there.gateways(ids, pairing),
      onGatewayState,
      onRemoved: fail,
    };
  };
  const desk = nodesHome<ToGatewayFrame, ToNodeFrame>(listen, {
    traffic: atGateway,
    clock: clockOf(0),
  });
  const build = nodesHome<ToGatewayFrame, ToNodeFrame>(null, {
    traffic: atNode,
    clock: clockOf(-30 * 60_000),
  });
  onTestFinished(() => opened.desk?.dispose());
  const ask = async (id: string): Promise<RunEnd<NodeOutcome>> => {
    const [node] = desk.nodes.body().nodes;
    if (opened.desk === undefined || node === undefined) throw new Error('nothing is open');
    return opened.desk.run(
      node.id,
      { ...task, id },
      { signal, session: null, started: () => undefined },
    );
  };
  return { desk, build, ask, begun, told };
}

type Machines = ReturnType<typeof twoMachines>;

/** Asks for so many runs, as long as the line is bad, and then lets it behave. */
async function runOver(
  { ask, desk, build, begun, told }: Machines,
  line: Awaited<ReturnType<typeof badLine>>,
): Promise<void> {
  const ends: Promise<RunEnd<NodeOutcome>>[] = [];
  const isThere = (): boolean => desk.nodes.body().nodes[0]?.online === true;
  for (let n = 0; n < 40; n += 1) {
    await until(isThere);
    const end = ask(`g${String(n)}`);
    // The line may break in this very moment: then it was never asked for.
    ends.push(end.catch(() => ({ kind: 'never-started' }) as const));
    if (n % 3 === 0) await Promise.race([end.catch(() => undefined), until(() => !isThere())]);
  }
  line.behave();
  const all = await Promise.all(ends);
  expect(all).toHaveLength(40);
  all.forEach((end, n) => {
    const id = `g${String(n)}`;
    // Both sides say the same of it, and it was not begun twice.
    expect([end.kind, begun.get(id) ?? 0]).toEqual(
      end.kind === 'done' ? ['done', 1] : [end.kind, 0],
    );
    if (end.kind === 'done') expect(end.outcome.stdout).toBe(id.repeat(2_000));
  });
  expect(all.filter(({ kind }) => kind === 'done').length).toBeGreaterThan(20);
  // Nobody was taken for somebody who says what is not so.
  expect(told).toEqual([]);
  expect(line.seen.size).toBeGreaterThan(1);
  expect(build.nodes.body().own?.given).toBe(false);
}

it('runs each command once over a line that cuts, loses, repeats, spoils, halves, delays and reorders', async () => {
  const machines = twoMachines('127.0.0.1:0');
  const { desk, build } = machines;
  await desk.nodes.apply();
  const address = parseAddress(desk.nodes.body().listening ?? '');
  const line = await badLine(() => address.port, { random: numbers(20_261_124), rate: 0.03 });
  await pairHomes(await dial({ ...address, ...how }), desk, build, {
    host: '127.0.0.1',
    port: line.port,
  });
  await build.nodes.apply();
  await runOver(machines, line);
}, 60_000);

it.skipIf(!hasNatsServer)(
  'does so through a nats-server, too, though its protocol breaks as well',
  async () => {
    const machines = twoMachines(null);
    const { desk, build } = machines;
    const port = await freePort();
    const line = await badLine(() => port, { random: numbers(20_261_124), rate: 0.1 });
    const [straight, bad] = [port, line.port].map((each) => [`nats://127.0.0.1:${String(each)}`]);
    const made = { uid, name: 'test', now: 1_700_000_000_000, servers: straight ?? [], ca: null };
    const fleet = createFleet(desk.paths.fleet, made);
    await natsServer(serverConfig(fleet));
    await desk.nodes.apply();
    await until(() => desk.nodes.body().problem === null);
    const file = join(desk.paths.home, 'build.json');
    writeFileSync(file, newAccess(fleet, { name: 'build', now: made.now }).text, { mode: 0o600 });
    const access = readAccess(file, uid);
    const stream = await openNodeStream(await connectFleet(access), access);
    await pairHomes(await dialThrough({ ...how, stream }), desk, build, {
      via: 'nats',
      access: { ...access, servers: bad ?? [] },
    });
    await build.nodes.apply();
    await runOver(machines, line);
  },
  60_000,
);
