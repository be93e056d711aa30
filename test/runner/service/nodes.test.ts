import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { refusalOf } from '../../../shared/base/index.ts';
import { ownUid, systemClock } from '../../../shared/home/index.ts';
import { parseAddress } from '../../../runner/nodes/address.ts';
import { newDevice } from '../../../runner/nodes/device.ts';
import { openGatewayCertificate } from '../../../runner/nodes/certificate.ts';
import { dialThrough } from '../../../runner/nodes/dial.ts';
import { writeNodeFile } from '../../../runner/nodes/node-file.ts';
import { openStreamDoor } from '../../../runner/nodes/listener.ts';
import type { Caller } from '../../../runner/nodes/listener.ts';
import { sshArguments } from '../../../runner/nodes/ssh.ts';
import { openStreamSocket } from '../../../runner/nodes/stdio.ts';
import { nodesHome, pairedHomes, pairHomes } from '../../support/nodes-home.ts';
import { hasSshd, startSshServer, stdioCommand, until } from '../../support/servers.ts';

const uid = ownUid();

async function answers(listening: string | null): Promise<boolean> {
  if (listening === null) return false;
  return new Promise((resolve) => {
    const socket = connect(parseAddress(listening));
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}

it('opens a port where the settings say one, moves it with them, and shuts it', async () => {
  const { nodes, settings } = nodesHome(null);
  await nodes.apply();
  expect(nodes.body()).toEqual({
    listening: null,
    calls: [],
    problem: null,
    nodes: [],
    waiting: [],
    own: null,
    gateways: [],
  });
  expect(() => nodes.approve('7KQ2-M0XD')).toThrow('listens for no nodes');
  settings.listen = '127.0.0.1:0';
  await nodes.apply();
  const { listening } = nodes.body();
  expect(await answers(listening)).toBe(true);
  await nodes.apply();
  expect(nodes.body().listening).toBe(listening);
  settings.problem = { message: 'config.json is not valid' };
  await nodes.apply();
  expect(await answers(listening)).toBe(false);
});

it('lets nobody in where its list of machines cannot be believed, says so, and mends with it', async () => {
  const { nodes, paths } = nodesHome('127.0.0.1:0');
  writeFileSync(paths.nodes, '{"version":1,"nodes":[', { mode: 0o600 });
  await nodes.apply();
  expect(nodes.body()).toMatchObject({
    listening: null,
    calls: [],
    problem: expect.stringContaining('nodes.json') as string,
  });
  rmSync(paths.nodes);
  await nodes.apply();
  expect(nodes.body()).toMatchObject({ problem: null });
  expect(nodes.body().listening).not.toBeNull();
});

it('is the node of a gateway for as long as node.json says so, and can be believed', async () => {
  const { desk, build } = await pairedHomes();
  await build.nodes.apply();
  await until(() => desk.heard.length === 1);
  expect(desk.heard).toEqual(['hello']);
  expect(desk.nodes.body().nodes).toMatchObject([
    { displayName: 'build', online: true, policyHash: 'f'.repeat(64) },
  ]);
  expect(build.nodes.body().own).toMatchObject({ connected: true, problem: null });
  expect(JSON.stringify([build.nodes.body(), desk.nodes.body()])).not.toMatch(/PRIVATE|token/iu);

  chmodSync(build.paths.nodeFile, 0o644);
  await build.nodes.apply();
  expect(build.nodes.body()).toMatchObject({
    own: null,
    problem: expect.stringContaining('can be used by others') as string,
  });
  await until(() => desk.nodes.body().nodes[0]?.online === false);
  await until(() => JSON.stringify(desk.rows).includes('node-gone'));
});

it.each(['-oProxyCommand=x', 'me@-oProxyCommand=x', '-', 'me@', ''])(
  'hands ssh nothing that it could take for an option: %s',
  (destination) => {
    try {
      sshArguments(destination);
      expect.unreachable();
    } catch (error) {
      expect(refusalOf(error)?.code).toBe('invalid-request');
    }
    expect(sshArguments('me@build').slice(-5)).toEqual([
      '--',
      'me@build',
      'interlock',
      'node',
      'stdio',
    ]);
  },
);

it.skipIf(!hasSshd)(
  'comes to a node by the real ssh, pairs with it, and stays connected, with no port of its own',
  async () => {
    const [desk, build] = [nodesHome(null), nodesHome(null)];
    const { path, dispose } = await startSshServer(stdioCommand(build.paths.home));
    onTestFinished(dispose);
    vi.stubEnv('PATH', path);
    onTestFinished(() => void vi.unstubAllEnvs());
    const waiting = await openStreamSocket(build.paths.pairSocket);
    onTestFinished(() => waiting.dispose());
    desk.settings.ssh = ['build'];
    await desk.nodes.apply();
    const signal = new AbortController().signal;
    const how = { certificate: null, clock: systemClock, signal };
    const dialled = await dialThrough({ ...how, stream: await waiting.next(signal) });
    await pairHomes(dialled, desk, build, { via: 'ssh' });
    waiting.dispose();

    await build.nodes.apply();
    await until(() => desk.heard.length === 1);
    expect(desk.nodes.body()).toMatchObject({
      listening: null,
      calls: ['ssh build'],
      problem: null,
      nodes: [{ displayName: 'build', online: true, lastAddress: 'build' }],
    });
    expect(build.nodes.body().own).toMatchObject({ connected: true, address: 'it comes by SSH' });

    await build.nodes.dispose();
    await until(() => desk.nodes.body().nodes[0]?.online === false);
    await until(() => desk.nodes.body().problem?.includes('Nothing waits here') === true);
  },
  20_000,
);

it('goes on waiting for its gateway when somebody else opens the socket, and tells them nothing', async () => {
  const build = nodesHome(null);
  const [own, other] = [newDevice(), newDevice()];
  writeNodeFile(build.paths.nodeFile, {
    version: 1,
    id: own.device.id,
    displayName: 'build',
    key: own.pem,
    token: 'T'.repeat(43),
    gateway: {
      via: 'ssh',
      displayName: 'desk',
      key: other.device.publicKey,
      certificate: 'ab'.repeat(32),
    },
    pairedAt: 1,
  });
  await build.nodes.apply();
  // One with a certificate of its own, as somebody between the two would have; and one with none.
  const certificate = await openGatewayCertificate({
    path: build.paths.nodesCertificate,
    uid,
    now: Date.now(),
  });
  const callers: Caller[] = [];
  const door = openStreamDoor({
    certificate,
    clock: systemClock,
    onCaller: (caller) => void callers.push(caller),
  });
  onTestFinished(() => door.dispose());
  const forged = connect(build.paths.nodeSocket);
  door.take(forged, 'somewhere');
  await once(forged, 'close');
  expect(callers).toEqual([]);
  expect(build.nodes.body().own).toMatchObject({ connected: false, given: false });
  await until(() => build.nodes.body().own?.problem !== null);
  expect(build.nodes.body().own).toMatchObject({
    given: false,
    problem: expect.stringContaining('another certificate') as string,
  });
});
