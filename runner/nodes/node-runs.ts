import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compile, messageOf, refusalOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { nodeOutcomeSchema, toNodeSchema } from '../../shared/wire/index.ts';
import type {
  NodeOutcome,
  NodeTask,
  RunEnd,
  ToGatewayFrame,
  ToNodeFrame,
} from '../../shared/wire/index.ts';
import type { Gate } from '../gate/gate.ts';
import { carryOutTask, cutShort, tooMuch } from './carry-out.ts';
import { nodeRecordCheck, openRunJournal, taskDigest } from './journal.ts';
import type { RunJournal } from './journal.ts';
import type { NodeLink } from './link.ts';
import { heardLockouts } from './lockouts.ts';
import type { OwnAsks } from './own-asks.ts';
import type { OwnPolicy, PolicyQuestion } from './policies.ts';
import { openNodeRuns, shortestNodeRecords } from './runs.ts';
import type { EndedRun, NodeRunRecord, NodeRuns } from './runs.ts';

export type LinkToGateway = NodeLink<ToNodeFrame, ToGatewayFrame>;

export interface NodeDeskOptions {
  /** Where the journals are, one for each pairing. */
  readonly directory: string;
  readonly uid: number;
  /** The gate of this machine: its policy decides, and its person. */
  readonly exec: Gate['exec'];
  /** Locks this machine, as its own person could; at once where it is locked already. */
  readonly lock: (reason: string | null, by: string) => Promise<void>;
  /** Answers what the gateway asks about the policy of this machine. Never rejects. */
  readonly policy: OwnPolicy;
  /** Asks about what one gateway passes on, as far as it is shown them. */
  readonly asks: () => OwnAsks;
  readonly clock: Pick<Clock, 'after'>;
  /** For the record; never a secret. */
  readonly note: (code: string, text: string) => void;
}

/** A node's account of what its gateways have it run. */
export interface NodeDesk {
  /** These, by their ids, are its gateways; what others wanted is stopped, and told to these. */
  gateways(ids: readonly string[], pairing: string): void;
  /** One of them is there, by this pairing. Throws where its runs cannot be accounted for. */
  connected(link: LinkToGateway, pairing: string): void;
  /** The one with this id has said its version. */
  heard(id: string, version: string): void;
  /** Settles once nothing is under way; what ends until then is still written down. */
  dispose(): Promise<void>;
}

/** What is known of the runs of one gateway, by one pairing. */
interface Book {
  /** Of the gateway. */
  readonly id: string;
  readonly path: string;
  readonly asks: OwnAsks;
  /** It was away for so long that the other gateways are told what becomes of its runs. */
  isMissed: boolean;
  cancelWait: () => void;
  /** What is being decided about, or runs, and how it is stopped. */
  readonly live: Map<number, { readonly stop: AbortController; readonly done: Promise<void> }>;
  link: LinkToGateway | null;
  opened: {
    readonly journal: RunJournal<NodeRunRecord<NodeOutcome>>;
    readonly runs: NodeRuns<NodeTask, NodeOutcome>;
  } | null;
}

/** What the gateway may say. */
export const checkAtNode = compile(toNodeSchema);
const check = nodeRecordCheck(nodeOutcomeSchema);
/** More at once would only fill this machine's memory: its gate has limits of its own. */
const mostAtOnce = 256;
/** How long a gateway may be away before the others are told of its runs. */
const missedMs = 30_000;

/** The account of a node. Opens a journal when its gateway is there for the first time, or is missed. */
export function openNodeDesk(options: NodeDeskOptions): NodeDesk {
  const desk: Desk = { ...options, books: new Map(), left: new Set(), isOver: false };
  const { books } = desk;
  const bookOf = (id: string, pairing: string): Book => {
    const path = join(options.directory, `${id}-${pairing}.jsonl`);
    const known = books.get(id);
    if (known?.path === path) return known;
    if (known !== undefined) leave(known, desk);
    // What it had may not be over yet, and a journal is open once.
    const before = [...desk.left].find((each) => each.path === path);
    if (before !== undefined) desk.left.delete(before);
    const state = { link: null, opened: null, isMissed: false, cancelWait: () => undefined };
    const book = before ?? { id, path, asks: options.asks(), live: new Map(), ...state };
    books.set(id, book);
    return book;
  };
  return {
    gateways: (ids, pairing) => {
      for (const [id, book] of books) if (!ids.includes(id)) leave(book, desk);
      for (const id of ids) {
        const book = bookOf(id, pairing);
        if (book.link === null && !book.isMissed) waitFor(book, desk);
      }
    },
    connected: (link, pairing) => {
      const book = bookOf(link.peer.id, pairing);
      book.cancelWait();
      book.isMissed = false;
      book.asks.connected(link, book.path);
      take(book, link, desk);
      tellOfOthers(book, desk);
    },
    heard: (id, version) => books.get(id)?.asks.heard(version),
    dispose: async () => {
      desk.isOver = true;
      const all = [...books.values(), ...desk.left];
      for (const { cancelWait } of all) cancelWait();
      const live = all.flatMap((book) => [...book.live.values()]);
      await Promise.allSettled(live.map(({ done }) => done));
      for (const { opened } of all) opened?.journal.dispose();
    },
  };
}

