import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openGatewayRuns, openNodeRuns } from '../../../runner/nodes/runs.ts';
import type { GatewayRunRecord, NodeRunRecord } from '../../../runner/nodes/runs.ts';
import type { RunEnd, ToGateway, ToNode } from '../../../shared/wire/index.ts';

class Crash extends Error {}

/** A disk whose machine may die at a write: before it, or right after. */
function disk<R>() {
  const records: R[] = [];
  let dies: 'before' | 'after' | null = null;
  return {
    records,
    dieAtNext: (when: 'before' | 'after') => {
      dies = when;
    },
    recover: () => {
      dies = null;
    },
    keep: (record: R) => {
      const when = dies;
      dies = null;
      if (when === 'before') throw new Crash();
      records.push(structuredClone(record));
      if (when === 'after') throw new Crash();
    },
  };
}

/** Two machines and a link that delivers in any order, twice, or not at all. */
function world() {
  const nodeDisk = disk<NodeRunRecord<string>>();
  const gatewayDisk = disk<GatewayRunRecord<string>>();
  const toNode: ToNode<string>[] = [];
  const toGateway: ToGateway<string>[] = [];
  const starts = new Map<number, number>();
  const ends = new Map<number, RunEnd<string>[]>();
  const running = new Set<number>();
  const deciding = new Set<number>();
  const stopped = new Set<number>();
  /** Those of which the end was written down while the node lived. */
  const finished = new Set<number>();
  const openNode = () => {
    running.clear();
    deciding.clear();
    return openNodeRuns<string, string>({
      kept: nodeDisk.records,
      keep: nodeDisk.keep,
      send: (frame) => toGateway.push(frame),
      idOf: (task) => task,
      begin: (run) => deciding.add(run),
      stop: (run) => {
        expect(starts.get(run)).toBe(1);
        stopped.add(run);
      },
    });
  };
  const openGateway = () =>
    openGatewayRuns<string, string>({
      kept: gatewayDisk.records,
      keep: gatewayDisk.keep,
      send: (frame) => toNode.push(frame),
      onEnd: (run, end) => ends.set(run, [...(ends.get(run) ?? []), end]),
    });
  let node = openNode();
  let gateway = openGateway();
  const onNode = (run: () => void): void => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      node = openNode();
    }
  };
  const onGateway = (run: () => void): void => {
    try {
      run();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      gateway = openGateway();
    }
  };
  const taken = <T>(from: T[], at: number, copies: boolean): T | undefined =>
    from.length === 0
      ? undefined
      : copies
        ? from[at % from.length]
        : from.splice(at % from.length, 1)[0];
  const nth = (of: Set<number>, at: number): number | undefined => [...of][at % (of.size || 1)];
  return {
    nodeDisk,
    gatewayDisk,
    toNode,
    toGateway,
    starts,
    ends,
    running,
    deciding,
    finished,
    gateway: () => gateway,
    node: () => node,
    ask: () => onGateway(() => gateway.ask('make', 'digest')),
    recall: (at: number) =>
      onGateway(() => gateway.recall(1 + (at % Math.max(1, gatewayDisk.records.length)))),
    cancel: (at: number) =>
      onGateway(() => gateway.cancel(1 + (at % Math.max(1, gatewayDisk.records.length)))),
    stopped,
    deliverToNode: (at: number, copies: boolean) => {
      const frame = taken(toNode, at, copies);
      if (frame !== undefined) onNode(() => node.receive(frame));
    },
    deliverToGateway: (at: number, copies: boolean) => {
      const frame = taken(toGateway, at, copies);
      if (frame !== undefined) onGateway(() => gateway.receive(frame));
    },
    start: (at: number) => {
      const run = nth(deciding, at);
      if (run === undefined) return;
      deciding.delete(run);
      onNode(() => {
        try {
          node.starting(run);
        } catch (error) {
          if (error instanceof Crash) throw error;
          return;
        }
        starts.set(run, (starts.get(run) ?? 0) + 1);
        running.add(run);
      });
    },
    deny: (at: number) => {
      const run = nth(deciding, at);
      if (run === undefined) return;
      deciding.delete(run);
      onNode(() => node.over(run, 'denied'));
    },
    finish: (at: number) => {
      const run = nth(running, at);
      if (run === undefined) return;
      running.delete(run);
      onNode(() => {
        node.over(run, 'exited');
        finished.add(run);
      });
    },
    killNode: () =>
      onNode(() => {
        node = openNode();
      }),
    killGateway: () => {
      gateway = openGateway();
    },
    connect: () => {
      toGateway.push(...node.connected());
      toNode.push(...gateway.connected());
    },
  };
}

type World = ReturnType<typeof world>;

const at = fc.nat({ max: 50 });
const when = fc.constantFrom('before' as const, 'after' as const);
const lose = (frames: unknown[], n: number): void => {
  if (frames.length > 0) frames.splice(n % frames.length, 1);
};
const step: fc.Arbitrary<(on: World) => void> = fc.oneof(
  fc.constant((on: World) => on.ask()),
  at.map((n) => (on: World) => on.recall(n)),
  at.map((n) => (on: World) => on.cancel(n)),
  fc.tuple(at, fc.boolean()).map(
    ([n, copies]) =>
      (on: World) =>
        on.deliverToNode(n, copies),
  ),
  fc.tuple(at, fc.boolean()).map(
    ([n, copies]) =>
      (on: World) =>
        on.deliverToGateway(n, copies),
  ),
  at.map((n) => (on: World) => lose(on.toNode, n)),
  at.map((n) => (on: World) => lose(on.toGateway, n)),
  at.map((n) => (on: World) => on.start(n)),
  at.map((n) => (on: World) => on.deny(n)),
  at.map((n) => (on: World) => on.finish(n)),
  when.map((how) => (on: World) => on.nodeDisk.dieAtNext(how)),
  when.map((how) => (on: World) => on.gatewayDisk.dieAtNext(how)),
  fc.constant((on: World) => on.killNode()),
  fc.constant((on: World) => on.killGateway()),
  fc.constant((on: World) => on.connect()),
);

