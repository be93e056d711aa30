import { describe, expect, it, onTestFinished } from 'vitest';
import { refusalOf } from '../../../shared/base/index.ts';
import { hashOfText, ownUid, readFleetState, systemClock } from '../../../shared/home/index.ts';
import { aloneIn, nextSeq, readDocument, signDocument } from '../../../runner/fleet/documents.ts';
import { readFleet, writeFleet } from '../../../runner/fleet/files.ts';
import { topics, withRevoked } from '../../../runner/fleet/keys.ts';
import { tellServer } from '../../../runner/fleet/revoke.ts';
import { readRoster, trustIn, withoutGateway } from '../../../runner/fleet/roster.ts';
import {
  readRemoval,
  signNode,
  readNode,
  signRemoval,
} from '../../../runner/fleet/shared-nodes.ts';
import { connectFleet } from '../../../runner/fleet/streams.ts';
import { newDevice, openDevice } from '../../../runner/nodes/device.ts';
import { readSeat } from '../../../runner/service/call-nodes.ts';
import { fleetOfOne } from '../../support/nats-server.ts';
import { hasNatsServer, until } from '../../support/servers.ts';

const uid = ownUid();
const now = 1_700_000_000_000;
const lock = JSON.stringify({ locked: true, reason: 'stolen' });
const refused = (error: unknown): string | undefined => refusalOf(error)?.code;

/** A fleet with a further gateway, and a node that has a link to both. */
async function fleetOfTwoGateways() {
  const fleet = await fleetOfOne();
  const { desk } = fleet;
  const access = fleet.admit('build');
  const build = await fleet.paired(access);
  await build.nodes.apply();
  await until(() => desk.heard.length === 1);
  const spare = await fleet.join('spare');
  await until(() => spare.heard.length === 1);
  return { ...fleet, access, build, spare };
}

