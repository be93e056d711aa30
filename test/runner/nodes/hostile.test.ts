import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ownUid } from '../../../shared/home/index.ts';
import type { NodeTask, ToGatewayFrame, ToNodeFrame } from '../../../shared/wire/index.ts';
import type { Gate } from '../../../runner/gate/gate.ts';
import { checkAtGateway, openGatewayDesk } from '../../../runner/nodes/gateway-runs.ts';
import type { GatewayDesk } from '../../../runner/nodes/gateway-runs.ts';
import { taskDigest } from '../../../runner/nodes/journal.ts';
import { openNodeLockouts } from '../../../runner/nodes/lockouts.ts';
import { checkAtNode, openNodeDesk } from '../../../runner/nodes/node-runs.ts';
import { openNodeRuns } from '../../../runner/nodes/runs.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { memoryLinks } from '../../support/memory-links.ts';
import { firstRun, gateway, noAsks, node, task } from '../../support/node-task.ts';

const uid = ownUid();
/** Lets everything happen that only waits for its turn. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What runs writes this much, and ends when the test says so. */
function machine(output = '') {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const exec: Gate['exec'] = async (incoming, io) => {
    incoming.starting?.();
    begun.push(incoming.from?.id ?? '');
    await new Promise<void>((resolve) => {
      ends.push(resolve);
      io.gone?.addEventListener('abort', () => resolve());
    });
    await io.emit({ type: 'stdout', id: 'n', data: output, encoding: 'utf8' });
    const outcome = { ending: 'exited', exitCode: 0, signal: null } as const;
    const captured = { stdout: '', stderr: '', truncated: false, tail: '' };
    // What is not a whole number stands for a disk that takes up no more.
    const durationMs = incoming.from?.id === 'unwritable' ? Number.NaN : 1;
    return { ok: true, id: 'n', outcome, durationMs, output: captured };
  };
  return { begun, exec, finish: (from = 0) => ends.splice(from).forEach((end) => end()) };
}