function settle(on: World): void {
  on.nodeDisk.recover();
  on.gatewayDisk.recover();
  for (let round = 0; round < 4; round += 1) {
    on.connect();
    while (on.toNode.length + on.toGateway.length + on.deciding.size + on.running.size > 0) {
      on.deliverToNode(0, false);
      on.start(0);
      on.finish(0);
      on.deliverToGateway(0, false);
    }
  }
}

it('starts each run at most once, and both sides end with one account of it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: 'max' }), (steps) => {
      const on = world();
      for (const act of steps) {
        act(on);
        for (const count of on.starts.values()) expect(count).toBe(1);
      }
      settle(on);
      expect(on.gateway().open()).toEqual([]);
      const asked = on.gatewayDisk.records.filter(({ kind }) => kind === 'asked');
      const ended = on.gatewayDisk.records.filter((each) => each.kind === 'ended');
      expect(new Set(ended.map(({ run }) => run))).toEqual(new Set(asked.map(({ run }) => run)));
      expect(ended.length).toBe(asked.length);
      for (const { run, end } of ended) {
        const started = on.starts.has(run);
        if (end.kind === 'never-started') expect(started).toBe(false);
        if (on.finished.has(run)) expect(end.kind).toBe('done');
        if (end.kind === 'done') expect(end.outcome === 'exited').toBe(started);
        expect((on.ends.get(run) ?? []).length).toBeLessThanOrEqual(1);
      }
    }),
    { seed: 20_261_123, numRuns: 600 },
  );
});

it('forgets on the node what is settled, and still starts no late copy of it', () => {
  const on = world();
  for (let n = 0; n < 20; n += 1) on.ask();
  const copies = [...on.toNode];
  settle(on);
  expect(on.node().records()).toEqual([{ kind: 'settled', run: 20, floor: 20 }]);
  on.killNode();
  on.toNode.push(...copies);
  settle(on);
  expect([...on.starts.values()]).toEqual(Array.from({ length: 20 }, () => 1));
});

it('says the same after its records were written anew', () => {
  const on = world();
  for (let n = 0; n < 3; n += 1) on.ask();
  const copies = [...on.toNode];
  for (const _ of copies) on.deliverToNode(0, false);
  on.start(0);
  on.start(0);
  on.finish(0);
  on.nodeDisk.records.splice(0, Infinity, ...on.node().records());
  on.killNode();
  on.toNode.push(...copies);
  settle(on);
  const ended = on.gatewayDisk.records.filter((each) => each.kind === 'ended');
  expect(Object.fromEntries(ended.map(({ run, end }) => [run, end.kind]))).toEqual({
    1: 'done',
    2: 'unknown',
    3: 'done',
  });
  expect(on.starts.get(1)).toBe(1);
});

it('starts nothing that it cannot write down, and nothing that was recalled while it was decided', () => {
  const on = world();
  on.ask();
  on.deliverToNode(0, false);
  on.nodeDisk.dieAtNext('before');
  expect(() => on.node().starting(1)).toThrow(Crash);
  on.recall(0);
  on.deliverToNode(0, false);
  expect(() => on.node().starting(1)).toThrow('requester-gone');
  settle(on);
  expect(on.ends.get(1)).toEqual([{ kind: 'never-started' }]);
});

it('refuses what contradicts itself: a number for two runs, an end that nobody asked for', () => {
  const on = world();
  on.ask();
  on.deliverToNode(0, false);
  expect(() => on.node().receive({ type: 'run', run: 1, digest: 'other', task: 'x' })).toThrow(
    'gives a number to two different runs',
  );
  expect(() => on.node().receive({ type: 'settled', run: 2, floor: 2 })).toThrow(
    'settles a run that has not ended',
  );
  const end: RunEnd<string> = { kind: 'done', outcome: 'exited' };
  expect(() => on.gateway().receive({ type: 'end', run: 2, digest: 'digest', end })).toThrow(
    'ends a run that nobody asked for',
  );
  expect(() => on.gateway().receive({ type: 'end', run: 1, digest: 'other', end })).toThrow(
    'ends another run under this number',
  );
  expect(on.gateway().open()).toEqual([1]);
});

it('stops what has begun when it is cancelled, and begins nothing that was cancelled before', () => {
  const on = world();
  on.ask();
  on.deliverToNode(0, false);
  on.start(0);
  on.cancel(0);
  // The link breaks: what was said is said again.
  on.toNode.length = 0;
  on.connect();
  on.deliverToNode(0, false);
  expect([...on.stopped]).toEqual([1]);
  on.ask();
  // It was never delivered.
  on.toNode.length = 0;
  on.gateway().cancel(2);
  settle(on);
  expect([...on.starts.keys()]).toEqual([1]);
  expect(on.ends.get(2)).toEqual([{ kind: 'never-started' }]);
});
