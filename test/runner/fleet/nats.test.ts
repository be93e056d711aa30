import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { refusalOf } from '../../../shared/base/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import { accessOf, readFleet } from '../../../runner/fleet/files.ts';
import type { FleetAccess } from '../../../runner/fleet/files.ts';
import {
  createFleet,
  revokedUsers,
  serverConfig,
  topics,
  withRevoked,
} from '../../../runner/fleet/keys.ts';
import { acceptStreams, connectFleet } from '../../../runner/fleet/streams.ts';
import { readNodeFile, writeNodeFile } from '../../../runner/nodes/node-file.ts';
import { Rejection } from '../../../runner/nodes/talk.ts';
import type { NodeFile } from '../../../runner/nodes/node-file.ts';
import { fleetOfOne } from '../../support/nats-server.ts';
import { nodesHome } from '../../support/nodes-home.ts';
import { hasNatsServer, until } from '../../support/servers.ts';

const uid = ownUid();
const now = 1_700_000_000_000;

/** What nats-server says to a user who does what it may not. */
async function refusedBy(access: FleetAccess, act: (user: Raw) => void): Promise<string[]> {
  const connection = await connectFleet(access);
  onTestFinished(async () => connection.close());
  const told: string[] = [];
  void (async () => {
    for await (const status of connection.status())
      if (status.type === 'error') told.push(status.error.message);
  })();
  act(connection);
  await connection.flush();
  await until(() => told.length > 0);
  return told;
}
type Raw = Awaited<ReturnType<typeof connectFleet>>;

