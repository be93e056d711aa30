import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Kvm } from '@nats-io/kv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusalOf } from '../../../shared/base/index.ts';
import { hashOfText, ownUid, readFleetState, systemClock } from '../../../shared/home/index.ts';
import { readConfigFile } from '../../../shared/home/index.ts';
import { reportOf, tellAndWait } from '../../../runner/cli/fleet-control.ts';
import { openControl } from '../../../runner/fleet/control.ts';
import {
  aloneIn,
  readDocument,
  readTick,
  signDocument,
  signTick,
} from '../../../runner/fleet/documents.ts';
import { accessOf, readTold } from '../../../runner/fleet/files.ts';
import { bucket, topics } from '../../../runner/fleet/keys.ts';
import { connectFleet } from '../../../runner/fleet/streams.ts';
import { newDevice, openDevice } from '../../../runner/nodes/device.ts';
import { readNodeFile } from '../../../runner/nodes/node-file.ts';
import { openRegistry } from '../../../runner/nodes/registry.ts';
import { fleetOfOne } from '../../support/nats-server.ts';
import { hasNatsServer, until } from '../../support/servers.ts';

const uid = ownUid();
const now = 1_700_000_000_000;
const lock = (locked: boolean) => JSON.stringify({ locked, reason: locked ? 'stolen' : null });
const refused = (error: unknown): string | undefined => refusalOf(error)?.code;

/** A fleet with a node that is there and one that is not, and the gateway's hand on it. */
async function fleetOfTwo() {
  const fleet = await fleetOfOne();
  const { desk } = fleet;
  const build = await fleet.paired(fleet.admit('build'));
  const laptop = await fleet.paired(fleet.admit('laptop'));
  await build.nodes.apply();
  await laptop.nodes.apply();
  await until(() => desk.heard.length === 2);
  // Switched off, and on again when a test says so.
  const file = readFileSync(laptop.paths.nodeFile, 'utf8');
  rmSync(laptop.paths.nodeFile);
  await laptop.nodes.apply();
  const comeBack = async (): Promise<void> => {
    writeFileSync(laptop.paths.nodeFile, file, { mode: 0o600 });
    await laptop.nodes.apply();
  };
  const known = openRegistry({ path: desk.paths.nodes, uid }).list();
  const hand = async () => {
    const connection = await connectFleet(accessOf(fleet.fleet));
    onTestFinished(async () => connection.close());
    const keyOf = (id: string) => known.find((node) => node.id === id)?.key ?? null;
    const device = openDevice(desk.paths.nodesDevice, uid);
    const kept = { path: desk.paths.fleetTold, uid };
    const keeper = device.publicKey;
    const how = { device, keeper, keyOf, clock: systemClock };
    const control = await openControl(connection, { ...how, ...kept });
    return { control, connection, device };
  };
  return { ...fleet, build, laptop, known, hand, comeBack };
}

