import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { refusalOf, s } from '../../../shared/base/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import { newDevice } from '../../../runner/nodes/device.ts';
import { tokenHash } from '../../../runner/nodes/handshake.ts';
import {
  gatewayRecordCheck,
  nodeRecordCheck,
  openGatewayRecords,
  openRunJournal,
} from '../../../runner/nodes/journal.ts';
import { createNumberSet } from '../../../runner/nodes/number-set.ts';
import { openRegistry } from '../../../runner/nodes/registry.ts';
import { openGatewayRuns, openNodeRuns, shortestNodeRecords } from '../../../runner/nodes/runs.ts';
import type { GatewayRunRecord, NodeRunRecord } from '../../../runner/nodes/runs.ts';
import { openSession, silenceMs, versionOfGateway } from '../../../runner/nodes/session.ts';
import type { SessionOptions } from '../../../runner/nodes/session.ts';
import { createTalk } from '../../../runner/nodes/talk.ts';
import { compile } from '../../../shared/base/index.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { memoryWires } from '../../support/memory-links.ts';

const uid = ownUid();
let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-nodes-'));
  path = join(folder, 'kept');
  const made = folder;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
});

function codeFor(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return refusalOf(error)?.code ?? String(error);
  }
  return 'nothing was refused';
}

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the journal of runs', () => {
  const check = nodeRecordCheck(s.string());
  const shortest = shortestNodeRecords<string>;
  const open = () => openRunJournal<NodeRunRecord<string>>({ path, uid, check, shortest });
  const started = (run: number): NodeRunRecord<string> => ({
    kind: 'started',
    run,
    digest: 'd',
  });

  it('has what was kept after its process died, for this user alone', () => {
    const journal = open();
    journal.keep(started(1));
    journal.keep({ kind: 'over', run: 1, digest: 'd', end: { kind: 'done', outcome: 'x' } });
    // Nothing is closed: a process that dies does not.
    journal.keep(started(2));
    expect(open().kept).toEqual([
      { kind: 'over', run: 1, digest: 'd', end: { kind: 'done', outcome: 'x' } },
      started(2),
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('leaves out a last line that was never finished, and goes on after it', () => {
    open().keep(started(1));
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"kind":"started","run":2,"dig`);
    const again = open();
    expect(again.kept).toEqual([started(1)]);
    again.keep(started(3));
    expect(open().kept).toEqual([started(1), started(3)]);
  });

  it.each([
    [
      'a line that is not a record',
      () => writeFileSync(path, '{"kind":"maybe"}\n', { mode: 0o600 }),
    ],
    [
      'an unknown field',
      () => writeFileSync(path, '{"kind":"started","run":1,"digest":"d","x":1}\n', { mode: 0o600 }),
    ],
    ['others who may read it', () => (open().dispose(), chmodSync(path, 0o644))],
  ])('is refused with %s', (_, spoil) => {
    spoil();
    expect(codeFor(open)).toBe('config-invalid');
  });

  it('keeps nothing any more once something could not be kept', () => {
    const journal = open();
    journal.dispose();
    expect(codeFor(() => journal.keep(started(1)))).toBe('audit-unavailable');
    expect(codeFor(() => journal.shorten([]))).toBe('audit-unavailable');
    expect(open().kept).toEqual([]);
  });

  it('is opened anew, however long it is, and not written anew at each turn', () => {
    const journal = openRunJournal({ path, uid, check, shortest });
    const outcome = 'x'.repeat(1_000_000);
    for (let run = 1; run <= 6; run += 1)
      journal.keep({ kind: 'over', run, digest: 'd', end: { kind: 'done', outcome } });
    journal.keep(started(7));
    const again = openRunJournal({ path, uid, check, shortest });
    expect(again.isLong).toBe(false);
    again.keep({ kind: 'over', run: 7, digest: 'd', end: { kind: 'unknown' } });
    expect([again.isLong, again.size > 6_000_000]).toEqual([false, true]);
  });

  it('keeps nothing that it could not read again', () => {
    const journal = open();
    expect(codeFor(() => journal.keep({ ...started(1), run: 1.5 }))).toBe('audit-unavailable');
    expect(open().kept).toEqual([]);
  });

  it('stands for the same after it was written anew, on both sides', () => {
    const journal = open();
    const runs = openNodeRuns<string, string>({
      ...journal,
      send: () => undefined,
      idOf: (task) => task,
      stop: () => undefined,
      begin: () => undefined,
    });
    runs.receive({ type: 'run', run: 1, digest: 'd', task: 't' });
    runs.starting(1);
    runs.over(1, 'done');
    runs.receive({ type: 'settled', run: 1, floor: 1 });
    journal.shorten(runs.records());
    expect(open().kept).toEqual([{ kind: 'settled', run: 1, floor: 1 }]);

    const other = join(folder, 'gateway');
    const gatewayCheck = gatewayRecordCheck(s.string());
    const gateway = () =>
      openRunJournal<GatewayRunRecord<string>>({
        path: other,
        uid,
        check: gatewayCheck,
        shortest: openGatewayRecords,
      });
    const book = gateway();
    const sent: unknown[] = [];
    const asking = openGatewayRuns<string, string>({
      ...book,
      send: (frame) => sent.push(frame),
      onEnd: () => undefined,
    });
    // The last ends stay, for a record that may not have them yet.
    for (let run = 1; run <= 40; run += 1) asking.ask('t', 'a');
    for (let run = 1; run <= 40; run += 1)
      if (run !== 2) asking.receive({ type: 'end', run, digest: 'a', end: { kind: 'unknown' } });
    const again = gateway();
    again.shorten(again.kept);
    const short = gateway().kept;
    const last = Array.from({ length: 32 }, (_, index) => 9 + index);
    expect(short.map(({ kind, run }) => `${kind} ${run}`)).toEqual([
      'asked 2',
      ...last.map((run) => `asked ${run}`),
      ...last.map((run) => `ended ${run}`),
    ]);
    const reopened = openGatewayRuns<string, string>({
      ...gateway(),
      send: () => undefined,
      onEnd: () => undefined,
    });
    expect(reopened.open()).toEqual([2]);
    expect(reopened.ask('t', 'd')).toBe(41);
  });
});

it('knows the same numbers as a set of each of them, in as few stretches as there are', () => {
  const n = fc.integer({ min: 1, max: 40 });
  fc.assert(
    fc.property(fc.array(fc.tuple(n, fc.nat({ max: 4 }), fc.boolean())), (steps) => {
      const numbers = createNumberSet();
      const each = new Set<number>();
      for (const [from, more, isDrop] of steps)
        if (isDrop) {
          numbers.dropUpTo(from);
          for (const known of each) if (known <= from) each.delete(known);
        } else {
          numbers.add({ from, to: from + more });
          for (let at = from; at <= from + more; at += 1) each.add(at);
        }
      for (let at = 0; at < 50; at += 1) expect(numbers.has(at)).toBe(each.has(at));
      const ends = [...each].filter((at) => !each.has(at + 1));
      expect(numbers.stretches()).toHaveLength(ends.length);
    }),
    { seed: 20_261_124, numRuns: 300 },
  );
});

describe('the registry of nodes', () => {
  const open = () => openRegistry({ path, uid });
  const device = newDevice().device;
  const node = {
    id: device.id,
    displayName: 'build',
    key: device.publicKey,
    tokenHash: tokenHash('first'),
    version: '1',
    policyHash: null,
    lastAddress: null,
    pairedAt: 5,
  };

  it('remembers who was approved, seen and removed', () => {
    const registry = open();
    registry.approve(node);
    registry.seen(node.id, { version: '2', policyHash: null, at: 9, address: '10.0.0.7' });
    expect(open().list()).toEqual([
      { ...node, version: '2', state: 'approved', lastSeenAt: 9, lastAddress: '10.0.0.7' },
    ]);
    expect(registry.remove(node.id)).toBe(true);
    expect(registry.remove(node.id)).toBe(false);
    registry.seen(node.id, { version: '3', policyHash: null, at: 10, address: null });
    expect(open().find(node.id)).toMatchObject({ state: 'removed', version: '2' });
  });

  it('gives back what stood there when a second pairing is not kept', () => {
    const registry = open();
    registry.approve(node);
    registry.approve({ ...node, tokenHash: tokenHash('second') });
    registry.withdraw(node.id, tokenHash('another'));
    expect(open().find(node.id)?.tokenHash).toBe(tokenHash('second'));
    registry.withdraw(node.id, tokenHash('second'));
    expect(open().find(node.id)?.tokenHash).toBe(tokenHash('first'));
  });

  it.each([
    ['no JSON', 'nodes'],
    ['a machine twice', JSON.stringify({ version: 1, nodes: [{}, {}] })],
    ['another version', JSON.stringify({ version: 2, nodes: [] })],
  ])('lets nobody in where its file has %s', (_, text) => {
    writeFileSync(path, text, { mode: 0o600 });
    expect(codeFor(open)).toBe('config-invalid');
  });
});

describe('a session', () => {
  it('carries frames between signs of life, and ends when the other side falls silent', async () => {
    const clock = fakeClock();
    const wires = memoryWires();
    const ends = ['toNode', 'toGateway'].map((way) => {
      const wire = way === 'toNode' ? wires.atGateway : wires.atNode;
      const talk = createTalk(wire, clock);
      wires[way === 'toNode' ? 'toGateway' : 'toNode'].to = talk;
      const states: unknown[] = [];
      const link = openSession<string, string>({
        talk,
        wire,
        clock,
        peer: { id: 'x', displayName: 'x', remoteAddress: null },
        check: compile(s.string()),
        state: () => ({ version: way, policyHash: null }),
        onState: (state) => states.push(state),
      });
      const frames: string[] = [];
      link.onFrame((frame) => frames.push(frame));
      return { link, frames, states };
    });
    const [gateway, node] = ends as [(typeof ends)[number], (typeof ends)[number]];
    clock.advance(0);
    node.link.send('hello');
    await settled();
    expect(gateway.frames).toEqual(['hello']);
    expect(gateway.states).toEqual([{ version: 'toGateway', policyHash: null }]);
    expect(node.states).toEqual([{ version: 'toNode', policyHash: null }]);
    wires.toGateway.isHeld = true;
    const reasons: string[] = [];
    gateway.link.onClose(({ code }) => reasons.push(code));
    for (let ms = 0; ms < silenceMs; ms += 5_000) {
      clock.advance(5_000);
      await settled();
    }
    expect(reasons).toEqual(['lost']);
    expect(node.link.isOpen).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ['reports how a node stands, and at once when that changes', versionOfGateway('0.1.0'), 3],
    ['says nothing of it to a gateway that would not know it', '0.1.0', 0],
  ])('%s', async (_, version, reports) => {
    const clock = fakeClock();
    const wires = memoryWires();
    const told = new Set<() => void>();
    const heard: unknown[] = [];
    const open = (own: string, options: Partial<SessionOptions<string>>) => {
      const wire = own === 'node' ? wires.atNode : wires.atGateway;
      const talk = createTalk(wire, clock);
      wires[own === 'node' ? 'toNode' : 'toGateway'].to = talk;
      const peer = { id: 'x', displayName: 'x', remoteAddress: null };
      const state = () => ({ version, policyHash: null });
      const check = compile(s.string());
      return openSession<string, string>({ talk, wire, clock, peer, check, state, ...options });
    };
    open('gateway', { onState: (__, report) => report && heard.push(report) });
    let locked = false;
    const link = open('node', {
      reporter: {
        read: () => ({ locked, gateways: [{ id: 'a'.repeat(64), connected: true, forMs: 5 }] }),
        onChange: (one) => {
          told.add(one);
          return () => told.delete(one);
        },
      },
    });
    clock.advance(0);
    await settled();
    locked = true;
    for (const one of told) one();
    await settled();
    clock.advance(15_000);
    await settled();
    expect(heard).toHaveLength(reports);
    expect(heard.map((report) => (report as { locked: boolean }).locked)).toEqual(
      [false, true, true].slice(0, reports),
    );
    link.close('It is over.');
    expect(told.size).toBe(0);
  });
});
