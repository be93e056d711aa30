import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fetchProgram } from '../agents/support/programs/fetch.ts';
import type { Pin } from '../agents/support/programs/fetch.ts';

/** Somebody else's proxy that was started, and how a client comes through it. */
export interface OtherProxy {
  readonly way: string;
  readonly child: ChildProcess;
  readonly port: number;
  /** What signs the certificates that a client sees; null where those are the server's own. */
  readonly certificate: string | null;
  /** Whom a client asks the proxy for. */
  readonly target: string;
}

/** Where all proxies forward to. */
export interface Upstream {
  readonly port: number;
  readonly certificate: string;
}

interface NodeProxy {
  readonly pin: Pin;
  /** Which Node it runs on: ours, or the newer one that was fetched with it. */
  readonly newerNode: string | null;
  readonly driver: string;
}

const newerNode = `node-${process.platform}-${process.arch}`;

/** As ours is given a dial of its own: bench.example is the local server, nobody asks for its address. */
const redirected = `
  import { Socket } from 'node:net';
  const [library, role, upstream, roots] = process.argv.slice(1);
  const plain = Socket.prototype.connect;
  Socket.prototype.connect = function (...args) {
    const [options, done] = Array.isArray(args[0]) ? args[0] : args;
    if (options?.host !== 'bench.example') return plain.apply(this, args);
    return plain.call(this, { ...options, host: '127.0.0.1', port: Number(upstream) }, done);
  };
  const tell = (port, certificate) => process.stdout.write(JSON.stringify({ port, certificate }) + '\\n');
`;

const nodeProxies: readonly NodeProxy[] = [
  {
    pin: {
      name: 'mockttp',
      version: '4.6.5',
      package: 'mockttp',
      program: 'mockttp/dist/main.js',
    },
    newerNode: null,
    driver: `${redirected}
      const { generateCACertificate, getLocal } = (await import(library)).default;
      const https = await generateCACertificate();
      const server = getLocal({ recordTraffic: false, suggestChanges: false,
        https: role === 'tunnel' ? { ...https, tlsPassthrough: [{ hostname: 'bench.example' }] } : https });
      await server.forAnyRequest().thenPassThrough({
        transformRequest: { updateHeaders: { authorization: 'x' } } });
      await server.start();
      tell(server.port, https.cert);`,
  },
  {
    pin: {
      name: 'sandbox-runtime',
      version: '0.0.83',
      package: '@anthropic-ai/sandbox-runtime',
      program: '@anthropic-ai/sandbox-runtime/dist/index.js',
      besides: [`${newerNode}@22.20.0`],
    },
    newerNode: `../../../${newerNode}/bin/node`,
    driver: `${redirected}
      const { createHttpProxyServer } = await import(new URL('sandbox/http-proxy.js', 'file://' + library));
      const { createMitmCA, disposeMitmCA } = await import(new URL('sandbox/mitm-ca.js', 'file://' + library));
      const ca = role === 'tunnel' ? undefined : createMitmCA({});
      process.once('SIGTERM', async () => {
        if (ca !== undefined) await disposeMitmCA(ca);
        process.exit(0);
      });
      const server = createHttpProxyServer({
        filter: async (port, host) => port === 443 && host === 'bench.example',
        mitmCA: ca, tlsTerminateUpstreamCA: roots,
        mutateHeaders: (headers) => { headers.authorization = 'x'; } });
      server.listen(0, '127.0.0.1', () => tell(server.address().port, ca?.certPem ?? null));`,
  },
];

/**
 * Starts the proxies that ours is held against, each as a process of its own: those of the registry
 * are fetched into the cache, squid is taken where the system has it. Says which could not be had.
 * Each process is put among the parts, which the caller ends.
 */