describe.skipIf(!hasNatsServer)('a fleet with several gateways', () => {
  it('has its nodes at each of them, and at one while the other is gone', async () => {
    const { desk, spare, build, handOf, server } = await fleetOfTwoGateways();
    for (const { nodes } of [desk, spare])
      expect(nodes.body()).toMatchObject({
        problem: null,
        nodes: [{ displayName: 'build', online: true, state: 'approved' }],
      });
    expect(build.nodes.body().own).toMatchObject({
      connected: true,
      further: [{ displayName: 'spare', connected: true, problem: null }],
    });
    await until(() => desk.nodes.body().gateways[1]?.links === 1);
    expect(desk.nodes.body()).toMatchObject({
      gateways: [
        { displayName: null, isThis: true, links: 1 },
        { displayName: 'spare', isThis: false, links: 1, lastSeenAt: null },
      ],
      nodes: [{ isLocked: false }],
    });
    // Without the one that made the fleet, and after nats-server was killed.
    await desk.nodes.dispose();
    await server.kill();
    await server.start();
    await until(() => spare.heard.length === 2);
    expect(build.nodes.body().own).toMatchObject({
      connected: false,
      further: [{ connected: true }],
    });
    await until(() => spare.nodes.body().gateways[0]?.links === 0);
    expect(spare.nodes.body().gateways).toMatchObject([
      { displayName: null, isThis: false, lastSeenAt: expect.any(Number) },
      { displayName: 'spare', isThis: true, links: 1, lastSeenAt: null },
    ]);
    const { control } = await handOf(spare);
    await control.tell('lockout', lock, null);
    await until(() => build.locked.length > 0);
    expect(build.locked).toEqual(['stolen']);
    await until(() => spare.nodes.body().nodes[0]?.isLocked === true);
  }, 30_000);

  it('lets one of two who push at once know that it was not first', async () => {
    const { desk, spare, build, handOf } = await fleetOfTwoGateways();
    const hands = await Promise.all([desk, spare].map(async (at) => handOf(at)));
    const first = JSON.stringify({ version: 1, security: 'allowlist' });
    await hands[1]?.control.tell('policy', first, null);
    await until(() => JSON.stringify(build.rows).includes('fleet-policy'));
    const both = await Promise.allSettled(
      hands.map(async ({ control }, at) =>
        control.tell(
          'policy',
          JSON.stringify({ version: 1, ask: at === 0 ? 'always' : 'off' }),
          hashOfText(first),
        ),
      ),
    );
    const told = both.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const lost = both.flatMap((each) => (each.status === 'rejected' ? [refused(each.reason)] : []));
    expect([told.length, lost]).toEqual([1, ['invalid-request']]);
    const text = () => {
      const state = readFleetState(build.paths.fleetState, uid);
      return state.ok ? state.value.policy?.text : null;
    };
    await until(() => text() === told[0]?.text);
    for (const { control } of hands) expect((await control.current('policy'))?.text).toBe(text());
  }, 20_000);

  it('takes the newer for newer though the clocks of its gateways are minutes apart, and set meanwhile', async () => {
    const { desk, spare, build, handOf } = await fleetOfTwoGateways();
    const minutes = new Map([
      [desk, 12],
      [spare, -20],
    ]);
    const clockOf = (at: typeof desk) => ({
      now: () => systemClock.now() + (minutes.get(at) ?? 0) * 60_000,
    });
    const hands = new Map<typeof desk, Awaited<ReturnType<typeof handOf>>>();
    for (const at of [desk, spare]) hands.set(at, await handOf(at, clockOf(at)));
    const state = () => {
      const read = readFleetState(build.paths.fleetState, uid);
      return read.ok ? read.value.policy : null;
    };
    let [base, last]: [string | null, number] = [null, 0];
    const steps = [desk, spare, desk, spare, spare, desk];
    for (const [at, who] of steps.entries()) {
      // One is put back by an hour, later on the other is put on by one.
      if (at === 2) minutes.set(desk, -48);
      if (at === 4) minutes.set(spare, 40);
      const text = JSON.stringify({ version: 1, ask: 'always' }, null, at);
      const told = await hands.get(who)?.control.tell('policy', text, base);
      expect(told?.seq).toBeGreaterThan(last);
      base = hashOfText(text);
      last = told?.seq ?? 0;
      await until(() => state()?.seq === last);
      expect(state()?.text).toBe(text);
    }
    expect(JSON.stringify(build.rows)).not.toContain('fleet-older');
  }, 20_000);

  it('has nodes and nats-server refuse a gateway that was removed, and follow nothing of it', async () => {
    const { desk, spare, build, handOf, fleet } = await fleetOfTwoGateways();
    const [own, other] = [await handOf(desk), await handOf(spare)];
    const bounds = JSON.stringify({ version: 1, security: 'deny' });
    await other.control.tell('policy', bounds, null);
    // It has used up every number that it may give out, to have nobody say anything after it.
    const seq = 2 ** 43 - 1;
    const last = { name: 'policy', seq, base: null, at: now, text: '{"version":1}' } as const;
    other.connection.publish(topics.news, signDocument(other.device, last));
    await until(() =>
      JSON.stringify(readFleetState(build.paths.fleetState, uid)).includes(String(seq)),
    );

    const roster = await own.control.roster();
    const { roster: next, removed } = withoutGateway(roster, 'spare');
    const revoked = withRevoked(readFleet(desk.paths.fleet, uid) ?? fleet, [removed.user], now);
    writeFleet(desk.paths.fleet, revoked);
    await own.control.setRoster(next, roster);
    await until(() => build.nodes.body().own?.further === undefined);
    await until(() => spare.nodes.body().nodes[0]?.online === false);
    expect(build.nodes.body().own?.connected).toBe(true);

    // nats-server does not know yet, so that it may still say things there.
    const late = { ...last, seq: seq + 5 };
    other.connection.publish(topics.news, signDocument(other.device, late));
    await until(() => JSON.stringify(build.rows).includes('fleet-refused'));
    expect(await other.control.tell('lockout', lock, null).catch(refused)).toBe('policy-deny');
    expect(build.locked).toEqual([]);
    // What it had told stands, by the word of the one that is there.
    const state = () => readFleetState(build.paths.fleetState, uid);
    await until(() => JSON.stringify(state()).includes('deny'));
    expect((await own.control.current('policy'))?.text).toBe(bounds);

    await tellServer(revoked);
    expect(String(await other.connection.closed())).toMatch(/revoked/iu);
    await until(() => spare.nodes.body().problem !== null);
  }, 30_000);

  it('shuts a node out everywhere that was removed at any gateway', async () => {
    const { desk, spare, build, access } = await fleetOfTwoGateways();
    const id = build.nodes.body().own?.id ?? '';
    spare.nodes.remove(id);
    const stateAt = ({ nodes }: typeof desk) => nodes.body().nodes[0]?.state;
    await until(() => stateAt(desk) === 'removed');
    expect([desk, spare].map(stateAt)).toEqual(['removed', 'removed']);
    expect(JSON.stringify(desk.rows)).toContain('removed at another gateway');
    await until(() => desk.nodes.body().problem === null);
    const isIn = async (): Promise<boolean> =>
      connectFleet(access).then(
        async (connection) => (await connection.close(), true),
        () => false,
      );
    await expect.poll(isIn).toBe(false);
  }, 20_000);

  it('lets no node say anything to a gateway for another, and no gateway write who the gateways are', async () => {
    const { desk, spare, admit } = await fleetOfTwoGateways();
    const other = admit('laptop');
    const told: string[] = [];
    const id = openRegistryDevice(spare);
    for (const [access, subject] of [
      [admit('third'), topics.to(id, other.user, 'x')],
      [readSeat(spare.paths, uid)?.access ?? other, topics.kept('gateways')],
      [readSeat(spare.paths, uid)?.access ?? other, topics.kept(`node.${id}`)],
      [readSeat(spare.paths, uid)?.access ?? other, topics.up(other.user, 'x')],
      [readSeat(spare.paths, uid)?.access ?? other, '$JS.API.STREAM.DELETE.KV_interlock'],
    ] as const) {
      const connection = await connectFleet(access);
      onTestFinished(async () => connection.close());
      void (async () => {
        for await (const status of connection.status())
          if (status.type === 'error') told.push(status.error.message);
      })();
      const before = told.length;
      connection.publish(subject, '{}');
      await connection.flush();
      await until(() => told.length > before);
      expect(told.at(-1)).toMatch(/permissions violation/iu);
    }
    expect(desk.nodes.body().problem).toBeNull();
  }, 20_000);
});