/** A gateway and a node, each with a disk of its own, that a test may connect again and again. */
function world({ exec = machine().exec, now = (): number => 5 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-hostile-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const disks = { gateway: join(folder, 'gateway'), node: join(folder, 'node') };
  for (const each of Object.values(disks)) mkdirSync(each);
  const clock = fakeClock();
  const notes: string[] = [];
  const locks: (string | null)[] = [];
  const common = { uid, clock, note: (code: string): void => void notes.push(code) };
  const openLockouts = (path = join(folder, 'lockouts.json')) =>
    openNodeLockouts({
      ...common,
      path,
      clock: { ...clock, now },
      pairings: () => [1],
      links: (): ReturnType<Parameters<typeof openNodeLockouts>[0]['links']> =>
        desk.links().map(({ link, pairing }) => ({ link, pairedAt: Number(pairing) })),
    });
  let lockouts = openLockouts();
  const openDesk = (): GatewayDesk =>
    openGatewayDesk({
      ...common,
      asks: noAsks.there,
      directory: disks.gateway,
      onLate: () => undefined,
      isTold: () => new Set(),
      onConnected: (link, pairing) => lockouts.connected(link, Number(pairing)),
      onLocked: (link, order) => lockouts.acknowledged(link, order),
      onPolicy: () => undefined,
      onEndOf: () => undefined,
    });
  let desk = openDesk();
  const there = openNodeDesk({
    ...common,
    asks: noAsks.own,
    directory: disks.node,
    exec,
    lock: async (reason) => void locks.push(reason),
    policy: async () => ({ kind: 'conflict' }),
  });
  const connect = () => {
    const peers = { node, gateway };
    const links = memoryLinks<ToGatewayFrame, ToNodeFrame>({
      checkAtGateway,
      checkAtNode,
      ...peers,
    });
    there.connected(links.atNode, '1');
    desk.connected(links.atGateway, '1');
    return links;
  };
  const ask = (id: string, more: Partial<NodeTask> = {}, signal = new AbortController().signal) => {
    const said = { started: 0 };
    const io = { signal, session: 's', started: () => void (said.started += 1) };
    return { said, end: desk.run(node.id, { ...task, id, ...more }, io) };
  };
  return {
    desk: () => desk,
    there,
    connect,
    ask,
    disks,
    clock,
    notes,
    locks,
    lockouts: () => lockouts,
    /** The state of the gateway was lost, or put back to a day before all this. */
    forgetGateway: () => {
      rmSync(disks.gateway, { recursive: true, force: true });
      mkdirSync(disks.gateway);
      lockouts = openLockouts(join(folder, 'lockouts-of-another-day.json'));
      desk = openDesk();
    },
  };
}

it('tells every end over the next connection, however much there is to tell', async () => {
  const { exec, finish } = machine('\u0001'.repeat(200_000));
  const { connect, ask } = world({ exec });
  const links = connect();
  const asked = Array.from({ length: 20 }, (_, n) => ask(`g${String(n)}`));
  await settled();
  links.cut();
  finish();
  await settled();
  connect();
  const ends = await Promise.all(asked.map(async ({ end }) => end));
  expect(ends.map(({ kind }) => kind)).toEqual(Array.from({ length: 20 }, () => 'done'));
});

it('asks again over the next connection, however much there is to ask', async () => {
  const { exec, begun, finish } = machine();
  const { connect, ask } = world({ exec });
  const links = connect();
  links.hold('node');
  const stdin = 'A'.repeat(1024 * 1024);
  const asked = Array.from({ length: 14 }, (_, n) => ask(`g${String(n)}`, { stdin }));
  links.cut();
  const next = connect();
  await settled();
  expect([next.atNode.isOpen, begun.length]).toEqual([true, 14]);
  finish();
  await Promise.all(asked.map(async ({ end }) => end));
});

it('tells a gateway whose state was put back that it does not know, and has nobody wait', async () => {
  const { exec, begun, finish } = machine();
  const { connect, ask, forgetGateway } = world({ exec });
  const links = connect();
  for (const id of ['g1', 'g2']) {
    const { end } = ask(id);
    await settled();
    finish();
    await end;
  }
  await settled();
  links.cut();
  forgetGateway();
  connect();
  expect(await ask('g3').end).toEqual({ kind: 'unknown' });
  expect(await ask('g4').end).toEqual({ kind: 'unknown' });
  const fifth = ask('g5');
  await settled();
  finish();
  expect(await fifth.end).toMatchObject({ kind: 'done' });
  expect(begun).toEqual(['g1', 'g2', 'g5']);
});

it('tells who waits for a run on a machine that was removed, or paired anew, that nobody will', async () => {
  const { connect, ask, desk } = world();
  connect();
  const first = ask('g1');
  await settled();
  desk().removed(node.id);
  expect(await first.end).toEqual({ kind: 'unknown' });
  connect();
  const second = ask('g2');
  await settled();
  const links = memoryLinks<ToGatewayFrame, ToNodeFrame>({ checkAtGateway, checkAtNode, node });
  desk().connected(links.atGateway, '2');
  expect(await second.end).toEqual({ kind: 'unknown' });
});

it('hears that a run has begun once, and from the node that it is about', async () => {
  const { connect, ask } = world();
  const links = connect();
  const { said } = ask('g1');
  await settled();
  const digest = taskDigest(task);
  for (let n = 0; n < 100; n += 1)
    links.inject('gateway', JSON.stringify({ type: 'started', run: firstRun, digest }));
  await settled();
  expect(said.started).toBe(1);
  const other = ask('g2');
  links.hold('gateway');
  links.inject(
    'gateway',
    JSON.stringify({ type: 'started', run: firstRun + 1, digest: 'f'.repeat(64) }),
  );
  expect(other.said.started).toBe(0);
});

it('locks a node though neither machine can write down what runs there', async () => {
  for (const disk of ['gateway', 'node'] as const) {
    const { connect, disks, locks, lockouts, ask } = world();
    const name = `${disk === 'gateway' ? node.id : gateway.id}-1.jsonl`;
    mkdirSync(join(disks[disk], name));
    lockouts().look({ mode: 'locked', reason: disk });
    const links = connect();
    await settled();
    expect([locks, links.atGateway.isOpen]).toEqual([[disk], true]);
    expect(lockouts().of({ id: node.id, pairedAt: 1 })).toBe('locked');
    // And runs nothing: the gateway cannot, or the node ends the link.
    const { end } = ask('g1');
    if (disk === 'gateway') await expect(end).rejects.toThrow('is a directory');
    await settled();
    expect(links.atNode.isOpen).toBe(disk === 'gateway');
  }
});

it('stops what runs where the node could not write down how another ended', async () => {
  const { exec, begun, finish } = machine();
  const { connect, ask, notes, locks, lockouts } = world({ exec });
  connect();
  const stop = new AbortController();
  const { end } = ask('g1', {}, stop.signal);
  void ask('unwritable').end;
  await settled();
  expect(begun).toEqual(['g1', 'unwritable']);
  finish(1);
  await settled();
  expect(notes).toEqual(['node-runs-unkept']);
  const links = connect();
  await settled();
  expect(links.atNode.isOpen).toBe(false);
  // Nothing new, and no end; but a lockout, and a stop.
  lockouts().look({ mode: 'locked', reason: 'stop' });
  connect();
  await settled();
  expect(locks).toEqual(['stop']);
  stop.abort();
  connect();
  await settled();
  connect();
  expect(await end).toEqual({ kind: 'unknown' });
  expect(begun).toEqual(['g1', 'unwritable']);
});

it('locks again after the number of the last lockout was lost, or the clock was put back', async () => {
  let now = 1_000;
  const { connect, locks, lockouts, forgetGateway } = world({ now: () => now });
  connect();
  for (const mode of ['locked', 'armed', 'locked', 'armed'] as const)
    lockouts().look({ mode, reason: 'first' });
  await settled();
  expect(locks.length).toBeGreaterThan(0);
  forgetGateway();
  // Before the machine was paired, by this clock.
  now = 0;
  locks.length = 0;
  connect();
  lockouts().look({ mode: 'locked', reason: 'second' });
  await settled();
  expect(locks).toEqual(['second']);
});

it('takes up no more for a gateway that settles nothing, or with gaps that nobody needs', () => {
  const sent: unknown[] = [];
  const runs = openNodeRuns<string, string>({
    kept: [],
    keep: () => undefined,
    send: (frame) => void sent.push(frame),
    idOf: String,
    begin: (run) => runs.over(run, 'denied'),
    stop: () => undefined,
  });
  const ask = (run: number): void =>
    runs.receive({ type: 'run', run, digest: 'd', task: String(run) });
  const settle = (run: number): void => runs.receive({ type: 'settled', run, floor: 0 });
  for (let run = 1; run <= 1_000; run += 1) ask(run);
  expect(() => ask(1_001)).toThrow('takes up no end');
  for (let run = 1; run <= 1_000; run += 1) settle(run);
  // One stretch, and not a thousand marks.
  expect(runs.records()).toEqual([{ kind: 'settled', run: 1_000, floor: 0, from: 1 }]);
  expect(() => settle(5_000)).toThrow('was never here');
  expect(() => {
    for (let run = 1_002; run < 40_000; run += 2) {
      ask(run);
      settle(run);
    }
  }).toThrow('leaves more open');
});

it('keeps ends short once a gateway has left very much of them unsettled', async () => {
  const { exec, finish } = machine('\u0001'.repeat(200_000));
  const { connect, ask } = world({ exec });
  const links = connect();
  const asked = Array.from({ length: 40 }, (_, n) => ask(`g${String(n)}`));
  await settled();
  links.cut();
  finish();
  await settled();
  connect();
  const ends = await Promise.all(asked.map(async ({ end }) => end));
  const lengths = ends.map((end) => (end.kind === 'done' ? end.outcome.stdout.length : -1));
  expect([Math.min(...lengths) < 3_000, Math.max(...lengths)]).toEqual([true, 200_000]);
});