describe.skipIf(!hasNatsServer)('a fleet at a real nats-server', () => {
  it('locks who is there at once, and the rest when they come, even after the server was killed', async () => {
    const { server, desk, build, laptop, known, hand, comeBack } = await fleetOfTwo();
    const first = await hand();
    const order = { name: 'lockout', text: lock(true), base: null } as const;
    const told = await tellAndWait(first.control, known, order, 300);
    expect(build.locked).toEqual(['stolen']);
    expect(laptop.locked).toEqual([]);
    expect(told.locked).toBe(true);
    // One has said that it did; of the other the gateway knows that it did not.
    const behind = () =>
      desk.nodes
        .body()
        .nodes.flatMap(({ lastAddress, problems = [] }) =>
          problems.map(({ code }) => `${lastAddress ?? ''} ${code}`),
        );
    const away = readNodeFile(build.paths.nodeFile, uid)?.file.gateway;
    await until(() => behind().length === 1);
    expect(behind()).toEqual([expect.stringMatching(/ lockout-behind$/u)]);
    expect(behind()[0]).not.toContain(
      away && 'via' in away && away.via === 'nats' ? away.access.user : 'none',
    );
    expect(told.nodes.filter(({ lockout }) => lockout)).toHaveLength(1);
    expect(told.nodes).toHaveLength(2);

    await server.kill();
    await server.start();
    await comeBack();
    await until(() => laptop.locked.length === 1);
    const { control } = await hand();
    await until(() => build.nodes.body().own?.connected === true);
    const report = await reportOf(control, known);
    expect(report.nodes.every(({ lockout }) => lockout)).toBe(true);
    await until(() => behind().length === 0);
    // Coming back, nobody locks twice.
    expect([build.locked, laptop.locked]).toEqual([['stolen'], ['stolen']]);

    const lift = { name: 'lockout', text: lock(false), base: hashOfText(lock(true)) } as const;
    const lifted = await tellAndWait(control, known, lift, 2_000);
    expect(lifted).toMatchObject({ locked: false, nodes: [{ lockout: true }, { lockout: true }] });
    expect([build.locked, laptop.locked]).toEqual([['stolen'], ['stolen']]);
  }, 30_000);

  it('bounds its nodes by the policy that was pushed, and shows who pushed over whom', async () => {
    const { build, known, hand } = await fleetOfTwo();
    const { control } = await hand();
    const text = JSON.stringify({ version: 1, security: 'allowlist' });
    await tellAndWait(control, known, { name: 'policy', text, base: null }, 300);
    const config = () => readConfigFile(build.paths.config, { uid });
    expect(config()).toMatchObject({
      ok: true,
      config: { managed: [{ path: build.paths.fleetState, all: { security: 'allowlist' } }] },
    });
    for (const base of [null, 'ab'.repeat(32)]) {
      const over = control.tell('policy', '{"version":1}', base);
      expect(await over.catch(refused)).toBe('invalid-request');
    }
    const other = await hand();
    const base = hashOfText(text);
    const both = await Promise.allSettled(
      [control, other.control].map(async (each, index) =>
        each.tell(
          'policy',
          JSON.stringify({ version: 1, ask: index === 0 ? 'off' : 'always' }),
          base,
        ),
      ),
    );
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  }, 20_000);

  it('follows nothing that the gateway did not sign, and no older version again', async () => {
    const { build, known, hand } = await fleetOfTwo();
    const { control, connection, device } = await hand();
    const said = { name: 'policy', seq: now, base: null, at: now, text: '{"version":1}' } as const;
    const old = signDocument(device, said);
    const text = JSON.stringify({ version: 1, security: 'deny' });
    await tellAndWait(control, known, { name: 'policy', text, base: null }, 300);
    connection.publish(topics.news, old);
    connection.publish(topics.news, signDocument(newDevice().device, { ...said, seq: 9e15 }));
    connection.publish(
      topics.news,
      signDocument(device, { ...said, seq: 9e15 }).replace('"seq":9', '"seq":8'),
    );
    connection.publish(topics.news, '{');
    await connection.flush();
    await until(() => JSON.stringify(build.rows).includes('fleet-refused'));
    expect(JSON.stringify(build.rows)).toContain('fleet-older');
    expect(readFleetState(build.paths.fleetState, uid)).toMatchObject({
      value: { policy: { text }, lockout: 0 },
    });
    expect(build.locked).toEqual([]);
  }, 20_000);

  it('keeps both where bounds and a lockout are told at once, and nothing older over them', async () => {
    const { hand, desk } = await fleetOfTwo();
    const [one, other] = [await hand(), await hand()];
    const text = JSON.stringify({ version: 1, security: 'deny' });
    await Promise.all([
      one.control.tell('policy', text, null),
      other.control.tell('lockout', lock(true), null),
    ]);
    const kept = readTold(desk.paths.fleetTold, uid);
    expect(kept.policy).toContain('deny');
    expect(kept.lockout).toContain('stolen');
    const lifted = '{"version":1}';
    await Promise.all([
      other.control.current('policy'),
      one.control.tell('policy', lifted, hashOfText(text)),
      other.control.current('policy'),
    ]);
    const trust = aloneIn(one.device.publicKey);
    const last = readTold(desk.paths.fleetTold, uid);
    expect(readDocument(last.policy ?? '', trust)).toMatchObject({ text: lifted });
    expect(last.lockout).toBe(kept.lockout);
  }, 20_000);

  it('has its gateway put back what nats-server lost, for those that never saw it, and a node note the loss', async () => {
    const { build, laptop, known, hand, server, desk, comeBack } = await fleetOfTwo();
    const { control } = await hand();
    const text = JSON.stringify({ version: 1, security: 'deny' });
    await tellAndWait(control, known, { name: 'policy', text, base: null }, 300);
    await control.tell('lockout', lock(true), null);
    await until(() => JSON.stringify(build.rows).includes('fleet-policy'));
    expect(JSON.stringify(build.rows)).not.toContain('fleet-missing');
    const kept = `${desk.paths.fleetTold}.off`;
    renameSync(desk.paths.fleetTold, kept);
    await server.kill();
    server.forget();
    await server.start();
    await until(() => JSON.stringify(build.rows).includes('fleet-missing'));
    expect(JSON.stringify(build.rows)).toContain('nats-server shows no policy');
    expect(readFleetState(build.paths.fleetState, uid)).toMatchObject({
      value: { policy: { text } },
    });
    // As long as the gateway does not know of it, either, nobody else hears of it.
    await comeBack();
    await until(() => laptop.nodes.body().own?.connected === true);
    expect(laptop.locked).toEqual([]);
    renameSync(kept, desk.paths.fleetTold);
    await server.kill();
    await server.start();
    await until(() => JSON.stringify(desk.rows).includes('fleet-restored'));
    expect(JSON.stringify(desk.rows)).toContain('policy and lockout again as last told');
    await until(() => laptop.locked.length > 0);
    expect(readFleetState(laptop.paths.fleetState, uid)).toMatchObject({
      value: { policy: { text } },
    });
    expect(build.locked).toEqual(['stolen']);
    const report = await reportOf((await hand()).control, known);
    expect(report).toMatchObject({ withheld: [], locked: true, policy: hashOfText(text) });
    await expect
      .poll(async () => (await reportOf((await hand()).control, known)).nodes, { timeout: 10_000 })
      .toEqual(
        known.map(({ id, displayName }) => ({ id, displayName, policy: true, lockout: true })),
      );
  }, 30_000);

  it('takes no older document for what the gateway told, whatever nats-server shows it', async () => {
    const { known, hand, desk, server } = await fleetOfTwo();
    const { control, connection } = await hand();
    const kv = await new Kvm(connection).open(bucket);
    const [first, second] = ['deny', 'allowlist'].map((security) =>
      JSON.stringify({ version: 1, security }),
    ) as [string, string];
    await control.tell('policy', first, null);
    const old = (await kv.get('policy'))?.string() ?? '';
    await control.tell('policy', second, hashOfText(first));
    await control.tell('lockout', lock(true), null);
    // Whoever has nats-server puts back what it likes.
    await kv.put('policy', old);
    await kv.purge('lockout');

    let { control: later } = await hand();
    const report = await reportOf(later, known);
    expect(report).toMatchObject({ policy: hashOfText(second), locked: true });
    expect(report.withheld).toEqual(['policy', 'lockout']);
    // The runner of the gateway sees it, too, when it comes to nats-server, and puts it into the record.
    const { problem } = desk.nodes.body();
    expect(problem).toBeNull();
    await server.kill();
    await server.start();
    await until(() => JSON.stringify(desk.rows).includes('fleet-withheld'));
    expect(JSON.stringify(desk.rows)).toContain('an older policy and lockout');
    await until(() => JSON.stringify(desk.rows).includes('fleet-restored'));
    expect(desk.nodes.body().problem).toBeNull();
    expect((await reportOf((await hand()).control, known)).withheld).toEqual([]);
    // The older one is not a base, and what is told next is newer than all.
    ({ control: later } = await hand());
    expect(await later.tell('policy', '{"version":1}', hashOfText(first)).catch(refused)).toBe(
      'invalid-request',
    );
    await later.tell('policy', first, hashOfText(second));
    await later.tell('lockout', lock(false), hashOfText(lock(true)));
    expect(await reportOf(later, known)).toMatchObject({ locked: false, withheld: [] });

    // Without the file nobody knows what is older; a lockout goes on all the same.
    writeFileSync(desk.paths.fleetTold, '{', { mode: 0o600 });
    expect(await later.current('policy').catch(refused)).toBe('config-invalid');
    expect(await later.tell('lockout', lock(true), hashOfText(lock(false)))).toMatchObject({
      name: 'lockout',
    });
  }, 20_000);
});

