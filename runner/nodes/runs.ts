import { refuse } from '../../shared/base/index.ts';
import type { RunEnd, ToGateway, ToNode } from '../../shared/wire/index.ts';
import { createNumberSet } from './number-set.ts';
import type { NumberSet } from './number-set.ts';

/**
 * Runs that one machine has another carry out, over a link that loses, repeats, delays and reorders, and
 * between two processes that may die at any moment: each run starts at most once, and both sides end
 * with the same account of it. Pure but for `keep`, which is on the disk when it returns.
 *
 * A run has a number that only its gateway gives out, and grows; and the digest of what it is to do, so
 * that a gateway whose state was put back to an older day cannot have one run taken for another.
 */

/** What a node has on its disk, oldest first. */
export type NodeRunRecord<O> =
  | {
      readonly kind: 'started';
      readonly run: number;
      readonly digest: string;
      readonly id?: string | undefined;
    }
  | {
      readonly kind: 'over';
      readonly run: number;
      readonly digest: string;
      readonly end: RunEnd<O>;
      /** Of the request at the gateway, where that was told. */
      readonly id?: string | undefined;
    }
  | {
      readonly kind: 'settled';
      readonly run: number;
      readonly floor: number;
      /** Where all from here up to `run` are settled. */
      readonly from?: number | undefined;
    };

/** Ends that a gateway may leave unsettled, and gaps between those that it has settled. */
const mostUnsettled = 1_000;
const mostGaps = 10_000;

export interface NodeRunsOptions<T, O> {
  readonly kept: readonly NodeRunRecord<O>[];
  /** On the disk when it returns; throws where it cannot be. Then nothing starts, and nothing is sent. */
  readonly keep: (record: NodeRunRecord<O>) => void;
  readonly send: (frame: ToGateway<O>) => void;
  /** Of the request that the gateway passes on. */
  readonly idOf: (task: T) => string;
  /** Called with each end, once it is on the disk. */
  readonly onEnd?: (ended: EndedRun<O>) => void;
  /** Has this machine's gate decide. It calls `starting` right before a process is made, then `over`. */
  readonly begin: (run: number, task: T) => void;
  /** The run has begun, and is to be stopped. Its end comes as that of any other. */
  readonly stop: (run: number) => void;
}

/** The node's side. */
export interface NodeRuns<T, O> {
  /** Takes a frame up. Throws `invalid-request` where it contradicts what was said before. */
  receive(frame: ToNode<T>): void;
  /**
   * Throws where the run may not start: it was recalled meanwhile, or cannot be written down. What is
   * thrown here, and by \`over\`, no reader of the link throws: who calls it ends the link.
   */
  starting(run: number): void;
  /** The run has ended, or was refused. Its end is sent until it is settled. */
  over(run: number, outcome: O): void;
  /** Every end that is not settled, to be sent again over a new connection; found as it is asked for. */
  connected(): Iterable<ToGateway<O>>;
  /** Ends that the gateway has not settled, of requests that are known by their id. */
  ended(): readonly EndedRun<O>[];
  /** The shortest records that say the same as all that were kept, for a file that is written anew. */
  records(): readonly NodeRunRecord<O>[];
}

/** The end of a request of the gateway. */
export interface EndedRun<O> {
  readonly id: string;
  readonly end: RunEnd<O>;
}

type NodeEntry<O> = { readonly digest: string; readonly id?: string | undefined } & (
  { readonly state: 'deciding' | 'started' } | { readonly state: 'over'; readonly end: RunEnd<O> }
);

