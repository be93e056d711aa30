import { spawnSync } from 'node:child_process';
import { Agent } from 'node:http';
import { hasNatsServer, hasSshd, startSshServer } from '../support/servers.ts';
import { socketOf, startMachines, startNode, ways } from './machines.ts';
import type { Way } from './machines.ts';
import { processorMicros } from './runner-process.ts';
import { timed } from './spawn.ts';
import { post, quantile } from './throughput.bench.ts';

/** What 1,000 runs cost that are spread over machines, or none. */
export interface FanOut {
  readonly where: string;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Microseconds of the gateway's processor time for each. */
  readonly gatewayMicros: number;
}

/** One command, one at a time. Medians, in milliseconds. */
export interface Latency {
  readonly way: string;
  readonly ms: number;
  /** More than the same without the other machine. */
  readonly addedMs: number;
}

/** Null where this machine lacks nats-server or sshd. */
export async function measureNodes(
  dist: string,
  { runs, atOnce, rounds }: { readonly runs: number; readonly atOnce: number; rounds: number },
): Promise<{ readonly fanOut: readonly FanOut[]; readonly latency: readonly Latency[] } | null> {
  if (!hasNatsServer || !hasSshd) return null;
  const machines = await startMachines(dist, { WebSocket: 5, NATS: 5 });
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const at = { socketPath: socketOf(machines.gateway), agent };
  const started: { readonly stop: () => Promise<void> }[] = [];
  const namesOf = (way: Way): readonly string[] =>
    machines.nodes.flatMap(({ displayName }) =>
      displayName.startsWith(way.toLowerCase()) ? [displayName] : [],
    );
  const run = async (node: string | undefined): Promise<void> =>
    post(at, '/v1/exec', '"finished"', node === undefined ? {} : { host: 'node', node });
  try {
    for (const file of machines.nodes) started.push(await startNode(dist, file));
    await allThere(run, machines.nodes);
    const fanOut: FanOut[] = [];
    const places = [['this machine', [undefined]] as const].concat(
      ways.map((way) => [`five nodes, ${way}`, namesOf(way)] as never),
    );
    for (const [where, names] of places) {
      const before = processorMicros([machines.gateway.pid]);
      const since = performance.now();
      const times = await spread(runs, atOnce, async (n) => run(names[n % names.length]));
      const elapsed = performance.now() - since;
      const spent = processorMicros([machines.gateway.pid]) - before;
      const sorted = times.toSorted((a, b) => a - b);
      fanOut.push({
        where,
        perSecond: (runs * 1000) / elapsed,
        medianMs: quantile(sorted, 0.5),
        p99Ms: quantile(sorted, 0.99),
        gatewayMicros: spent / runs,
      });
    }
    const [web, nats] = ways.map((way) => namesOf(way)[0]);
    const latency = await latencies(rounds, {
      here: async () => run(undefined),
      web: async () => run(web),
      nats: async () => run(nats),
    });
    return { fanOut, latency };
  } finally {
    agent.destroy();
    for (const { stop } of started) await stop();
    await machines.stop();
  }
}

/** Waits until each has run something. */
async function allThere(
  run: (node: string) => Promise<void>,
  nodes: readonly { readonly displayName: string }[],
): Promise<void> {
  for (const { displayName } of nodes)
    for (let turn = 0; ; turn += 1) {
      const failure = await run(displayName).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure === null) break;
      if (turn > 200) throw new Error(`${displayName} did not come`, { cause: failure });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

/** So many in all, so many at once; what each took. */
async function spread(
  count: number,
  atOnce: number,
  once: (n: number) => Promise<void>,
): Promise<readonly number[]> {
  const times: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let n = next; n < count; n = next) {
      next += 1;
      const since = performance.now();
      await once(n);
      times.push(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return times;
}

/** Each way once a round, so that what else the machine does falls on all. */
async function latencies(
  rounds: number,
  run: Readonly<Record<'here' | 'web' | 'nats', () => Promise<void>>>,
): Promise<readonly Latency[]> {
  const { config, dispose } = await startSshServer(null);
  const ssh = (...options: readonly string[]): number =>
    timed('/usr/bin/ssh', ['-F', config, ...options, 'build', 'true'], process.env);
  const clock = async (once: () => Promise<void>): Promise<number> => {
    const since = performance.now();
    await once();
    return performance.now() - since;
  };
  const all: Readonly<Record<string, () => Promise<number>>> = {
    bare: async () => Promise.resolve(timed('/usr/bin/true', [], process.env)),
    ssh: async () => Promise.resolve(ssh()),
    master: async () => Promise.resolve(ssh('-oControlMaster=no')),
    here: async () => clock(run.here),
    web: async () => clock(run.web),
    nats: async () => clock(run.nats),
  };
  const taken = new Map<string, number[]>();
  try {
    const master = ['-F', config, '-oControlMaster=yes', '-fN', 'build'];
    for (let round = 0; round <= rounds; round += 1)
      for (const [way, once] of Object.entries(all)) {
        // A connection that stands from here on is for the one way alone.
        if (way === 'master') spawnSync('/usr/bin/ssh', master);
        const ms = await once();
        if (way === 'master') spawnSync('/usr/bin/ssh', ['-F', config, '-Oexit', 'build']);
        // The first of each fills caches.
        if (round > 0) taken.set(way, [...(taken.get(way) ?? []), ms]);
      }
  } finally {
    await dispose();
  }
  const median = (way: string): number =>
    quantile(
      (taken.get(way) ?? []).toSorted((a, b) => a - b),
      0.5,
    );
  const row = (name: string, way: string, without: string): Latency => ({
    way: name,
    ms: median(way),
    addedMs: median(way) - median(without),
  });
  return [
    row('true, by itself', 'bare', 'bare'),
    row('ssh, a connection for each', 'ssh', 'bare'),
    row('ssh, over a connection that stands', 'master', 'bare'),
    row('the gate of this machine', 'here', 'here'),
    row('a node, WebSocket', 'web', 'here'),
    row('a node, NATS', 'nats', 'here'),
  ];
}