export async function startOthers(
  upstream: Upstream,
  parts: ChildProcess[],
  say: (why: string) => void,
): Promise<readonly OtherProxy[]> {
  const started: OtherProxy[] = [];
  // Named to mockttp as one more authority, it has to compare all of them at each request.
  const folder = mkdtempSync(join(tmpdir(), 'il-bench-roots-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const extra = join(folder, 'roots.pem');
  writeFileSync(extra, upstream.certificate);
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: extra };
  for (const proxy of nodeProxies) {
    const found = fetchProgram(proxy.pin, true);
    if (!found.ok) {
      say(`${proxy.pin.name} was not measured: ${found.why}`);
      continue;
    }
    const { newerNode: newer } = proxy;
    const node = newer === null ? process.execPath : join(dirname(found.path), newer);
    for (const role of ['tunnel', 'looked into']) {
      const { port, certificate: roots } = upstream;
      const words = [
        '--input-type=module',
        '-e',
        proxy.driver,
        found.path,
        role,
        String(port),
        roots,
      ];
      const child = spawn(node, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      parts.push(child);
      const told = await firstLine(child);
      if (told === null) {
        say(`${proxy.pin.name}, ${role}, was not measured: it ended`);
        continue;
      }
      const { port: own, certificate } = JSON.parse(told) as OtherProxy;
      started.push({
        way: `${proxy.pin.name}, ${role}`,
        child,
        port: own,
        certificate: role === 'tunnel' ? null : certificate,
        target: 'bench.example:443',
      });
    }
  }
  const squid = programOnPath('squid', process.env['PATH'] ?? '');
  if (squid === null) say('squid was not measured: it is not installed');
  else {
    const proxy = await startSquid(squid, upstream.port, parts);
    if (proxy === null) say('squid was not measured: it did not come up');
    else started.push(proxy);
  }
  return started;
}

/** The first line that a process says; null where it ends before. */
export async function firstLine(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text);
    });
    child.once('error', () => resolve(null));
    child.once('close', () => resolve(null));
  });
}

/** What squid is told: to tunnel for this machine and keep nothing. */
export function squidConfig(port: number, folder: string): string {
  return [
    `http_port 127.0.0.1:${String(port)}`,
    'acl local src 127.0.0.1',
    'http_access allow local',
    'http_access deny all',
    `hosts_file ${join(folder, 'hosts')}`,
    'cache deny all',
    'access_log none',
    'cache_log /dev/null',
    'cache_store_log none',
    'pid_filename none',
    'pinger_enable off',
    'shutdown_lifetime 0 seconds',
    `coredump_dir ${folder}`,
    '',
  ].join('\n');
}

/** Where a program of this name is on the path; null where it is not. */
export function programOnPath(name: string, path: string): string | null {
  for (const folder of path.split(delimiter).filter((each) => each !== '')) {
    const program = join(folder, name);
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // The next folder may have it.
    }
  }
  return null;
}

/** In C++, and only as a tunnel. It has no free choice of a port, so it is given one that was free. */
async function startSquid(
  program: string,
  upstream: number,
  parts: ChildProcess[],
): Promise<OtherProxy | null> {
  const folder = mkdtempSync(join(tmpdir(), 'il-bench-squid-'));
  // Started by root it gives root up, and still reads its hosts.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const config = join(folder, 'squid.conf');
  writeFileSync(join(folder, 'hosts'), '127.0.0.1 bench.example\n');
  writeFileSync(config, squidConfig(port, folder));
  const child = spawn(program, ['-N', '-f', config], { stdio: 'ignore' });
  parts.push(child);
  const ended = new Promise<boolean>((resolve) => {
    const gone = (): void => {
      rmSync(folder, { recursive: true, force: true });
      resolve(true);
    };
    child.once('error', gone);
    child.once('close', gone);
  });
  for (let look = 0; look < 100; look += 1) {
    if (await Promise.race([ended, delay(100, false)])) return null;
    if (await answers(port))
      return {
        way: 'squid, tunnel',
        child,
        port,
        certificate: null,
        target: `bench.example:${String(upstream)}`,
      };
  }
  return null;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
