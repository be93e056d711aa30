import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { ownUid } from '../../../shared/home/index.ts';
import type { ToGatewayFrame, ToNodeFrame } from '../../../shared/wire/index.ts';
import type { Gate } from '../../../runner/gate/gate.ts';
import { checkAtGateway, openGatewayDesk } from '../../../runner/nodes/gateway-runs.ts';
import type { GatewayDesk, LateEnd } from '../../../runner/nodes/gateway-runs.ts';
import { taskDigest } from '../../../runner/nodes/journal.ts';
import { openNodeLockouts } from '../../../runner/nodes/lockouts.ts';
import { checkAtNode, openNodeDesk } from '../../../runner/nodes/node-runs.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { memoryLinks } from '../../support/memory-links.ts';
import { firstRun, gateway, noAsks, node, task } from '../../support/node-task.ts';

const uid = ownUid();
const silence = { stdout: '', stderr: '', truncated: false, tail: '' };
const done = { kind: 'ran', exitCode: 0, signal: null, durationMs: 1, ...silence } as const;
const soon = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Both sides of a pairing, with a link that a test may speak on as either. */
function world(exec: Gate['exec'] = async (incoming) => ran(incoming)) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-desks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = fakeClock();
  const notes: string[] = [];
  const late: LateEnd[] = [];
  const inRecord = new Set<string>();
  const locks: (string | null)[] = [];
  const note = (code: string): void => void notes.push(code);
  const common = { uid, clock, note };
  const lockoutsPath = join(folder, 'lockouts.json');
  const lockouts = openNodeLockouts({
    ...common,
    path: lockoutsPath,
    clock: { ...clock, now: () => 5 },
    pairings: () => [],
    links: (): ReturnType<Parameters<typeof openNodeLockouts>[0]['links']> =>
      desk.links().map(({ link, pairing }) => ({ link, pairedAt: Number(pairing) })),
  });
  const desk: GatewayDesk = openGatewayDesk({
    ...common,
    asks: noAsks.there,
    directory: folder,
    onLate: (end) => void late.push(end),
    isTold: () => inRecord,
    onConnected: (link, pairing) => lockouts.connected(link, Number(pairing)),
    onLocked: (link, order) => lockouts.acknowledged(link, order),
    onPolicy: () => undefined,
    onEndOf: () => undefined,
  });
  const there = openNodeDesk({
    ...common,
    asks: noAsks.own,
    directory: folder,
    exec,
    lock: async (reason) => void locks.push(reason),
    policy: async () => ({ kind: 'conflict' }),
  });
  const links = memoryLinks<ToGatewayFrame, ToNodeFrame>({
    checkAtGateway,
    checkAtNode,
    node,
    gateway,
  });
  const io = (signal = new AbortController().signal) => ({
    signal,
    session: 's',
    started: () => undefined,
  });
  /** The gateway was killed, and is started again over what it left. */
  const again = (): GatewayDesk =>
    openGatewayDesk({
      ...common,
      asks: noAsks.there,
      directory: folder,
      onLate: (end) => void late.push(end),
      isTold: () => inRecord,
      onConnected: () => undefined,
      onLocked: () => undefined,
      onPolicy: () => undefined,
      onEndOf: () => undefined,
    });
  return {
    desk,
    again,
    there,
    links,
    notes,
    late,
    inRecord,
    locks,
    lockouts,
    lockoutsPath,
    clock,
    io,
  };
}

async function ran(incoming: Parameters<Gate['exec']>[0]): ReturnType<Gate['exec']> {
  incoming.starting?.();
  const outcome = { ending: 'exited', exitCode: 0, signal: null } as const;
  return { ok: true, id: 'n1', outcome, durationMs: 1, output: silence };
}

it('has a node run a task once, however often its frames come', async () => {
  let runs = 0;
  const { desk, there, links, io } = world(async (incoming) => {
    runs += 1;
    return ran(incoming);
  });
  desk.connected(links.atGateway, '1');
  there.connected(links.atNode, '1');
  expect(await desk.run(node.id, task, io())).toMatchObject({ outcome: { exitCode: 0 } });
  const copy = { type: 'run', run: firstRun, digest: taskDigest(task), task };
  links.inject('node', JSON.stringify(copy));
  links.inject('node', JSON.stringify(copy));
  await soon();
  expect([runs, links.atNode.isOpen]).toEqual([1, true]);
});

const end = (run: number, digest: string): ToGatewayFrame => ({
  type: 'end',
  run,
  digest,
  end: { kind: 'done', outcome: done },
});