describe.skipIf(!hasNatsServer)('over a real nats-server', () => {
  it('pairs, stays connected, and comes back after the server was killed', async () => {
    const { desk, server, admit, paired } = await fleetOfOne();
    const access = admit('build');
    const build = await paired(access);
    await build.nodes.apply();
    await until(() => desk.heard.length === 1);
    expect(desk.nodes.body()).toMatchObject({
      listening: null,
      problem: null,
      nodes: [{ displayName: 'build', online: true, lastAddress: access.user }],
    });
    await server.kill();
    await until(() => build.nodes.body().own?.connected === false);
    await until(() => desk.nodes.body().problem?.includes('fleet "test"') === true);
    await server.start();
    await until(() => desk.heard.length === 2);
    expect(desk.nodes.body()).toMatchObject({ problem: null, nodes: [{ online: true }] });
    expect(JSON.stringify([desk.nodes.body(), build.nodes.body()])).not.toContain(access.seed);
  }, 20_000);

  it('has a gateway end what it knows nothing of, as after it was killed, and nothing else', async () => {
    const { admit } = await fleetOfOne();
    const own = admit('build');
    const user = await connectFleet(own);
    onTestFinished(async () => user.close());
    const told: string[] = [];
    user.subscribe(topics.down(own.user, '*'), {
      callback: (_, message) => void told.push(`${message.subject} ${message.data.length}`),
    });
    user.publish(topics.up(own.user, 'mine'), 'said to the one before');
    await until(() => told.length > 0);
    // The end of a stream is not answered, or the two would end it for ever.
    user.publish(topics.up(own.user, 'other'));
    user.publish(topics.up(own.user, 'mine'), 'once more');
    await until(() => told.length > 1);
    expect(new Set(told)).toEqual(new Set([`${topics.down(own.user, 'mine')} 0`]));
  });

  it('lets no node speak for another, listen to one, or change what the fleet keeps', async () => {
    const { admit } = await fleetOfOne();
    const [own, other] = [admit('build'), admit('laptop')];
    const acts: readonly ((user: Raw) => void)[] = [
      (user) => user.publish(topics.up(other.user, 'x'), 'hello'),
      (user) => user.publish(topics.tick(other.user), 'done'),
      (user) => user.publish(topics.down(own.user, 'x'), 'hello'),
      (user) => user.publish('$KV.interlock.policy', '{}'),
      (user) => user.publish('$JS.API.STREAM.DELETE.KV_interlock'),
      (user) => user.publish('$JS.API.CONSUMER.CREATE.KV_interlock', '{}'),
      (user) => user.publish(topics.news, '{}'),
      (user) => void user.subscribe(topics.up('*', '*'), { callback: () => undefined }),
      (user) => void user.subscribe(topics.down(other.user, '*'), { callback: () => undefined }),
      (user) => void user.subscribe('>', { callback: () => undefined }),
    ];
    const told = await Promise.all(acts.map(async (act) => refusedBy(own, act)));
    for (const each of told) expect(each[0]).toMatch(/permissions violation/iu);
  });

  it('has the gateway answer a node at its own inbox, and nowhere else', async () => {
    const { fleet, admit } = await fleetOfOne();
    const [own, other] = [admit('build'), admit('laptop')];
    const broker = await connectFleet(accessOf(fleet));
    onTestFinished(async () => broker.close());
    const seen: string[] = [];
    const targets = [
      '$KV.interlock.policy',
      topics.down(other.user, 'x'),
      `_INBOX_${other.user}.x`,
    ];
    for (const target of targets)
      broker.subscribe(target, { callback: (_, { subject }) => void seen.push(subject) });
    await broker.flush();
    const user = await connectFleet(own);
    onTestFinished(async () => user.close());
    for (const reply of targets) user.publish(topics.up(own.user, 'x'), undefined, { reply });
    // Answered after those, by the order of what is said.
    expect((await user.request(topics.up(own.user, 'x'))).data).toHaveLength(0);
    await broker.flush();
    expect(seen).toEqual([]);
  });

  it('lets nobody in with the credentials of one machine and the token of another', async () => {
    const { desk, admit, paired } = await fleetOfOne();
    const build = await paired(admit('build'));
    const laptop = await paired(admit('laptop'));
    const fileOf = ({ paths }: typeof build): NodeFile => {
      const node = readNodeFile(paths.nodeFile, uid);
      if (node === null) throw new Error('it is paired');
      return node.file;
    };
    const { token } = fileOf(build);
    writeNodeFile(laptop.paths.nodeFile, { ...fileOf(laptop), token });
    await laptop.nodes.apply();
    await until(() => laptop.nodes.body().own?.given === true);
    expect(laptop.nodes.body().own?.problem).toContain('could not prove');
    expect(desk.nodes.body().nodes.some(({ online }) => online)).toBe(false);
  });

  it('ends a stream that is forged, repeated or cut, and hears nothing of it', async () => {
    const { desk, fleet, admit, paired } = await fleetOfOne();
    const access = admit('build');
    const build = await paired(access);
    // Who runs nats-server sees everything, and says what it likes.
    const broker = await connectFleet(accessOf(fleet));
    onTestFinished(async () => broker.close());
    const seen: { readonly subject: string; readonly data: Uint8Array }[] = [];
    broker.subscribe('interlock.>', {
      callback: (_, { subject, data }) => void seen.push({ subject, data }),
    });
    await broker.flush();
    await build.nodes.apply();
    await until(() => desk.heard.length === 1);
    const ups = seen.filter(({ subject, data }) => subject.includes('.up.') && data.length > 0);
    const all = Buffer.concat(seen.map(({ data }) => data)).toString('latin1');
    expect(all).not.toContain('hello');

    // The whole conversation again, under another session; then its last words, in the one there is.
    for (const { data } of ups) broker.publish(topics.up(access.user, 'again'), data);
    const [last] = ups.slice(-1);
    if (last === undefined) throw new Error('something was said');
    broker.publish(last.subject, last.data);
    await until(() => desk.nodes.body().nodes[0]?.online === false);
    await until(() => desk.heard.length === 2);
    expect(new Set(desk.heard)).toEqual(new Set(['hello']));
    expect(desk.nodes.body().nodes).toHaveLength(1);
  }, 20_000);
});

/** Whether nats-server lets this user in. */
async function letsIn(access: FleetAccess): Promise<boolean> {
  try {
    await (await connectFleet(access)).close();
    return true;
  } catch {
    return false;
  }
}

