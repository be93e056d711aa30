import { statSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusalOf } from '../../../shared/base/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import { accessOf } from '../../../runner/fleet/files.ts';
import type { FleetAccess } from '../../../runner/fleet/files.ts';
import { createFleet, serverConfig, topics } from '../../../runner/fleet/keys.ts';
import { connectFleet } from '../../../runner/fleet/streams.ts';
import { readNodeFile, writeNodeFile } from '../../../runner/nodes/node-file.ts';
import type { NodeFile } from '../../../runner/nodes/node-file.ts';
import { fleetOfOne, hasNatsServer } from '../../support/nats-server.ts';
import { nodesHome, until } from '../../support/nodes-home.ts';

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

describe('the keys of a fleet', () => {
  const make = (path: string, server: string) =>
    createFleet(path, { uid, name: 'test', now, servers: [server], ca: null });

  it('are made once, kept for their owner alone, and not printed with the settings', () => {
    const { paths } = nodesHome(null);
    const fleet = make(paths.fleet, 'tls://nats.example:4222');
    expect(statSync(paths.fleet).mode & 0o777).toBe(0o600);
    const config = serverConfig(fleet);
    for (const secret of [fleet.operatorSeed, fleet.accountSeed, fleet.gateway.seed])
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
