import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { refusalOf } from '../../../shared/base/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import type { ToGatewayFrame, ToNodeFrame } from '../../../shared/wire/index.ts';
import type { Gate } from '../../../runner/gate/gate.ts';
import { checkAtGateway, openGatewayDesk } from '../../../runner/nodes/gateway-runs.ts';
import { newDevice } from '../../../runner/nodes/device.ts';
import { checkAtNode, openNodeDesk } from '../../../runner/nodes/node-runs.ts';
import { createPairingDesk } from '../../../runner/nodes/pairing-desk.ts';
import { openRegistry } from '../../../runner/nodes/registry.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { memoryLinks } from '../../support/memory-links.ts';
import { noAsks, node, task } from '../../support/node-task.ts';

const uid = ownUid();
const missedMs = 30_000;
const turns = async (): Promise<void> => {
  for (let at = 0; at < 20; at += 1) await new Promise((resolve) => setImmediate(resolve));
};
type EndOf = Extract<ToGatewayFrame, { type: 'end-of' }>;

const never = (error: unknown): never => {
  throw error;
};

/** One node and two gateways of one fleet, each on a disk of its own. */
function oneNode() {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-several-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = fakeClock();
  const begun: string[] = [];
  const ending = new Map<string, (() => void)[]>();
  const note = (): void => undefined;
  const asked = new Map<string, () => void>();
  const exec: Gate['exec'] = async (incoming, { gone }) => {
    const id = incoming.from?.id ?? '';
    if (id.startsWith('asked')) await new Promise<void>((resolve) => asked.set(id, resolve));
    try {
      incoming.starting?.();
    } catch (error) {
      return { ok: false, id, refusal: refusalOf(error) ?? never(error) };
    }
    begun.push(id);
    const how = await new Promise<number | null>((resolve) => {
      ending.set(id, [...(ending.get(id) ?? []), () => resolve(0)]);
      gone.addEventListener('abort', () => resolve(null));
    });
    const outcome = { ending: 'exited', exitCode: how ?? 143, signal: null } as const;
    const output = { stdout: 'secret', stderr: '', truncated: false, tail: '' };
    return { ok: true, id, outcome, durationMs: 1, output };
  };
  const disk = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const openNode = () =>
    openNodeDesk({
      uid,
      clock,
      note,
      asks: noAsks.own,
      directory: disk('node'),
      exec,
      lock: async () => undefined,
      policy: async () => ({ kind: 'conflict' }),
    });
  const there = { desk: openNode() };
  const gateway = (name: string, id: string) => {
    const told: EndOf[] = [];
    const open = () =>
      openGatewayDesk({
        uid,
        clock,
        note,
        asks: noAsks.there,
        directory: disk(name),
        onLate: () => undefined,
        isTold: () => new Set(),
        onConnected: () => undefined,
        onLocked: () => undefined,
        onPolicy: () => undefined,
        onEndOf: (_, frame) => void told.push(frame),
      });
    const self = {
      id,
      told,
      desk: open(),
      connect: () => {
        const peer = { id, displayName: name, remoteAddress: null };
        const links = memoryLinks<ToGatewayFrame, ToNodeFrame>({
          checkAtGateway,
          checkAtNode,
          node,
          gateway: peer,
        });
        self.desk.connected(links.atGateway, '1');
        there.desk.connected(links.atNode, '1');
        return links;
      },
      /** It was killed, and is started again over what it left. */
      restart: () => {
        self.desk = open();
      },
      /** Its keys are restored on another machine, which knows nothing of its runs. */
      restore: () => {
        self.desk.dispose();
        rmSync(disk(name), { recursive: true });
        disk(name);
        self.desk = open();
      },
      run: async (run: string) =>
        self.desk.run(
          node.id,
          { ...task, id: run },
          { signal: new AbortController().signal, session: null, started: () => undefined },
        ),
    };
    return self;
  };
  const [one, other] = [gateway('desk', 'a'.repeat(64)), gateway('spare', 'c'.repeat(64))];
  there.desk.gateways([one.id, other.id], '1');
  const restartNode = (): void => {
    there.desk = openNode();
    there.desk.gateways([one.id, other.id], '1');
  };
  return { clock, begun, ending, asked, there, one, other, restartNode };
}