/** Opens the node's side. What was running when it died is `unknown` from here on. */
export function openNodeRuns<T, O>(options: NodeRunsOptions<T, O>): NodeRuns<T, O> {
  const { keep, send, begin, stop } = options;
  const book = restored(options.kept);
  const { entries } = book;
  const finish = (
    run: number,
    { digest, id }: Pick<NodeEntry<O>, 'digest' | 'id'>,
    end: RunEnd<O>,
  ): void => {
    keep({ kind: 'over', run, digest, end, id });
    entries.set(run, { state: 'over', digest, end, id });
    send({ type: 'end', run, digest, end });
    if (id !== undefined) options.onEnd?.({ id, end });
  };
  for (const [run, entry] of entries) {
    if (entry.state !== 'started') continue;
    const { digest, id } = entry;
    const end = { kind: 'unknown' } as const;
    keep({ kind: 'over', run, digest, end, id });
    entries.set(run, { state: 'over', digest, end, id });
  }

  return {
    receive: (frame) => {
      if (frame.type === 'settled') {
        takeSettled(book, frame, keep);
        return;
      }
      const { run, digest } = frame;
      if (isSettled(book, run)) {
        // A late copy, of which the gateway has the end; or its state was put back to an older day, and
        // it gives the number out again: what it was then, nobody here knows any more.
        send({ type: 'end', run, digest, end: { kind: 'unknown' } });
        return;
      }
      const entry = entries.get(run);
      if (entry === undefined) {
        if (isFull(book)) throw contradiction('takes up no end of what it has run here');
        if (frame.type !== 'run') finish(run, { digest }, { kind: 'never-started' });
        else {
          entries.set(run, { state: 'deciding', digest, id: options.idOf(frame.task) });
          begin(run, frame.task);
        }
        return;
      }
      if (entry.digest !== digest) throw contradiction('gives a number to two different runs');
      if (entry.state === 'over') send({ type: 'end', run, digest, end: entry.end });
      else if (entry.state === 'deciding' && frame.type !== 'run')
        finish(run, entry, { kind: 'never-started' });
      else if (frame.type === 'cancel') stop(run);
    },
    starting: (run) => {
      const entry = entries.get(run);
      if (entry?.state !== 'deciding')
        throw refuse(
          'requester-gone',
          'Whoever asked for this run is gone, or it was started already.',
          'Ask for it again.',
        );
      const { digest, id } = entry;
      keep({ kind: 'started', run, digest, id });
      entries.set(run, { state: 'started', digest, id });
    },
    over: (run, outcome) => {
      const entry = entries.get(run);
      if (entry?.state === 'deciding' || entry?.state === 'started')
        finish(run, entry, { kind: 'done', outcome });
    },
    *connected() {
      for (const [run, entry] of entries)
        if (entry.state === 'over')
          yield { type: 'end', run, digest: entry.digest, end: entry.end };
    },
    ended: () =>
      [...entries.values()].flatMap((entry) =>
        entry.state === 'over' && entry.id !== undefined ? [{ id: entry.id, end: entry.end }] : [],
      ),
    records: () => recordsOf(book),
  };
}

/** Writes down what the gateway has the end of, and forgets it. */
function takeSettled<O>(
  book: NodeBook<O>,
  { run, floor: upTo }: { readonly run: number; readonly floor: number },
  keep: NodeRunsOptions<never, O>['keep'],
): void {
  const isRunning = [...book.entries].some(
    ([each, { state }]) => (each <= upTo || each === run) && state !== 'over',
  );
  if (isRunning) throw contradiction('settles a run that has not ended');
  if (isSettled(book, run) && upTo <= book.floor) return;
  if (!isSettled(book, run) && !book.entries.has(run))
    throw contradiction('settles a run that was never here');
  keep({ kind: 'settled', run, floor: upTo });
  // What is above the floor stays as a mark, or a late copy of its frame would start it again.
  settle(book, { run, floor: upTo });
  if (book.settled.stretches().length > mostGaps)
    throw contradiction('leaves more open than there can be');
}

const isFull = ({ entries }: NodeBook<unknown>): boolean =>
  entries.size >= mostUnsettled &&
  [...entries.values()].filter(({ state }) => state === 'over').length >= mostUnsettled;

/** The shortest records that say the same as these. */
export function shortestNodeRecords<O>(
  records: readonly NodeRunRecord<O>[],
): readonly NodeRunRecord<O>[] {
  return recordsOf(restored(records));
}

/** What a node knows of its runs: all up to the floor are settled, and those that are above are marked. */
interface NodeBook<O> {
  readonly entries: Map<number, NodeEntry<O>>;
  readonly settled: NumberSet;
  floor: number;
}

const isSettled = ({ floor, settled }: NodeBook<unknown>, run: number): boolean =>
  run <= floor || settled.has(run);

function restored<O>(kept: readonly NodeRunRecord<O>[]): NodeBook<O> {
  const book: NodeBook<O> = { entries: new Map(), settled: createNumberSet(), floor: 0 };
  for (const record of kept) {
    const { kind, run } = record;
    if (kind === 'settled') {
      settle(book, record);
      continue;
    }
    const { digest, id } = record;
    if (kind === 'started') book.entries.set(run, { state: 'started', digest, id });
    else book.entries.set(run, { state: 'over', digest, end: record.end, id });
  }
  return book;
}

function settle<O>(
  book: NodeBook<O>,
  {
    run,
    floor,
    from = run,
  }: { readonly run: number; readonly floor: number; readonly from?: number | undefined },
): void {
  book.entries.delete(run);
  book.settled.add({ from, to: run });
  if (floor <= book.floor) return;
  book.floor = floor;
  book.settled.dropUpTo(floor);
  for (const [each, { state }] of book.entries)
    if (each <= floor && state === 'over') book.entries.delete(each);
}

function recordsOf<O>({ entries, settled, floor }: NodeBook<O>): readonly NodeRunRecord<O>[] {
  return [
    ...(floor > 0 ? [{ kind: 'settled', run: floor, floor } as const] : []),
    ...settled
      .stretches()
      .filter(({ to }) => to > floor)
      .map(({ from, to }) => ({ kind: 'settled', run: to, floor, from }) as const),
    ...[...entries].flatMap(([run, entry]): readonly NodeRunRecord<O>[] => {
      const { state, digest, id } = entry;
      if (state === 'deciding') return [];
      return state === 'over'
        ? [{ kind: 'over', run, digest, end: entry.end, id }]
        : [{ kind: 'started', run, digest, id }];
    }),
  ];
}

