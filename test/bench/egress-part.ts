import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTls } from 'node:tls';
import { compileEgress, defaultEgress } from '../../shared/engine/index.ts';
import { ownUid, systemClock } from '../../shared/home/index.ts';
import { openAuthority } from '../../runner/egress/authority.ts';
import { createEgressProxy } from '../../runner/egress/proxy.ts';

/** A process of the measurement: the server, or the proxy, each on its own. Says where it listens. */
const [role = '', upstream = '0', roots = ''] = process.argv.slice(2);

const authority = await ownAuthority();
if (role === 'server') tell(await serve(), authority.certificate);
else tell(await proxy(role), authority.certificate);

async function ownAuthority() {
  const folder = mkdtempSync(join(tmpdir(), 'il-bench-'));
  const made = await openAuthority({
    path: join(folder, 'ca.pem'),
    uid: ownUid(),
    now: () => Date.now(),
  });
  rmSync(folder, { recursive: true });
  return made;
}

function tell(port: number, certificate: string): void {
  process.stdout.write(`${JSON.stringify({ port, certificate })}\n`);
}

async function serve(): Promise<number> {
  const context = await authority.contextFor('bench.example');
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const http = createHttp((req, res) => {
    if (req.url === '/authorization') {
      res.end(req.headers.authorization ?? '');
      return;
    }
    const bytes = Number(/^\/bytes\/(\d+)$/u.exec(req.url ?? '')?.[1] ?? 0);
    if (bytes === 0) {
      res.setHeader('content-length', 100);
      res.end(chunk.subarray(0, 100));
      return;
    }
    res.setHeader('content-length', bytes);
    let left = bytes;
    const more = (): void => {
      while (left > 0) {
        const part = chunk.subarray(0, Math.min(left, chunk.length));
        left -= part.length;
        if (!res.write(part)) break;
      }
      if (left === 0) res.end();
    };
    res.on('drain', more);
    more();
  });
  http.keepAliveTimeout = 60_000;
  const server = createTls({ SNICallback: (_name, done) => done(null, context) });
  server.on('secureConnection', (socket) => http.emit('connection', socket));
  return listening(server);
}

/** What is set: nothing in a tunnel, else a word, or a secret, for which answers are looked through. */
function transformsOf(way: string): (typeof defaultEgress)['transforms'] {
  if (way === 'tunnel') return [];
  const authorization = way === 'secret' ? { secret: 'token', prefix: 'Bearer ' } : 'x';
  return [{ host: 'bench.example', set: { authorization } }];
}

async function proxy(way: string): Promise<number> {
  const transforms = transformsOf(way);
  const config = { ...defaultEgress, allow: ['bench.example'], transforms };
  const compiled = compileEgress(config);
  if (!compiled.ok) throw new Error(compiled.problem);
  const settings = {
    policy: compiled.policy,
    requestsPerMinute: 1_000_000_000,
    burst: 1_000_000_000,
    connections: 10_000,
  };
  const made = createEgressProxy({
    clock: systemClock,
    newId: () => '1',
    admit: () => {},
    settings: () => settings,
    resolve: async () => ['8.8.8.8'],
    ownAddresses: () => [],
    dial: (_address, _port, read) =>
      connect({ ...read, host: '127.0.0.1', port: Number(upstream), allowHalfOpen: true }),
    secret: async () => 'tok_0123456789abcdefghij/ABCDEFGHIJ+KLMN',
    authority: async () => authority,
    roots: () => [roots],
    record: { allowed: async () => {}, refused: () => {}, ended: () => {} },
    log: { warn: () => {}, error: () => {} },
  });
  return listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      made.serve(socket, { agent: 'bench', session: null, box: 'bench', cwd: '/' });
    }),
  );
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