it('tells the gateway that is there what became of runs of one that was killed, and that one, too', async () => {
  const { clock, begun, ending, one, other } = oneNode();
  const [first] = [one.connect(), other.connect()];
  void one.run('r1');
  void one.run('r2');
  const own = other.run('r1');
  await turns();
  for (const end of ending.get('r2') ?? []) end();
  first.cut();
  await turns();
  // It may only be starting again.
  clock.advance(missedMs - 1);
  for (const end of ending.get('r1') ?? []) end();
  await turns();
  expect(other.told).toEqual([]);
  clock.advance(1);
  await turns();
  const ran = { type: 'end-of', gateway: one.id, end: 'ran', code: '0' };
  expect(other.told).toEqual(
    expect.arrayContaining(['r1', 'r2'].map((id) => expect.objectContaining({ ...ran, id }))),
  );
  expect(JSON.stringify(other.told)).not.toContain('secret');
  // The same name of a request at another gateway is another request, with an end of its own.
  expect(begun.filter((id) => id === 'r1')).toHaveLength(2);
  expect(await own).toMatchObject({ kind: 'done', outcome: { exitCode: 0 } });

  one.restart();
  one.connect();
  await turns();
  expect(begun).toHaveLength(3);
  expect(one.told).toEqual([]);
});

it('tells of a run about which a person was asked while its gateway was killed', async () => {
  const { clock, begun, ending, asked, one, other } = oneNode();
  const [first] = [one.connect(), other.connect()];
  for (const id of ['asked-1', 'asked-2']) void one.run(id);
  await turns();
  first.cut();
  clock.advance(missedMs);
  asked.get('asked-1')?.();
  await turns();
  for (const end of ending.get('asked-1') ?? []) end();
  await turns();
  expect(other.told).toEqual([
    { type: 'end-of', gateway: one.id, id: 'asked-1', end: 'ran', code: '0' },
  ]);
  // What waits still for its answer when the gateway is there again never begins.
  one.restart();
  one.connect();
  await turns();
  asked.get('asked-2')?.();
  await turns();
  expect(begun).toEqual(['asked-1']);
});

it('waits for nobody any more once it is closed', async () => {
  const { clock, there, one } = oneNode();
  const links = one.connect();
  await there.desk.dispose();
  links.cut();
  await turns();
  expect(clock.pending).toBe(0);
});

it('tells the others of what ends, or came to nothing, while a gateway is away and the node was started again', async () => {
  const { clock, begun, one, other, restartNode } = oneNode();
  const first = one.connect();
  void one.run('r1');
  await turns();
  first.cut();
  restartNode();
  clock.advance(missedMs);
  await turns();
  other.connect();
  await turns();
  expect(other.told).toEqual([
    { type: 'end-of', gateway: one.id, id: 'r1', end: 'unknown', code: null },
  ]);
  expect(begun).toEqual(['r1']);
});

it('stops what a gateway had run that is none any more, tells the rest, and gives no number twice when it comes back', async () => {
  const { begun, there, one, other } = oneNode();
  one.connect();
  const links = other.connect();
  void other.run('r1');
  await turns();
  there.desk.gateways([one.id], '1');
  await turns();
  expect(links.atNode.isOpen).toBe(false);
  expect(one.told).toEqual([
    { type: 'end-of', gateway: other.id, id: 'r1', end: 'ran', code: '143' },
  ]);
  there.desk.gateways([one.id, other.id], '1');
  other.restart();
  other.connect();
  await turns();
  void other.run('r2');
  await turns();
  expect(begun).toEqual(['r1', 'r2']);
});

it('tells a later pairing of a machine from an earlier one, though the clock was put back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-several-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = fakeClock();
  const registry = openRegistry({ path: join(folder, 'nodes.json'), uid });
  const desk = createPairingDesk({ clock, registry, newToken: () => 'n'.repeat(43) });
  const { device } = newDevice();
  const offer = { id: device.id, key: device.publicKey, displayName: 'build', code: 'AAAA-BBBB' };
  const pairOnce = async (): Promise<number> => {
    const gone = new AbortController().signal;
    const given = desk.offer({ ...offer, version: '1', policyHash: null }, { address: null, gone });
    const { pairedAt } = desk.approve(offer.code);
    await given;
    return pairedAt;
  };
  const first = await pairOnce();
  clock.jump(-3_600_000);
  expect(await pairOnce()).toBe(first + 1);
});

it('runs what a gateway asks for that lost all that it knew, and nothing twice', async () => {
  const { clock, begun, ending, one } = oneNode();
  one.connect();
  const first = one.run('r1');
  const left = one.run('r2');
  await turns();
  for (const end of ending.get('r1') ?? []) end();
  expect(await first).toMatchObject({ kind: 'done' });
  clock.advance(60_000);
  one.restore();
  expect(await left).toEqual({ kind: 'unknown' });
  one.connect();
  await turns();
  const next = one.run('r3');
  await turns();
  for (const end of ending.get('r3') ?? []) end();
  expect(await next).toMatchObject({ kind: 'done', outcome: { exitCode: 0 } });
  expect(begun).toEqual(['r1', 'r2', 'r3']);
});
