import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { NodesBody } from '../../../shared/wire/index.ts';
import { newDevice } from '../../../runner/nodes/device.ts';
import { serve } from '../ingress/support.ts';
import { cli, temporaryHome } from './support.ts';

const now = 1_700_000_000_000;
const body: Omit<NodesBody, 'ok'> = {
  listening: '0.0.0.0:7433',
  calls: [],
  problem: null,
  own: null,
  gateways: [],
  waiting: [
    {
      id: 'a1'.repeat(32),
      displayName: 'build machine',
      code: '7KQ2-M0XD',
      version: '0.1.0',
      policyHash: null,
      address: '192.168.1.20',
      since: now - 60_000,
      expiresAt: now + 540_000,
      isKnown: true,
    },
  ],
  nodes: [
    {
      id: 'c4'.repeat(32),
      displayName: 'mac mini',
      state: 'approved',
      online: true,
      version: '0.1.0',
      policyHash: 'd5'.repeat(32),
      pairedAt: now,
      lastSeenAt: now,
      lastAddress: '192.168.1.7',
      problems: [{ code: 'not-proven', message: 'Somebody was\u001B[2J here.', at: now - 60_000 }],
    },
  ],
};

/** A command line whose runner says this of other machines. */
async function asked(nodes: Partial<NodesBody> = {}) {
  const { home, folder, remove } = temporaryHome();
  onTestFinished(remove);
  mkdirSync(home, { mode: 0o700 });
  const removed: string[] = [];
  const { path } = await serve({
    api: {
      nodes: {
        body: () => ({ ...body, ...nodes }),
        approve: () => ({}) as never,
        policyOf: async () => ({}) as never,
        editPolicyOf: async () => ({ kind: 'conflict' }),
        decline: (code) => void removed.push(code),
        remove: (name) => {
          removed.push(name);
          const [node] = body.nodes;
          if (node === undefined) throw new Error('there is one');
          return { ...node, state: 'removed', problems: [] };
        },
      },
    },
  });
  const options = { home, now: () => now, env: { INTERLOCK_SOCKET: path } };
  const run = async (...args: readonly string[]) => cli(options, 'node', ...args);
  return { run, home, folder, removed, options };
}

it('lists who waits with which code, and who is paired', async () => {
  const { run } = await asked();
  const { out, exitCode } = await run('list');
  expect(exitCode).toBe(0);
  expect(out).toContain('Nodes are listened for on 0.0.0.0:7433.');
  expect(out).toMatch(/\n {2}! Somebody was⟨ESC\[2J⟩ here\. \(60 s ago\)\n/u);
  expect(out).toContain('7KQ2-M0XD  build machine waits to be paired anew');
  expect(out).toContain('from 192.168.1.20, Interlock 0.1.0, 9 min left');
  expect(out).toMatch(/mac mini +online\n {2}c4c4c4c4c4c4 .* policy d5d5d5d5d5d5, connected from/u);
  const json = JSON.parse((await run('list', '--json')).out) as NodesBody;
  expect(json).toEqual({ ok: true, ...body });
});

it('says which gateways a fleet has, which of them a node has no link to, and who unlocked', async () => {
  const [desk, attic] = ['a7'.repeat(32), 'c9'.repeat(32)];
  const [node] = body.nodes;
  if (node === undefined) throw new Error('there is one');
  const standings = [
    { id: desk, connected: true, since: now },
    { id: attic, connected: false, since: now - 120_000 },
    { id: 'f'.repeat(64), connected: false, since: null },
  ];
  const { run } = await asked({
    gateways: [
      { id: desk, displayName: null, isThis: true, links: 1, lastSeenAt: null },
      { id: attic, displayName: 'attic', isThis: false, links: 0, lastSeenAt: now - 120_000 },
      { id: 'b'.repeat(64), displayName: 'shed', isThis: false, links: null, lastSeenAt: null },
    ],
    nodes: [{ ...node, lockout: 'locked', isLocked: false, gateways: standings }],
  });
  const { out } = await run('list');
  expect(out).toMatch(/mac mini +online, unlocked again\n/u);
  expect(out).toContain('\n  no link to the gateway attic for 2 min\n');
  expect(out.match(/no link/gu)).toHaveLength(1);
  expect(out).toContain('\nGateway (made the fleet) (a7a7a7a7a7a7)  this machine\n');
  expect(out).toContain(
    '\nGateway attic (c9c9c9c9c9c9)  no nodes have a link to it, the last one 2 min ago\n',
  );
  expect(out).toContain('\nGateway shed (bbbbbbbbbbbb)  not known: no node is here\n');
});

it('says how this machine stands as a node, and ends with 1 where it is not connected', async () => {
  const own = {
    id: 'b2'.repeat(32),
    displayName: 'build',
    gateway: 'desk',
    address: 'desk.example:7433',
    connected: false,
    since: now - 30_000,
    problem: 'This machine was removed by a person at the gateway.',
    given: true,
  };
  const { run } = await asked({ own });
  const { out, exitCode } = await run('status');
  expect(exitCode).toBe(1);
  expect(out).toContain('not connected, and not trying any more');
  expect(out).toContain('removed by a person');
  const there = await asked({ own: { ...own, connected: true, problem: null, given: false } });
  expect(await there.run('status')).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining('connected for 30 s') as string,
  });
  expect(await (await asked()).run('status')).toMatchObject({ exitCode: 1 });
});

it('takes a terminal to pair and to approve, and none to send away and to remove', async () => {
  const { run, removed } = await asked();
  for (const words of [
    ['approve', '7KQ2-M0XD'],
    ['pair', 'desk.example'],
  ])
    expect(await run(...words)).toMatchObject({
      exitCode: 125,
      err: expect.stringContaining('Only a person at a terminal') as string,
    });
  expect(await run('remove', 'mac mini')).toMatchObject({
    exitCode: 0,
    out: 'mac mini (c4c4c4c4c4c4) was removed.\n',
  });
  expect(await run('decline', '7KQ2-M0XD')).toMatchObject({ exitCode: 0 });
  expect(removed).toEqual(['mac mini', '7KQ2-M0XD']);
});

it('starts no runner as a node where it is none, or where node.json cannot be believed', async () => {
  const { run, home } = await asked();
  expect(await run('run')).toMatchObject({
    exitCode: 125,
    err: expect.stringContaining('the node of no gateway') as string,
  });
  const [own, other] = [newDevice(), newDevice()];
  const file = {
    version: 1,
    id: own.device.id,
    displayName: 'build',
    key: own.pem,
    token: 'T'.repeat(43),
    gateway: {
      host: 'desk.example',
      port: 7433,
      displayName: 'desk',
      key: other.device.publicKey,
      certificate: 'ab'.repeat(32),
    },
    pairedAt: 1,
  };
  const path = join(home, 'node.json');
  for (const [text, mode] of [
    [JSON.stringify({ ...file, id: other.device.id }), 0o600],
    [JSON.stringify({ ...file, more: 1 }), 0o600],
    [JSON.stringify({ ...file, gateway: { ...file.gateway, certificate: '' } }), 0o600],
    ['{', 0o600],
    [JSON.stringify(file), 0o644],
  ] as const) {
    writeFileSync(path, text, { mode });
    const { err, exitCode } = await run('run');
    expect(exitCode).toBe(126);
    expect(err).toContain('node.json');
    expect(err).not.toContain('PRIVATE KEY');
    expect(err).not.toContain(file.token);
    rmSync(path);
  }
});