it('believes a document of its gateway and a tick of its node, and no other', () => {
  const [gateway, node, other] = [newDevice().device, newDevice().device, newDevice().device];
  const said = { name: 'lockout', seq: 3, base: null, at: now, text: lock(true) } as const;
  const signed = signDocument(gateway, said);
  expect(readDocument(signed, aloneIn(gateway.publicKey))).toMatchObject(said);
  expect(readDocument(signed, aloneIn(other.publicKey))).toBeNull();
  for (const [from, to] of [
    ['"seq":3', '"seq":4'],
    ['lockout', 'policy'],
    ['stolen', 'stalen'],
    ['"base":null', `"base":"${'ab'.repeat(32)}"`],
    ['"version":1', '"version":1,"more":1'],
  ] as const) {
    expect(signed).toContain(from);
    expect(readDocument(signed.replace(from, to), aloneIn(gateway.publicKey))).toBeNull();
  }
  const keyOf = (id: string) => (id === node.id ? node.publicKey : null);
  const ticked = signTick(node, { policy: 1, lockout: 3, at: now });
  expect(readTick(ticked, keyOf)).toMatchObject({ id: node.id, lockout: 3 });
  expect(readTick(ticked.replace('"lockout":3', '"lockout":4'), keyOf)).toBeNull();
  const forged = signTick(other, { policy: 1, lockout: 3, at: now });
  expect(readTick(forged, keyOf)).toBeNull();
  expect(readTick(forged.replace(other.id, node.id), keyOf)).toBeNull();
});
