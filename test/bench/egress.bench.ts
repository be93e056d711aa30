import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
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

/** Direct, through a tunnel, and looked into: all encrypted, in turns, from one run. */
export async function measureEgress(
  dist: string,
  { seconds, bytes, rounds }: { seconds: number; bytes: number; rounds: number },
): Promise<readonly EgressFigures[]> {
  const program = join(dist, 'test', 'bench', 'egress-part.js');
  const server = await start(program, 'server');
  const more = [String(server.port), server.certificate];
  const tunnel = await start(program, 'tunnel', ...more);
  const intercepted = await start(program, 'intercepted', ...more);
  const ways: readonly { way: string; open: Open; pid: number | null }[] = [
    { way: 'direct', open: opener(server, null, server.certificate), pid: null },
    { way: 'tunnel', open: opener(server, tunnel, server.certificate), pid: pidOf(tunnel) },
    {
      way: 'looked into',
      open: opener(server, intercepted, intercepted.certificate),
      pid: pidOf(intercepted),
    },
  ];
  try {
    const kept = ways.map(() => ({
      rates: [] as number[],
      processor: [] as number[],
      firsts: [] as number[],
      speeds: [] as number[],
      grown: 0,
    }));
    for (let round = 0; round < rounds; round += 1)
      for (const [index, { open, pid }] of ways.entries()) {
        const one = kept[index];
        if (one === undefined) continue;
        const parts = [process.pid, pidOf(server), ...(pid === null ? [] : [pid])];
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
  } finally {
    for (const { child } of [server, tunnel, intercepted]) child.kill();
  }
}

type Open = () => Promise<TLSSocket>;

async function start(program: string, ...args: readonly string[]): Promise<Part> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text);
    });
  });
  return { child, ...(JSON.parse(line) as Omit<Part, 'child'>) };
}

function pidOf({ child }: Part): number {
  return child.pid ?? -1;
}

function opener(server: Part, proxy: Part | null, ca: string): Open {
  return async () => {
    const socket = await plain(proxy?.port ?? server.port);
    if (proxy !== null) {
      socket.write('CONNECT bench.example:443 HTTP/1.1\r\nHost: bench.example:443\r\n\r\n');
      await new Promise((resolve) => socket.once('data', resolve));
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