/** For whom a run is, so that its end finds them though the gateway died meanwhile. */
export interface RunOf {
  /** Of the request, as it stands in the record. */
  readonly id: string;
  readonly session: string | null;
}

/** What a gateway has on its disk for one node, oldest first. */
export type GatewayRunRecord<O> =
  | {
      readonly kind: 'asked';
      readonly run: number;
      readonly digest: string;
      readonly of?: RunOf | undefined;
    }
  | { readonly kind: 'ended'; readonly run: number; readonly end: RunEnd<O> };

export interface GatewayRunsOptions<T, O> {
  readonly kept: readonly GatewayRunRecord<O>[];
  /** Above it numbers begin where none is kept: none that was given out before all of it was lost. */
  readonly above?: number;
  /** On the disk when it returns; throws where it cannot be. Then nothing is sent. */
  readonly keep: (record: GatewayRunRecord<O>) => void;
  readonly send: (frame: ToNode<T>) => void;
  /** The end of a run is known and on the disk; called once for each. */
  readonly onEnd: (run: number, end: RunEnd<O>, of: RunOf | undefined) => void;
}

/** The gateway's side, for one node. */
export interface GatewayRuns<T, O> {
  /** Has the node carry out `task`, of which `digest` says all, now or when it is connected. */
  ask(task: T, digest: string, of?: RunOf): number;
  /** Nobody waits for this run any longer: where it has not begun, it never will. */
  recall(run: number): void;
  /** The same, and where it has begun, it is stopped, now or when the node is connected. */
  cancel(run: number): void;
  /** Takes a frame up. Throws `invalid-request` where it is about a run that was never asked for. */
  receive(frame: ToGateway<O>): void;
  /** What has no end yet, to be sent again over a new connection; found as it is asked for. */
  connected(): Iterable<ToNode<T>>;
  /** Runs without an end, oldest first. */
  open(): readonly number[];
}

/** Who waits for a run: whoever asked, nobody since this side died, or nobody who would have it go on. */
type Wanted<T> =
  { readonly by: 'caller'; readonly task: T } | { readonly by: 'nobody' | 'nobody-any-more' };

interface Waiting<T> {
  readonly digest: string;
  readonly of: RunOf | undefined;
  wanted: Wanted<T>;
}

/**
 * Opens the gateway's side. Runs that stood open when it died have lost whoever asked for them: they
 * are recalled, so that they end, and do not begin.
 */
export function openGatewayRuns<T, O>(options: GatewayRunsOptions<T, O>): GatewayRuns<T, O> {
  const { keep, send, onEnd } = options;
  const waiting = new Map<number, Waiting<T>>();
  let last = options.kept.length === 0 ? (options.above ?? 0) : 0;
  for (const record of options.kept) {
    if (record.kind === 'ended') waiting.delete(record.run);
    else {
      last = Math.max(last, record.run);
      const { digest, of } = record;
      waiting.set(record.run, { digest, of, wanted: { by: 'nobody' } });
    }
  }
  // Numbers are given out in order, so that the oldest without an end comes first.
  const floor = (): number => {
    const [oldest] = waiting.keys();
    return oldest === undefined ? last : oldest - 1;
  };
  const frameOf = (run: number, { digest, wanted }: Waiting<T>): ToNode<T> =>
    wanted.by === 'caller'
      ? { type: 'run', run, digest, task: wanted.task }
      : { type: wanted.by === 'nobody' ? 'recall' : 'cancel', run, digest };
  const sendAgain = (run: number): void => {
    const entry = waiting.get(run);
    if (entry !== undefined) send(frameOf(run, entry));
  };
  const nowWanted = (run: number, wanted: Wanted<T>): void => {
    const entry = waiting.get(run);
    if (entry !== undefined) entry.wanted = wanted;
    sendAgain(run);
  };
  return {
    ask: (task, digest, of) => {
      const run = last + 1;
      keep({ kind: 'asked', run, digest, of });
      last = run;
      waiting.set(run, { digest, of, wanted: { by: 'caller', task } });
      sendAgain(run);
      return run;
    },
    recall: (run) => nowWanted(run, { by: 'nobody' }),
    cancel: (run) => nowWanted(run, { by: 'nobody-any-more' }),
    receive: ({ run, digest, end }) => {
      if (run > last) throw contradiction('ends a run that nobody asked for');
      const entry = waiting.get(run);
      if (entry !== undefined) {
        if (entry.digest !== digest) throw contradiction('ends another run under this number');
        keep({ kind: 'ended', run, end });
        waiting.delete(run);
        onEnd(run, end, entry.of);
      }
      send({ type: 'settled', run, floor: floor() });
    },
    *connected() {
      for (const [run, entry] of waiting) yield frameOf(run, entry);
    },
    open: () => [...waiting.keys()],
  };
}

function contradiction(what: string): Error {
  return refuse(
    'invalid-request',
    `The other machine ${what}.`,
    'End the connection. If it happens again, pair the two machines anew.',
  );
}
