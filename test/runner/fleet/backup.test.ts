import { readFileSync, readdirSync } from 'node:fs';
import type { NatsConnection } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../shared/base/index.ts';
import { ownUid, systemClock } from '../../../shared/home/index.ts';
import type { HomePaths } from '../../../shared/home/index.ts';
import {
  openBackup,
  restoreBackup,
  sealBackup,
  settleRestored,
} from '../../../runner/fleet/backup.ts';
import { readFleet, writeFleet } from '../../../runner/fleet/files.ts';
import { openBucket } from '../../../runner/fleet/control.ts';
import { createFleet, revokedUsers, withRevoked } from '../../../runner/fleet/keys.ts';
import { withoutGateway } from '../../../runner/fleet/roster.ts';
import { connectFleet } from '../../../runner/fleet/streams.ts';
import { openGatewayCertificate } from '../../../runner/nodes/certificate.ts';
import { deviceFrom, openDevice } from '../../../runner/nodes/device.ts';
import { readSeat } from '../../../runner/service/call-nodes.ts';
import { fleetOfOne, handOf } from '../../support/nats-server.ts';
import { nodesHome } from '../../support/nodes-home.ts';
import { hasNatsServer, until } from '../../support/servers.ts';

const uid = ownUid();
const now = 1_700_000_000_000;
const refused = (error: unknown): string | undefined => refusalOf(error)?.code;

async function backUp({ paths }: { readonly paths: HomePaths }) {
  const fleet = readFleet(paths.fleet, uid);
  if (fleet === null) throw new Error('it made a fleet');
  openDevice(paths.nodesDevice, uid);
  await openGatewayCertificate({ path: paths.nodesCertificate, uid, now });
  const device = readFileSync(paths.nodesDevice, 'utf8');
  const certificate = readFileSync(paths.nodesCertificate, 'utf8');
  return { fleet, ...(await sealBackup({ fleet, device, certificate })) };
}

/** A home that has made a fleet, whose nats-server is not there. */
function madeFleet(name: string) {
  const home = nodesHome(null);
  const servers = ['nats://127.0.0.1:9'];
  createFleet(home.paths.fleet, { uid, name, now, servers, ca: null });
  return home;
}

describe('a backup of a fleet', () => {
  it('is opened by its code, however that is typed, and says nothing to any other', async () => {
    const { fleet, text, code } = await backUp(madeFleet('one'));
    expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/u);
    for (const secret of [fleet.operatorSeed, fleet.accountSeed, code, code.replaceAll('-', '')])
      expect(text).not.toContain(secret);
    const typed = ` ${code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o')}`;
    expect((await openBackup(text, typed.replaceAll('1', 'l'))).fleet).toEqual(fleet);
    const wrong = `${code.slice(0, -1)}${code.endsWith('7') ? '8' : '7'}`;
    const lines = text.split('\n');
    const changed = [...lines.slice(0, 5), ...lines.slice(6)].join('\n');
    for (const [file, by] of [
      [text, wrong],
      [text, ''],
      [changed, code],
      ['', code],
      ['x'.repeat(600 * 1024), code],
    ] as const)
      expect(await openBackup(file, by).catch(refused)).toBe('invalid-request');
  });

  it('is restored by no gateway of another fleet, and again after it was cut off', async () => {
    const { text, code } = await backUp(madeFleet('one'));
    const kept = await openBackup(text, code);
    const other = madeFleet('other');
    const before = readFileSync(other.paths.fleet, 'utf8');
    let why: unknown = null;
    try {
      restoreBackup(other.paths, kept, { uid, now });
    } catch (error) {
      why = error;
    }
    expect(refused(why)).toBe('invalid-request');
    expect(readFileSync(other.paths.fleet, 'utf8')).toBe(before);
    const fresh = nodesHome(null);
    restoreBackup(fresh.paths, kept, { uid, now });
    // What was revoked since is kept, whatever the backup says.
    const user = `U${'A'.repeat(55)}`;
    writeFleet(fresh.paths.fleet, withRevoked(kept.fleet, [user], now));
    const { fleet } = restoreBackup(fresh.paths, kept, { uid, now });
    expect([...revokedUsers(fleet)]).toEqual([user]);
    expect(openDevice(fresh.paths.nodesDevice, uid).publicKey).toBe(
      deviceFrom(kept.device)?.publicKey,
    );
  });
});