it.each([
  ['ends a run that nobody asked for', JSON.stringify(end(firstRun + 6, taskDigest(task))), true],
  ['ends another run under a number', JSON.stringify(end(firstRun, 'f'.repeat(64))), true],
  ['acknowledges a lockout that there was not', '{"type":"locked","order":3}', true],
  ['says what no node says', '{"type":"recall","run":1,"digest":"x"}', false],
  [
    'tells more than there may be',
    JSON.stringify({
      ...end(firstRun, taskDigest(task)),
      end: { kind: 'done', outcome: { ...done, stdout: 'x'.repeat(200_100) } },
    }),
    false,
  ],
])('cuts a node off that %s, and believes nothing of it', async (_what, text, isNoted) => {
  const { desk, links, notes, io } = world();
  desk.connected(links.atGateway, '1');
  let isOver = false;
  void desk.run(node.id, task, io()).then(() => (isOver = true));
  links.inject('gateway', text);
  await soon();
  expect([links.atGateway.isOpen, isOver]).toEqual([false, false]);
  expect(notes).toEqual(isNoted ? ['node-contradicted'] : []);
  await expect(desk.run(node.id, task, io())).rejects.toThrow('not connected');
});

it('waits for no node for ever, and takes an end that comes later for what it is', async () => {
  const { desk, links, late, clock, io } = world();
  desk.connected(links.atGateway, '1');
  const stop = new AbortController();
  const waits = desk.run(node.id, task, io(stop.signal));
  stop.abort();
  clock.advance(15_000);
  expect(await waits).toEqual({ kind: 'unknown' });
  links.inject('gateway', JSON.stringify(end(firstRun, taskDigest(task))));
  links.inject('gateway', JSON.stringify(end(firstRun, taskDigest(task))));
  await soon();
  expect(late).toMatchObject([{ nodeId: node.id, of: { id: 'g1', session: 's' } }]);
});

it('tells the end of a run whose gateway was killed before the record had it, until the record has it', async () => {
  const { desk, again, links, late, inRecord, io } = world();
  desk.connected(links.atGateway, '1');
  // Whoever waits dies with its process, right after the journal has the end.
  void desk.run(node.id, task, io());
  links.inject('gateway', JSON.stringify(end(firstRun, taskDigest(task))));
  await soon();
  expect(late).toEqual([]);

  const told = { nodeId: node.id, of: { id: 'g1', session: 's' }, end: { kind: 'done' } };
  again().connected(links.atGateway, '1');
  expect(late).toMatchObject([told]);
  // Killed before that was on the disk, too.
  again().connected(links.atGateway, '1');
  expect(late).toMatchObject([told, told]);
  inRecord.add('g1');
  again().connected(links.atGateway, '1');
  expect(late).toHaveLength(2);
});

it('cuts a gateway off whose digest is not that of its task, and runs nothing', async () => {
  let runs = 0;
  const { there, links, notes } = world(async (incoming) => {
    runs += 1;
    return ran(incoming);
  });
  there.connected(links.atNode, '1');
  const forged = { ...task, argv: ['false'] };
  links.inject(
    'node',
    JSON.stringify({ type: 'run', run: 1, digest: taskDigest(task), task: forged }),
  );
  await soon();
  expect([runs, links.atNode.isOpen, notes]).toEqual([0, false, ['gateway-contradicted']]);
});

it('brings a lockout to each node once, and never again after that machine was unlocked', async () => {
  const { desk, there, links, locks, lockouts } = world();
  const who = { id: node.id, pairedAt: 1 };
  lockouts.look({ mode: 'locked', reason: 'stop' });
  expect(lockouts.of(who)).toBe('waiting');
  expect(lockouts.of({ ...who, pairedAt: 6 })).toBe(null);
  lockouts.look({ mode: 'armed', reason: null });
  desk.connected(links.atGateway, '1');
  there.connected(links.atNode, '1');
  await soon();
  await soon();
  expect([locks, lockouts.of(who)]).toEqual([['stop'], null]);
  links.inject('node', '{"type":"lockout","order":5,"reason":"stop"}');
  await soon();
  expect(locks).toEqual(['stop']);
  lockouts.look({ mode: 'locked', reason: null });
  await soon();
  await soon();
  expect([locks, lockouts.of(who)]).toEqual([['stop', null], 'locked']);
});

it('writes down together who has heard of a lockout at once, and forgets nobody when it ends', () => {
  const { links, lockouts, clock, lockoutsPath } = world();
  const kept = (): readonly string[] =>
    (JSON.parse(readFileSync(lockoutsPath, 'utf8')) as { locked: string[] }).locked;
  const heard = (letter: string): string => {
    const id = letter.repeat(64);
    lockouts.acknowledged({ ...links.atGateway, peer: { ...node, id } }, 5);
    return id;
  };
  lockouts.look({ mode: 'locked', reason: 'stop' });
  const [one, other] = [heard('1'), heard('2')];
  expect(kept()).toEqual([]);
  clock.advance(100);
  expect(kept()).toEqual([one, other]);
  expect(clock.pending).toBe(0);
  const last = heard('3');
  lockouts.dispose();
  expect(kept()).toEqual([one, other, last]);
  expect(clock.pending).toBe(0);
});

