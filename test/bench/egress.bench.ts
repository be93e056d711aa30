import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { firstLine, startOthers } from './egress-others.ts';
import { processorMicros } from './runner-process.ts';

/** One way to the same server. */
export interface EgressFigures {
  readonly way: string;
  readonly requestsPerSecond: number;
  /** Of client, server and proxy together, in microseconds: what a busy machine does not change. */
  readonly processorUs: number;
  /** Median of a new connection with one request, in milliseconds. */
  readonly firstMs: number;
  readonly megabytesPerSecond: number;
  /** Most memory of the proxy while the bytes went through, over what it had before; MiB. */
  readonly grownMiB: number | null;
}

interface Part {
  readonly child: ChildProcess;
  readonly port: number;
  readonly certificate: string;
}

interface Measuring {
  readonly seconds: number;
  readonly bytes: number;
  readonly rounds: number;
  /** Is told why a proxy of others was not measured; null where they are not wanted. */
  readonly others: ((why: string) => void) | null;
}

interface Way {
  readonly way: string;
  readonly open: Open;
  readonly pid: number | null;
}

/** Direct, through a tunnel, and looked into, by ours and by others: all encrypted, in turns, from one run. */
export async function measureEgress(
  dist: string,
  { seconds, bytes, rounds, others }: Measuring,
): Promise<readonly EgressFigures[]> {
  const program = join(dist, 'test', 'bench', 'egress-part.js');
  const parts: ChildProcess[] = [];
  try {
    const server = await start(program, parts, 'server');
    const { port, certificate } = server;
    const more = [String(port), certificate];
    const tunnel = await start(program, parts, 'tunnel', ...more);
    const intercepted = await start(program, parts, 'intercepted', ...more);
    const secret = await start(program, parts, 'secret', ...more);
    const target = 'bench.example:443';
    const ways: Way[] = [
      { way: 'direct', open: opener(port, null, certificate), pid: null },
      {
        way: 'tunnel',
        open: opener(tunnel.port, target, certificate),
        pid: pidOf(tunnel.child),
      },
      {
        way: 'looked into',
        open: opener(intercepted.port, target, intercepted.certificate),
        pid: pidOf(intercepted.child),
      },
    ];
    ways.push({
      way: 'with a secret, looked into',
      open: opener(secret.port, target, secret.certificate),
      pid: pidOf(secret.child),
    });
    const foreign = others === null ? [] : await startOthers(server, parts, others);
    for (const other of foreign) {
      const open = opener(other.port, other.target, other.certificate ?? certificate);
      ways.push({ way: other.way, open, pid: pidOf(other.child) });
    }
    return await inTurns(ways, pidOf(server.child), { seconds, bytes, rounds });
  } finally {
    for (const child of parts) child.kill();
  }
}

async function inTurns(
  ways: readonly Way[],
  serverPid: number,
  { seconds, bytes, rounds }: Omit<Measuring, 'others'>,
): Promise<readonly EgressFigures[]> {
  for (const each of ways) await checked(each);
  const kept = ways.map(() => ({
    rates: [] as number[],
    processor: [] as number[],
    firsts: [] as number[],
    speeds: [] as number[],
    grown: 0,
  }));
  for (let round = 0; round < rounds; round += 1)
    for (let turn = 0; turn < ways.length; turn += 1) {
      // Back and forth, from another one each round: what the one before leaves to collect is nobody's own.
      const index = (round + (round % 2 === 0 ? turn : ways.length - turn)) % ways.length;
      const [one, way] = [kept[index], ways[index]];
      if (one === undefined || way === undefined) continue;
      const { open, pid } = way;
      const parts = [process.pid, serverPid, ...(pid === null ? [] : [pid])];
      const used = processorMicros(parts);
      const perSecond = await rate(open, seconds);
      one.rates.push(perSecond);
      one.processor.push((processorMicros(parts) - used) / (perSecond * seconds));
      one.firsts.push(await first(open));
      const before = memoryOf(pid);
      const watch = setInterval(() => {
        one.grown = Math.max(one.grown, memoryOf(pid) - before);
      }, 50);
      one.speeds.push(await speed(open, bytes));
      clearInterval(watch);
    }
  return ways.map(({ way, pid }, index) => ({
    way,
    requestsPerSecond: median(kept[index]?.rates ?? []),
    processorUs: median(kept[index]?.processor ?? []),
    firstMs: median(kept[index]?.firsts ?? []),
    megabytesPerSecond: median(kept[index]?.speeds ?? []),
    grownMiB: pid === null ? null : (kept[index]?.grown ?? 0),
  }));
}