const openRegistryDevice = ({ paths }: { readonly paths: { readonly nodesDevice: string } }) =>
  openDevice(paths.nodesDevice, uid).id;

it('counts the word of a further gateway for what it may tell, in its time, and no other', () => {
  const [keeper, member, other] = [newDevice().device, newDevice().device, newDevice().device];
  const trust = { keeper: keeper.publicKey, gateways: [member.publicKey], era: 2 };
  const say = (by: typeof keeper, said: { readonly name?: 'gateways'; readonly seq?: number }) =>
    readDocument(
      signDocument(by, {
        name: said.name ?? 'policy',
        seq: said.seq ?? nextSeq(2, now, 0),
        base: null,
        at: now,
        text: '{}',
      }),
      trust,
    );
  expect(say(member, {})).not.toBeNull();
  expect(say(keeper, { name: 'gateways' })).not.toBeNull();
  expect(say(member, { name: 'gateways' })).toBeNull();
  expect(say(other, {})).toBeNull();
  expect(say(member, { seq: nextSeq(3, 0, 0) })).toBeNull();
  expect(say(keeper, { seq: nextSeq(3, 0, 0) })).not.toBeNull();
  expect(nextSeq(3, 0, 0)).toBeGreaterThan(nextSeq(2, systemClock.now(), nextSeq(2, 0, 0)));
  expect(nextSeq(0, 5, 9)).toBe(10);
});

it('believes a node of the gateway that made the fleet, and a removal of any of its gateways', () => {
  const [keeper, member, other] = [newDevice().device, newDevice().device, newDevice().device];
  const trust = trustIn(keeper.publicKey, {
    ...readRoster(null),
    gateways: [
      {
        displayName: 'a',
        key: member.publicKey,
        certificate: 'a'.repeat(64),
        user: `U${'A'.repeat(55)}`,
        addedAt: 1,
      },
    ],
  });
  const node = {
    id: 'b'.repeat(64),
    displayName: 'build',
    key: newDevice().device.publicKey,
    tokenHash: 'c'.repeat(64),
    version: '1',
    policyHash: null,
    pairedAt: 5,
    state: 'approved',
    lastSeenAt: null,
    lastAddress: null,
  } as const;
  expect(readNode(signNode(keeper, node), trust)).toMatchObject({ pairedAt: 5 });
  for (const by of [member, other]) expect(readNode(signNode(by, node), trust)).toBeNull();
  expect(
    readNode(signNode(keeper, node).replace('"pairedAt":5', '"pairedAt":6'), trust),
  ).toBeNull();
  for (const by of [keeper, member])
    expect(readRemoval(signRemoval(by, node), trust)).toMatchObject({ pairedAt: 5 });
  expect(readRemoval(signRemoval(other, node), trust)).toBeNull();
  expect(readRemoval(signRemoval(member, node), aloneIn(keeper.publicKey))).toBeNull();
});