interface Desk extends NodeDeskOptions {
  readonly books: Map<string, Book>;
  /** Of gateways that are none any more since this was opened: the others are told how that ended. */
  readonly left: Set<Book>;
  /** Nobody is waited for any more. */
  isOver: boolean;
}

/** It is no gateway any more, or by another pairing: nobody waits for what it had. */
function leave(book: Book, desk: Desk): void {
  desk.books.delete(book.id);
  desk.left.add(book);
  book.cancelWait();
  book.link?.close('This machine has another gateway, or was paired anew.');
  missed(book, desk);
  for (const { stop } of book.live.values()) stop.abort();
}

/** Tells the others of its runs once it was away for long. */
function waitFor(book: Book, desk: Desk): void {
  book.cancelWait();
  if (!desk.isOver) book.cancelWait = desk.clock.after(missedMs, () => missed(book, desk));
}

function missed(book: Book, desk: Desk): void {
  book.isMissed = true;
  // A gateway that never had anything run here has no journal, and gets none by this.
  if (book.opened === null && existsSync(book.path)) openWhereItCan(book, desk);
  for (const ended of book.opened?.runs.ended() ?? []) tellOthers(book, ended, desk);
}

function tellOthers(book: Book, { id, end }: EndedRun<NodeOutcome>, { books }: Desk): void {
  const frame = { type: 'end-of', gateway: book.id, id, ...wordsFor(end) } as const;
  for (const other of books.values()) if (other !== book) other.link?.send(frame);
}

/** A gateway is there: it is told of the runs of those that are not. */
function tellOfOthers(book: Book, { books, left }: Desk): void {
  for (const other of [...books.values(), ...left])
    if (other !== book && other.isMissed)
      for (const { id, end } of other.opened?.runs.ended() ?? [])
        book.link?.send({ type: 'end-of', gateway: other.id, id, ...wordsFor(end) });
}

function wordsFor(
  end: RunEnd<NodeOutcome>,
): Pick<Extract<ToGatewayFrame, { type: 'end-of' }>, 'end' | 'code'> {
  if (end.kind !== 'done') return { end: end.kind, code: null };
  const { outcome } = end;
  if (outcome.kind === 'refused') return { end: 'refused', code: outcome.code };
  return { end: 'ran', code: String(outcome.exitCode ?? outcome.signal ?? 'unknown') };
}

function open(book: Book, options: Desk): NonNullable<Book['opened']> {
  const shortest = shortestNodeRecords<NodeOutcome>;
  const journal = openRunJournal({ path: book.path, uid: options.uid, check, shortest });
  const opened: { runs?: NodeRuns<NodeTask, NodeOutcome> } = {};
  const runs = openNodeRuns<NodeTask, NodeOutcome>({
    kept: journal.kept,
    keep: (record) => {
      // Not yet while it opens: it writes down what was running when it died.
      if (journal.isLong && opened.runs !== undefined) journal.shorten(opened.runs.records());
      journal.keep(record);
    },
    send: (frame) => void book.link?.send(frame),
    idOf: ({ id }) => id,
    onEnd: (ended) => {
      if (book.isMissed) tellOthers(book, ended, options);
    },
    begin: (run, task) => {
      const stop = new AbortController();
      // Put down before anything of it happens, as it may be over at once.
      let finish = (): void => undefined;
      const done = new Promise<void>((resolve) => {
        finish = resolve;
      });
      book.live.set(run, { stop, done });
      void carryOut({ book, run, task, gone: stop.signal }, options).finally(() => {
        book.live.delete(run);
        if (book.opened === null && book.link !== null) openWhereItCan(book, options);
        finish();
      });
    },
    stop: (run) => book.live.get(run)?.stop.abort(),
  });
  opened.runs = runs;
  return { journal, runs };
}

/**
 * The account of a pairing, opened where it is not: then what was not settled is said again. Throws
 * where it cannot be believed or written.
 */
function accountOf(book: Book, options: Desk): NonNullable<Book['opened']> {
  if (book.opened !== null) return book.opened;
  // What still runs is in the memory of this process, and is not yet what the file says.
  if (book.live.size > 0)
    throw refuse(
      'audit-unavailable',
      'What runs for the gateway could not be written down, and has not ended yet.',
      'Have a person look at the disk that holds INTERLOCK_HOME.',
    );
  const opened = open(book, options);
  book.opened = opened;
  book.link?.feed(opened.runs.connected());
  return opened;
}

/** The same for a link that stands without: it is there for a lockout all the while. */
function openWhereItCan(book: Book, options: Desk): void {
  try {
    accountOf(book, options);
  } catch (error) {
    options.note('node-runs-unkept', messageOf(error));
  }
}