describe.skipIf(!hasNatsServer)('a fleet whose first gateway is lost', () => {
  it('goes on, machines and all, at the further gateway that its backup is restored on', async () => {
    const { desk, fleet, admit, paired, join } = await fleetOfOne();
    const { text, code } = await backUp(desk);
    const build = await paired(admit('build'));
    await build.nodes.apply();
    const [spare, attic] = [await join('spare'), await join('attic')];
    await until(() => [spare, attic].every(({ heard }) => heard.length === 1));
    // A gateway that was removed after the backup, and of which the backup knows nothing.
    const shed = await join('shed');
    const shedAccess = readSeat(shed.paths, uid)?.access;
    if (shedAccess === undefined) throw new Error('it has joined');
    const { control } = await handOf(desk);
    const roster = await control.roster();
    await control.setRoster(withoutGateway(roster, 'shed').roster, roster);
    await desk.nodes.dispose();

    const kept = await openBackup(text, code);
    const { formerUser } = restoreBackup(spare.paths, kept, { uid, now });
    const settling = { formerUser, uid, now: systemClock.now() };
    await settleRestored((await handOf(spare)).control, spare.paths, settling);
    await spare.nodes.apply();
    await until(() => spare.nodes.body().nodes[0]?.online === true);
    await until(() => build.nodes.body().own?.connected === true);
    // Those that are left: it is the first by the same key, and no further one any more.
    expect(spare.nodes.body()).toMatchObject({
      gateways: [
        { displayName: null, isThis: true },
        { displayName: 'attic', isThis: false },
      ],
      nodes: [{ displayName: 'build', state: 'approved' }],
    });
    await until(() => attic.nodes.body().gateways.length === 2);
    expect(build.nodes.body().own?.further).toMatchObject([{ displayName: 'attic' }]);
    // Nobody gets in any more who was removed before, nor what this machine was.
    const again = readFleet(spare.paths.fleet, uid);
    expect(revokedUsers(again ?? fleet)).toEqual(new Set([formerUser, shedAccess.user]));
    expect(await connectFleet(shedAccess).catch(() => 'refused')).toBe('refused');
    // What takes the first gateway is done here now.
    const { control: own } = await handOf(spare);
    await own.setRoster(withoutGateway(await own.roster(), 'attic').roster, await own.roster());
    await until(() => build.nodes.body().own?.further === undefined);
    expect(readdirSync(spare.paths.keysDirectory)).not.toContain('fleet-gateway.json');
  }, 40_000);

  it('has its machines at one that had no part in it, which hears of them at nats-server', async () => {
    const { desk, admit, paired } = await fleetOfOne();
    const { text, code } = await backUp(desk);
    const build = await paired(admit('build'));
    await build.nodes.apply();
    await until(() => desk.heard.length === 1);
    const { connection } = await handOf(desk);
    await expect.poll(async () => namesKept(connection)).toBe(1);
    await desk.nodes.dispose();
    const fresh = nodesHome(null);
    restoreBackup(fresh.paths, await openBackup(text, code), { uid, now });
    await fresh.nodes.apply();
    await until(() => fresh.nodes.body().nodes[0]?.online === true);
    expect(fresh.nodes.body().nodes).toMatchObject([{ displayName: 'build', state: 'approved' }]);
  }, 40_000);
});

/** How many machines nats-server keeps. */
async function namesKept(connection: NatsConnection): Promise<number> {
  let count = 0;
  const kv = await openBucket(connection, false);
  for await (const key of await kv.keys()) if (key.startsWith('node.')) count += 1;
  return count;
}
