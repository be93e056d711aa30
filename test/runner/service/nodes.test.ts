import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { compile, s } from '../../../shared/base/index.ts';
import { defaultConfig } from '../../../shared/engine/index.ts';
import { homePaths, ownUid, systemClock } from '../../../shared/home/index.ts';
import { parseAddress } from '../../../runner/nodes/address.ts';
import { newDevice } from '../../../runner/nodes/device.ts';
import { dial } from '../../../runner/nodes/dial.ts';
import { pairWithGateway } from '../../../runner/nodes/handshake.ts';
import { writeNodeFile } from '../../../runner/nodes/node-file.ts';
import { joinNodes } from '../../../runner/service/nodes.ts';
import type { NodeTraffic } from '../../../runner/service/nodes.ts';

const uid = ownUid();
const check = compile(s.string());

async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; !isSo(); turn += 1) {
    if (turn > 3_000) throw new Error('it did not come to that');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The other machines of one home, with settings that a test changes. */
function home(listen: string | null) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-nodes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = homePaths({ INTERLOCK_HOME: folder });
  for (const each of [paths.stateDirectory, paths.keysDirectory]) mkdirSync(each, { mode: 0o700 });
  const settings = { listen, problem: null as { readonly message: string } | null };
  const heard: string[] = [];
  const rows: unknown[] = [];
  const traffic: NodeTraffic<string, string> = {
    checkAtGateway: check,
    checkAtNode: check,
    onNode: (link) => link.onFrame((frame) => heard.push(frame)),
    onGateway: (link) => void link.send('hello'),
  };
  const parts = {
    config: {
      problem: () => settings.problem,
      current: () => ({ ...defaultConfig, nodes: { listen: settings.listen } }),
    },
    policy: { current: () => ({ hash: 'f'.repeat(64) }) },
  } as unknown as Parameters<typeof joinNodes>[0];
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const audit = { append: async (row: unknown) => void rows.push(row) } as never;
  const base = { paths, uid, clock: systemClock, log, audit };
  const nodes = joinNodes(parts, base, async () => traffic);
  onTestFinished(async () => nodes.dispose());
  return { nodes, paths, settings, heard, rows };
}

async function answers(listening: string | null): Promise<boolean> {
  if (listening === null) return false;
  return new Promise((resolve) => {
    const socket = connect(parseAddress(listening));
    socket.once('connect', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(false));
  });
}

it('opens a port where the settings say one, moves it with them, and shuts it', async () => {
  const { nodes, settings } = home(null);
  await nodes.apply();
  expect(nodes.body()).toEqual({
    listening: null,
    problem: null,
    nodes: [],
    waiting: [],
    own: null,
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
  const { nodes, paths } = home('127.0.0.1:0');
  writeFileSync(paths.nodes, '{"version":1,"nodes":[', { mode: 0o600 });
  await nodes.apply();
  expect(nodes.body()).toMatchObject({
    listening: null,
    problem: expect.stringContaining('nodes.json') as string,
  });
  rmSync(paths.nodes);
  await nodes.apply();
  expect(nodes.body()).toMatchObject({ problem: null });
  expect(nodes.body().listening).not.toBeNull();
});

it('is the node of a gateway for as long as node.json says so, and can be believed', async () => {
  const desk = home('127.0.0.1:0');
  await desk.nodes.apply();
  const address = parseAddress(desk.nodes.body().listening ?? '');
  const build = home(null);
  const { device, pem } = newDevice();
  const signal = new AbortController().signal;
  const dialled = await dial({ ...address, certificate: null, clock: systemClock, signal });
  const certificate = Buffer.from(dialled.channel.certificate).toString('hex');
  await pairWithGateway(dialled.talk, {
    device,
    channel: dialled.channel,
    nonce: () => 'n'.repeat(43),
    state: { version: '1', policyHash: null },
    displayName: 'build',
    confirm: async ({ code }) => {
      await until(() => desk.nodes.body().waiting.length === 1);
      desk.nodes.approve(code);
      return true;
    },
    keep: ({ key, displayName, token }) =>
      writeNodeFile(build.paths.nodeFile, {
        version: 1,
        id: device.id,
        displayName: 'build',
        key: pem,
        token,
        gateway: { ...address, key, displayName, certificate },
        pairedAt: 0,
      }),
  });
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