/** Five nodes and one gateway, whose links break in the middle of anything. */
function fleet() {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-desks-'));
  const clock = fakeClock();
  const begun = new Map<string, number>();
  const told = new Map<string, number>();
  const finish: (() => void)[] = [];
  const note = (code: string): never => {
    throw new Error(code);
  };
  const common = { uid, clock, note };
  const desk = openGatewayDesk({
    ...common,
    asks: noAsks.there,
    directory: folder,
    onLate: note.bind(null, 'late'),
    isTold: () => new Set(),
    onConnected: () => undefined,
    onLocked: () => undefined,
    onPolicy: () => undefined,
    onEndOf: () => undefined,
  });
  const nodes = Array.from({ length: 5 }, (_, index) => {
    const directory = join(folder, String(index));
    mkdirSync(directory);
    const exec: Gate['exec'] = async (incoming) => {
      incoming.starting?.();
      const id = incoming.from?.id ?? '';
      begun.set(id, (begun.get(id) ?? 0) + 1);
      await new Promise<void>((resolve) => void finish.push(resolve));
      const outcome = { ending: 'exited', exitCode: 0, signal: null } as const;
      return { ok: true, id, outcome, durationMs: 1, output: silence };
    };
    const there = openNodeDesk({
      ...common,
      asks: noAsks.own,
      directory,
      exec,
      lock: async () => undefined,
      policy: async () => ({ kind: 'conflict' }),
    });
    let links: ReturnType<typeof memoryLinks<ToGatewayFrame, ToNodeFrame>> | null = null;
    const id = String(index).repeat(64);
    return {
      id,
      cut: () => links?.cut(),
      connect: () => {
        links?.cut();
        links = memoryLinks<ToGatewayFrame, ToNodeFrame>({
          checkAtGateway,
          checkAtNode,
          node: { ...node, id },
          gateway,
        });
        there.connected(links.atNode, '1');
        desk.connected(links.atGateway, '1');
      },
    };
  });
  const ask = (at: number): void => {
    const id = `g${String(told.size)}`;
    const signal = new AbortController().signal;
    const io = { signal, session: null, started: () => undefined };
    const ended = (): void => void told.set(id, (told.get(id) ?? 0) + 1);
    const run = desk.run(nodes[at % 5]?.id ?? '', { ...task, id }, io);
    told.set(id, 0);
    // A node that is not there is told of at once, and never runs it.
    void run.then(ended, () => void told.set(id, begun.has(id) ? -1 : 1));
  };
  const over = (): void => rmSync(folder, { recursive: true, force: true });
  return { nodes, ask, finish, begun, told, over };
}

it('has five nodes run each task at most once and tells each end once, however links break', async () => {
  const at = fc.nat({ max: 4 });
  const steps = fc.array(
    fc.tuple(fc.constantFrom('ask', 'ask', 'cut', 'connect', 'finish', 'wait'), at),
    { maxLength: 30, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (acts) => {
      const { nodes, ask, finish, begun, told, over } = fleet();
      for (const each of nodes) each.connect();
      for (const [act, index] of acts) {
        if (act === 'ask') ask(index);
        else if (act === 'cut') nodes[index]?.cut();
        else if (act === 'connect') nodes[index]?.connect();
        else if (act === 'finish') finish.shift()?.();
        else await soon();
      }
      for (let round = 0; round < 3; round += 1) {
        for (const each of nodes) each.connect();
        await soon();
        for (const finishOne of finish.splice(0)) finishOne();
        await soon();
      }
      over();
      expect([...begun.values()].every((count) => count === 1)).toBe(true);
      expect([...told.values()].every((count) => count === 1)).toBe(true);
    }),
    { seed: 20_261_123, numRuns: 12 },
  );
});

it('reads the no of a newer node, whatever its reason is called, and nothing that is not a name', () => {
  const frame = (code: string) => ({
    type: 'end',
    run: 1,
    digest: 'a'.repeat(64),
    end: {
      kind: 'done',
      outcome: { kind: 'refused', begun: false, code, message: 'No.', hint: 'Wait.', ...silence },
    },
  });
  for (const code of ['policy-deny', 'moon-in-the-way'])
    expect(checkAtGateway(frame(code)).ok).toBe(true);
  for (const code of ['', '\u001B[2J', 'two words', 'x'.repeat(65)])
    expect(checkAtGateway(frame(code)).ok).toBe(false);
});