/** A server of no nats-server: it says hello, answers the first PING, and then this. */
async function serverThatSays(
  then: string,
): Promise<{ readonly fleet: ReturnType<typeof createFleet> }> {
  const info = { server_id: 'x', version: '2.9.0', proto: 1, max_payload: 1_048_576, nonce: 'n' };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on('data', (data) => {
      if (data.includes('PING')) socket.write(`PONG\r\n${then}`);
    });
    onTestFinished(() => void socket.destroy());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const servers = [`nats://127.0.0.1:${(server.address() as AddressInfo).port}`];
  const { paths } = nodesHome(null);
  return { fleet: createFleet(paths.fleet, { uid, name: 'test', now, servers, ca: null }) };
}

it('ends a connection whose server says no word of the protocol, and writes none of it anywhere', async () => {
  const { fleet } = await serverThatSays('\u001B]0;mine\u0007\r\n');
  const written: unknown[] = [];
  for (const name of ['log', 'info', 'warn', 'error', 'trace'] as const) {
    const spy = vi.spyOn(console, name).mockImplementation((...said) => void written.push(...said));
    onTestFinished(() => spy.mockRestore());
  }
  const ended = await connectFleet(accessOf(fleet)).then(
    async (connection) => connection.closed(),
    (error: unknown) => error,
  );
  expect(String(ended instanceof Error ? ended.message : ended)).not.toContain('\u001B');
  expect(written).toEqual([]);
});

it('hears the error of a socket that the client listens to no longer', async () => {
  const { fleet } = await serverThatSays('');
  const connection = await connectFleet(accessOf(fleet));
  const { socket } = (connection as unknown as { readonly protocol: Protocol }).protocol.transport;
  const reset = (): boolean => socket.emit('error', new Error('reset'));
  socket.removeAllListeners();
  expect(reset).not.toThrow();
  socket.removeAllListeners('error');
  expect(reset).not.toThrow();
  socket.destroy();
  await connection.close();
});
interface Protocol {
  readonly transport: { readonly socket: Socket };
}

it('outlives a server that hangs up in the middle of anything', async () => {
  const { paths } = nodesHome(null);
  const info = { server_id: 'x', version: '2.9.0', proto: 1, max_payload: 1_048_576, nonce: 'n' };
  const hello = `INFO ${JSON.stringify(info)}\r\n`;
  // How far it comes before it hangs up, and whether politely.
  for (const steps of [0, 1, 2])
    for (const isPolite of [true, false]) {
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        const leave = (): void => void (isPolite ? socket.end() : socket.resetAndDestroy());
        socket.on('error', () => undefined);
        if (steps > 0) socket.write(hello);
        if (steps < 2) leave();
        else
          socket.on('data', (data) => {
            if (!data.includes('PING')) return;
            socket.write('PONG\r\n');
            leave();
          });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const servers = [`nats://127.0.0.1:${(server.address() as AddressInfo).port}`];
      const made = { uid, name: 'test', now, servers, ca: null };
      const fleet = createFleet(`${paths.fleet}.${steps}${String(isPolite)}`, made);
      const connection = await connectFleet(accessOf(fleet)).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Rejection);
        return null;
      });
      for (let turn = 0; turn < 500 && connection?.isClosed() === false; turn += 1) {
        connection.publish('x', 'said');
        await new Promise((resolve) => setImmediate(resolve));
      }
      await connection?.close();
      server.close();
    }
}, 20_000);