type Open = () => Promise<TLSSocket>;

async function start(
  program: string,
  parts: ChildProcess[],
  ...args: readonly string[]
): Promise<Part> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  parts.push(child);
  const line = await firstLine(child);
  if (line === null) throw new Error(`${args[0] ?? ''} ended before it listened`);
  return { child, ...(JSON.parse(line) as Omit<Part, 'child'>) };
}

function pidOf({ pid }: ChildProcess): number {
  return pid ?? -1;
}

/** Connections to the server that listens there; through the proxy there where it is asked for a target. */
function opener(port: number, target: string | null, ca: string): Open {
  return async () => {
    const socket = await plain(port);
    if (target !== null) {
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
      const said = await new Promise((resolve) => {
        socket.once('data', resolve);
        socket.once('close', () => resolve('nothing'));
      });
      if (!String(said).startsWith('HTTP/1.1 200 ')) throw new Error(`no tunnel: ${String(said)}`);
    }
    return new Promise((resolve, reject) => {
      const secure = connectTls({ socket, servername: 'bench.example', ca });
      secure.once('secureConnect', () => resolve(secure));
      secure.once('error', reject);
    });
  };
}

async function plain(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.setNoDelay(true);
  await new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return socket;
}

/** Requests a second over sixteen connections that stay. */
async function rate(open: Open, seconds: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: 16 }, open));
  let done = 0;
  const begun = performance.now();
  const end = begun + seconds * 1_000;
  await Promise.all(
    sockets.map(async (socket) => {
      const agent = agentOf(socket);
      while (performance.now() < end) {
        await fetched(agent, '/');
        done += 1;
      }
      agent.destroy();
      socket.destroy();
    }),
  );
  return (done * 1_000) / (performance.now() - begun);
}

/** That what is looked into has its header set, and nothing else: or it is not the same work. */
async function checked({ way, open }: Way): Promise<void> {
  const socket = await open();
  const agent = agentOf(socket);
  const isSet = (await fetched(agent, '/authorization')) > 0;
  agent.destroy();
  socket.destroy();
  if (isSet !== way.endsWith('looked into'))
    throw new Error(`${way}: the header is not as it should be`);
}

async function first(open: Open): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 50; index += 1) {
    const begun = performance.now();
    const socket = await open();
    const agent = agentOf(socket);
    await fetched(agent, '/');
    times.push(performance.now() - begun);
    agent.destroy();
    socket.destroy();
  }
  return median(times);
}

async function speed(open: Open, bytes: number): Promise<number> {
  const socket = await open();
  const agent = agentOf(socket);
  const begun = performance.now();
  const got = await fetched(agent, `/bytes/${String(bytes)}`);
  if (got !== bytes) throw new Error(`${String(got)} bytes came, not ${String(bytes)}`);
  const took = performance.now() - begun;
  agent.destroy();
  socket.destroy();
  return bytes / 1_000 / took;
}

/** An agent that has this one connection. */
function agentOf(socket: TLSSocket): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = () => socket;
  return agent;
}

async function fetched(agent: Agent, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, path, headers: { host: 'bench.example' } }, (res) => {
      let bytes = 0;
      res.on('data', (chunk: Buffer) => (bytes += chunk.length));
      res.on('end', () => resolve(bytes));
      res.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

function memoryOf(pid: number | null): number {
  if (pid === null) return 0;
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/mu.exec(status)?.[1] ?? 0) / 1024;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}