/** Reads what the gateway says. What cannot be taken up, or written down, ends the link. */
function take(book: Book, link: LinkToGateway, options: Desk): void {
  const { note } = options;
  book.link = link;
  link.onClose(() => {
    if (book.link !== link) return;
    book.link = null;
    if (options.books.get(book.id) === book) waitFor(book, options);
  });
  if (book.opened === null) openWhereItCan(book, options);
  else link.feed(book.opened.runs.connected());
  link.onFrame((frame) => {
    try {
      if (frame.type === 'lockout') void lockedBy({ book, link, frame }, options);
      else if (isQuestion(frame)) void answered(frame, link, options);
      else if (frame.type === 'ask-told') book.asks.told(link, frame);
      // A stop needs no disk.
      else if (frame.type === 'cancel' && book.opened === null && book.live.has(frame.run))
        book.live.get(frame.run)?.stop.abort();
      else received(frame, book, options);
    } catch (error) {
      note(
        'gateway-contradicted',
        `${link.peer.displayName} (${link.peer.id}): ${messageOf(error)}`,
      );
      forgetIfBroken(book);
      throw error;
    }
  });
}

/** Locks, and says so once it holds. Where it does not, the link ends, and it is told anew over the next. */
async function lockedBy(
  {
    book,
    link,
    frame,
  }: {
    readonly book: Book;
    readonly link: LinkToGateway;
    readonly frame: Extract<ToNodeFrame, { type: 'lockout' }>;
  },
  { uid, lock, note }: NodeDeskOptions,
): Promise<void> {
  const heard = heardLockouts({ path: `${book.path}.lockout`, uid });
  const who = `${link.peer.displayName} (${link.peer.id})`;
  try {
    // Another one than the last, not a later one: a gateway whose state was put back counts anew.
    if (frame.order !== heard.last()) {
      await lock(frame.reason, `the gateway ${who}`);
      heard.keep(frame.order);
    }
    link.send({ type: 'locked', order: frame.order });
  } catch (error) {
    note('gateway-lockout-failed', `${who}: ${messageOf(error)}`);
    link.close('The lockout could not be carried out.');
  }
}

function isQuestion(frame: ToNodeFrame): frame is PolicyQuestion {
  return frame.type === 'policy-read' || frame.type === 'policy-edit';
}

async function answered(
  frame: PolicyQuestion,
  link: LinkToGateway,
  { policy }: Pick<NodeDeskOptions, 'policy'>,
): Promise<void> {
  const { question } = frame;
  link.send({ type: 'policy-answer', question, answer: await policy(frame, link.peer) });
}

function received(
  frame: Exclude<ToNodeFrame, { type: 'lockout' | 'ask-told' } | PolicyQuestion>,
  book: Book,
  options: Desk,
): void {
  if (frame.type === 'run' && taskDigest(frame.task) !== frame.digest)
    throw refuse(
      'invalid-request',
      'The other machine gives a digest that is not that of its task.',
      'End the connection. If it happens again, pair the two machines anew.',
    );
  accountOf(book, options).runs.receive(frame);
}

/** Bytes of a journal beyond which ends are kept without most of their output, until some are settled. */
const roomy = 32 * 1024 * 1024;

interface Carried {
  readonly book: Book;
  readonly run: number;
  readonly task: NodeTask;
  readonly gone: AbortSignal;
}

/** Has the gate decide and run it, and puts down what became of it. Never rejects. */
async function carryOut(carried: Carried, options: Desk): Promise<void> {
  const { book, run } = carried;
  const { link } = book;
  const outcome = await outcomeOf(carried, options);
  try {
    const { opened } = book;
    opened?.runs.over(run, opened.journal.size > roomy ? cutShort(outcome) : outcome);
  } catch (error) {
    unkept(book, error, { link, note: options.note });
  }
}

/** What could not be written down is told by nobody any more: the link ends, and the file is read anew. */
function unkept(
  book: Book,
  error: unknown,
  { link, note }: Pick<NodeDeskOptions, 'note'> & { readonly link: LinkToGateway | null },
): void {
  note('node-runs-unkept', messageOf(error));
  book.link?.close('What runs here could not be written down.');
  link?.close('What runs here could not be written down.');
  forgetIfBroken(book);
}

async function outcomeOf(
  { book, run, task, gone }: Carried,
  { exec, note, books }: Desk,
): Promise<NodeOutcome> {
  const { link } = book;
  const live = [...books.values()].reduce((sum, each) => sum + each.live.size, 0);
  if (link === null || live > mostAtOnce) return tooMuch;
  const starting = (): void => {
    try {
      const { runs } = book.opened ?? nothingKept();
      runs.starting(run);
    } catch (error) {
      if (refusalOf(error)?.code !== 'requester-gone') unkept(book, error, { link, note });
      throw error;
    }
    book.link?.send({ type: 'started', run, digest: taskDigest(task) });
  };
  const from = { gateway: link.peer, relay: book.asks.relayOf(run, book.path) };
  return carryOutTask({ task, from, gone, starting }, exec);
}

function nothingKept(): never {
  throw refuse(
    'audit-unavailable',
    'What runs for the gateway cannot be written down.',
    'Have a person look at the disk that holds INTERLOCK_HOME.',
  );
}

function forgetIfBroken(book: Book): void {
  if (book.opened?.journal.isBroken !== true) return;
  book.opened.journal.dispose();
  book.opened = null;
}