describe.skipIf(!hasNatsServer)('a machine that is removed', () => {
  it('loses its connections to nats-server, and gets no other; the rest keep theirs', async () => {
    const { desk, fleet, admit, paired } = await fleetOfOne();
    const [own, other] = [admit('build'), admit('laptop')];
    const [build, laptop] = [await paired(own), await paired(other)];
    for (const each of [build, laptop]) await each.nodes.apply();
    await until(() => desk.heard.length === 2);
    // A copy of its file, on a machine that never says a word to the gateway.
    const copy = await connectFleet(own);
    const [mine] = desk.nodes.body().nodes.filter(({ lastAddress }) => lastAddress === own.user);
    desk.nodes.remove(mine?.id ?? '');
    expect(String(await copy.closed())).toMatch(/revoked/iu);
    expect([await letsIn(own), await letsIn(other)]).toEqual([false, true]);
    expect(desk.nodes.body().problem).toBe(null);
    expect(laptop.nodes.body().own?.connected).toBe(true);
    expect(desk.heard).toHaveLength(2);
    // The account holds who is revoked, and no secret; the settings bring nobody back.
    const kept = readFleet(desk.paths.fleet, uid);
    expect([...revokedUsers(kept ?? fleet)]).toEqual([own.user]);
    expect(statSync(desk.paths.fleet).mode & 0o777).toBe(0o600);
    await desk.nodes.apply();
    expect(laptop.nodes.body().own?.connected).toBe(true);
  }, 20_000);

  it('is revoked before it ever connected, while nats-server was down, and after that forgot all', async () => {
    const { desk, server, admit, paired } = await fleetOfOne();
    const own = admit('build');
    await paired(own);
    await server.kill();
    await until(() => desk.nodes.body().problem !== null);
    desk.nodes.remove('build');
    await server.start();
    await until(() => desk.nodes.body().problem === null);
    expect(await letsIn(own)).toBe(false);
    await server.kill();
    await until(() => desk.nodes.body().problem !== null);
    server.forget();
    await server.start();
    const late = letsIn(own);
    await until(() => desk.nodes.body().problem === null);
    await late;
    await expect.poll(async () => letsIn(own)).toBe(false);
  }, 30_000);

  it('is refused by the gateway, too, where nats-server lets it in all the same', async () => {
    const { fleet, admit } = await fleetOfOne();
    const own = admit('build');
    const broker = await connectFleet(accessOf(fleet));
    onTestFinished(async () => broker.close());
    const taken: unknown[] = [];
    const door = { take: (stream: unknown) => void taken.push(stream), dispose: () => undefined };
    acceptStreams(broker, { door, isRevoked: (user) => user === own.user, gateway: null });
    await broker.flush();
    const user = await connectFleet(own);
    onTestFinished(async () => user.close());
    user.publish(topics.up(own.user, 'x'), new Uint8Array([0x16, 3, 1]));
    await user.flush();
    await broker.flush();
    expect(taken).toEqual([]);
  });
});

it('revokes with an account that is newer than the last, whatever the clock says', () => {
  const { paths } = nodesHome(null);
  const where = { servers: ['tls://nats.example:4222'], ca: null };
  const fleet = createFleet(paths.fleet, { uid, name: 'test', now, ...where });
  const users = ['UA', 'UB'].map((start) => start.padEnd(56, 'A'));
  const claims = ({ accountJwt }: { readonly accountJwt: string }) =>
    JSON.parse(Buffer.from(accountJwt.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly iat: number;
      readonly nats: { readonly revocations?: Readonly<Record<string, number>> };
    };
  const one = withRevoked(fleet, users.slice(0, 1), 0);
  const two = withRevoked(one, users, 0);
  expect(claims(one).iat).toBe(claims(fleet).iat + 1);
  expect(claims(two).iat).toBe(claims(fleet).iat + 2);
  expect(Object.keys(claims(two).nats.revocations ?? {})).toEqual(users);
  expect(withRevoked(two, users, now * 2)).toBe(two);
  expect([...revokedUsers(fleet)]).toEqual([]);
});

describe('the keys of a fleet', () => {
  const make = (path: string, server: string) =>
    createFleet(path, { uid, name: 'test', now, servers: [server], ca: null });

  it('are made once, kept for their owner alone, and not printed with the settings', () => {
    const { paths } = nodesHome(null);
    const fleet = make(paths.fleet, 'tls://nats.example:4222');
    expect(statSync(paths.fleet).mode & 0o777).toBe(0o600);
    const config = serverConfig(fleet);
    for (const secret of [
      fleet.operatorSeed,
      fleet.accountSeed,
      fleet.gateway.seed,
      fleet.registrar.seed,
    ])
      expect(config).not.toContain(secret);
    expect(config).toContain('tls {');
    expect(() => make(paths.fleet, 'tls://nats.example:4222')).toThrow('already');
  });

  it.each([
    'nats://nats.example:4222',
    'tls://-x:1',
    'tls://nats.example',
    'ws://127.0.0.1:1',
    'tls://user:secret@nats.example:4222',
  ])('are made for no server like %s', (server) => {
    const { paths } = nodesHome(null);
    try {
      make(paths.fleet, server);
      expect.unreachable();
    } catch (error) {
      expect(refusalOf(error)?.code).toBe('invalid-request');
    }
  });
});
