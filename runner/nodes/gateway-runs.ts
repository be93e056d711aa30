import { join } from 'node:path';
import { compile, messageOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { nodeOutcomeSchema, toGatewaySchema } from '../../shared/wire/index.ts';
import type {
  NodeOutcome,
  NodeTask,
  RunEnd,
  ToGatewayFrame,
  ToNodeFrame,
} from '../../shared/wire/index.ts';
import type { NodeRunIo, NodeRunner } from '../hosts/node.ts';
import {
  endedRuns,
  gatewayRecordCheck,
  openGatewayRecords,
  openRunJournal,
  taskDigest,
  withoutOutput,
} from './journal.ts';
import type { RunJournal } from './journal.ts';
import { maxFrameBytes } from './link.ts';
import type { NodeLink } from './link.ts';
import { openGatewayRuns } from './runs.ts';
import type { GatewayRunRecord, GatewayRuns, RunOf } from './runs.ts';

export type LinkToNode = NodeLink<ToGatewayFrame, ToNodeFrame>;

export interface GatewayDeskOptions {
  /** Where the journals are, one for each pairing. */
  readonly directory: string;
  readonly uid: number;
  readonly clock: Clock;
  /** For the record; never a secret. */
  readonly note: (code: string, text: string) => void;
  /** A run has ended for which nobody waits any longer. */
  readonly onLate: (late: LateEnd) => void;
  /** Which of these requests have their end in the record: what an earlier process has told is not told again. */
  readonly isTold: (ids: ReadonlySet<string>) => ReadonlySet<string>;
  readonly onConnected: (link: LinkToNode, pairing: string) => void;
  /** A node says that it is locked; what is thrown ends the link. */
  readonly onLocked: (link: LinkToNode, order: number) => void;
  readonly onPolicy: (
    link: LinkToNode,
    frame: Extract<ToGatewayFrame, { type: 'policy-answer' }>,
  ) => void;
  readonly asks: NodeAsks;
  /** A node says what became of a run of another gateway of the fleet; maybe not for the first time. */
  readonly onEndOf: (link: LinkToNode, frame: Extract<ToGatewayFrame, { type: 'end-of' }>) => void;
}

/** Asks that nodes raise here. */
export interface NodeAsks {
  /** `task`: the run that it is about; null where nobody here waits for that. */
  raised(
    link: LinkToNode,
    frame: Extract<ToGatewayFrame, { type: 'ask' }>,
    task: NodeTask | null,
  ): void;
  /** Nobody has to answer it any more. */
  over(link: LinkToNode, question: number): void;
}

/** The end of a run whose caller is gone, or whose gateway died meanwhile. */
export interface LateEnd {
  readonly nodeId: string;
  readonly of: RunOf | undefined;
  readonly end: RunEnd<NodeOutcome>;
}

/** The gateway's account of all runs on its nodes. */
export interface GatewayDesk extends NodeRunner {
  /** A node is there, by this pairing. Throws where its runs cannot be accounted for: the link then ends. */
  connected(link: LinkToNode, pairing: string): void;
  /** A person has removed the node: whoever waits for a run there learns that nobody will tell. */
  removed(nodeId: string): void;
  /** The nodes that are there. */
  links(): readonly { readonly link: LinkToNode; readonly pairing: string }[];
  dispose(): void;
}

/** Somebody who waits for a run. */
interface Waiter {
  readonly io: NodeRunIo;
  readonly task: NodeTask;
  readonly digest: string;
  hasBegun: boolean;
  readonly ended: (end: RunEnd<NodeOutcome>) => void;
}

/** What is known of the runs of one pairing. */
interface Book {
  readonly path: string;
  readonly pairing: string;
  readonly waiters: Map<number, Waiter>;
  link: LinkToNode | null;
  /** The ends that an earlier process left are told; those of this one have whoever waits for them. */
  hasToldEarlier: boolean;
  opened: {
    readonly journal: RunJournal<GatewayRunRecord<NodeOutcome>>;
    readonly runs: GatewayRuns<NodeTask, NodeOutcome>;
  } | null;
}

/** What a node may say. */
export const checkAtGateway = compile(toGatewaySchema);
const check = gatewayRecordCheck(nodeOutcomeSchema);
/** How long a node may take to decide, its person included, before what it runs has its own time. */
const longestDecisionMs = 60 * 60_000;
/** How long is waited for the end of what was told to stop. */
const stopMs = 15_000;
/** Room that a frame has beside its task. */
const frameBytes = 1_024;

/** The account of a gateway. Opens a journal when a node connects for the first time. */
export function openGatewayDesk(options: GatewayDeskOptions): GatewayDesk {
  /** By the id of the node: that of its present pairing. */
  const books = new Map<string, Book>();
  return {
    connected: (link, pairing) => {
      const { id } = link.peer;
      const path = join(options.directory, `${id}-${pairing}.jsonl`);
      const known = books.get(id);
      const book =
        known?.path === path
          ? known
          : { path, pairing, waiters: new Map(), link: null, hasToldEarlier: false, opened: null };
      books.set(id, book);
      if (known !== undefined && known !== book) close(known);
      take(book, link, options);
      // Before anything that it may run, and whatever the disk says: a lockout waits for none.
      options.onConnected(link, pairing);
      if (book.opened !== null) link.feed(book.opened.runs.connected());
      else
        try {
          accountOf(book, id, options);
        } catch (error) {
          options.note('gateway-runs-unkept', `${link.peer.displayName}: ${messageOf(error)}`);
        }
    },
    removed: (nodeId) => {
      const book = books.get(nodeId);
      books.delete(nodeId);
      if (book !== undefined) close(book);
    },
    links: () =>
      [...books.values()].flatMap(({ link, pairing }) => (link === null ? [] : { link, pairing })),
    run: async (nodeId, task, io) => {
      const book = books.get(nodeId);
      if (book?.link?.isOpen !== true)
        throw refuse(
          'host-unavailable',
          'The node is not connected.',
          'Look at "interlock node list", and ask again once it is there.',
        );
      if (Buffer.byteLength(JSON.stringify(task)) + frameBytes > maxFrameBytes)
        throw refuse(
          'invalid-request',
          'The command with its input is too long for a node.',
          'Put what is long into a file there first.',
        );
      const { runs } = accountOf(book, nodeId, options);
      return asked({ book, runs, task, io }, options);
    },
    dispose: () => {
      for (const book of books.values()) close(book);
    },
  };
}

function open(
  book: Book,
  nodeId: string,
  options: GatewayDeskOptions,
): NonNullable<Book['opened']> {
  const { uid, clock, onLate } = options;
  const journal = openRunJournal({ path: book.path, uid, check, shortest: (all) => all });
  if (!book.hasToldEarlier) tellEarlier(journal.kept, nodeId, options);
  book.hasToldEarlier = true;
  let records = openGatewayRecords(journal.kept);
  journal.shorten(records);
  const runs = openGatewayRuns<NodeTask, NodeOutcome>({
    kept: journal.kept,
    above: clock.now(),
    keep: (whole) => {
      const record = withoutOutput(whole);
      journal.keep(record);
      records = [...openGatewayRecords(records), record];
      if (journal.isLong) journal.shorten(openGatewayRecords(records));
    },
    send: (frame) => void book.link?.send(frame),
    onEnd: (run, end, of) => {
      const waiter = book.waiters.get(run);
      book.waiters.delete(run);
      if (waiter === undefined) onLate({ nodeId, of, end });
      else waiter.ended(end);
    },
  });
  return { journal, runs };
}

/** Tells the ends of an earlier process that died before they stood in the record. */
function tellEarlier(
  kept: readonly GatewayRunRecord<NodeOutcome>[],
  nodeId: string,
  { onLate, isTold }: GatewayDeskOptions,
): void {
  const ended = endedRuns(kept).flatMap(({ of, end }) => (of === undefined ? [] : { of, end }));
  const told = ended.length === 0 ? null : isTold(new Set(ended.map(({ of }) => of.id)));
  for (const { of, end } of ended) if (told?.has(of.id) === false) onLate({ nodeId, of, end });
}

/**
 * The account of a pairing, opened where it is not: then what has no end yet is said again. Throws
 * where it cannot be believed or written.
 */
function accountOf(
  book: Book,
  nodeId: string,
  options: GatewayDeskOptions,
): NonNullable<Book['opened']> {
  if (book.opened !== null) return book.opened;
  const opened = open(book, nodeId, options);
  book.opened = opened;
  book.link?.feed(opened.runs.connected());
  return opened;
}

/** Reads what the node says. What cannot be taken up, or written down, ends the link. */
function take(book: Book, link: LinkToNode, options: GatewayDeskOptions): void {
  const { note, onLocked, onPolicy, asks } = options;
  book.link = link;
  link.onClose(() => {
    if (book.link === link) book.link = null;
  });
  link.onFrame((frame) => {
    try {
      if (frame.type === 'locked') onLocked(link, frame.order);
      else if (frame.type === 'policy-answer') onPolicy(link, frame);
      else if (frame.type === 'started') begun(book, frame);
      else if (frame.type === 'ask')
        asks.raised(link, frame, book.waiters.get(frame.run)?.task ?? null);
      else if (frame.type === 'ask-over') asks.over(link, frame.question);
      else if (frame.type === 'end-of') options.onEndOf(link, frame);
      else accountOf(book, link.peer.id, options).runs.receive(frame);
    } catch (error) {
      note('node-contradicted', `${link.peer.displayName} (${link.peer.id}): ${messageOf(error)}`);
      forgetIfBroken(book);
      throw error;
    }
  });
}

/** Told once for each run that somebody waits for, however often the node says it. */
function begun(book: Book, { run, digest }: Extract<ToGatewayFrame, { type: 'started' }>): void {
  const waiter = book.waiters.get(run);
  if (waiter === undefined || waiter.digest !== digest || waiter.hasBegun) return;
  waiter.hasBegun = true;
  waiter.io.started();
}

/** Asks for a run and waits for its end. A stop and the time are told to the node, and waited for a little. */
async function asked(
  {
    book,
    runs,
    task,
    io,
  }: {
    readonly book: Book;
    readonly runs: GatewayRuns<NodeTask, NodeOutcome>;
    readonly task: NodeTask;
    readonly io: NodeRunIo;
  },
  { clock }: GatewayDeskOptions,
): Promise<RunEnd<NodeOutcome>> {
  let run = 0;
  const digest = taskDigest(task);
  try {
    run = runs.ask(task, digest, { id: task.id, session: io.session });
  } catch (error) {
    forgetIfBroken(book);
    book.link?.close('What is asked for could not be written down.');
    throw error;
  }
  return new Promise((resolve) => {
    let cancelTime = (): void => undefined;
    const ended = (end: RunEnd<NodeOutcome>): void => {
      cancelTime();
      io.signal.removeEventListener('abort', stop);
      resolve(end);
    };
    const giveUp = (): void => {
      book.waiters.delete(run);
      ended({ kind: 'unknown' });
    };
    const stop = (): void => {
      cancelTime();
      cancelTime = clock.after(stopMs, giveUp);
      book.opened?.runs.cancel(run);
    };
    book.waiters.set(run, { io, task, digest, hasBegun: false, ended });
    cancelTime = clock.after(task.timeoutMs + longestDecisionMs, stop);
    io.signal.addEventListener('abort', stop);
    if (io.signal.aborted) stop();
  });
}

/** What could not be written down is looked at anew, with the file, when the node is connected again. */
function forgetIfBroken(book: Book): void {
  if (book.opened?.journal.isBroken !== true) return;
  book.opened.journal.dispose();
  book.opened = null;
}

function close(book: Book): void {
  book.link?.close('The runs of this pairing are closed.');
  book.opened?.journal.dispose();
  book.opened = null;
  // Nobody will tell any more.
  for (const { ended } of book.waiters.values()) ended({ kind: 'unknown' });
  book.waiters.clear();
}
