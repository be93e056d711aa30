import { join } from 'node:path';
import { compile, displayPlain, messageOf, refusalOf, refuse } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import {
  maxResultLength,
  maxTailLength,
  nodeOutcomeSchema,
  toNodeSchema,
  truncationMark,
} from '../../shared/wire/index.ts';
import type {
  ExecEvent,
  NodeOutcome,
  NodeTask,
  ToGatewayFrame,
  ToNodeFrame,
} from '../../shared/wire/index.ts';
import type { Gate } from '../gate/gate.ts';
import { createCapture } from '../gate/output.ts';
import type { Passing } from '../gate/request-context.ts';
import { nodeRecordCheck, openRunJournal, taskDigest } from './journal.ts';
import type { RunJournal } from './journal.ts';
import type { NodeLink } from './link.ts';
import { heardLockouts } from './lockouts.ts';
import type { OwnAsks } from './own-asks.ts';
import type { OwnPolicy, PolicyQuestion } from './policies.ts';
import { openNodeRuns, shortestNodeRecords } from './runs.ts';
import type { NodeRunRecord, NodeRuns } from './runs.ts';

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
  /** Asks about what the gateway passes on, as far as it is shown them. */
  readonly asks: OwnAsks;
  /** For the record; never a secret. */
  readonly note: (code: string, text: string) => void;
}

/** A node's account of what its gateway has it run. */
export interface NodeDesk {
  /** The gateway is there, by this pairing. Throws where its runs cannot be accounted for. */
  connected(link: LinkToGateway, pairing: string): void;
  /** Settles once nothing is under way; what ends until then is still written down. */
  dispose(): Promise<void>;
}

/** What is known of the runs of one pairing. */
interface Book {
  readonly path: string;
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

/** The account of a node. Opens its journal when the gateway is there for the first time. */
export function openNodeDesk(options: NodeDeskOptions): NodeDesk {
  let book: Book | null = null;
  return {
    connected: (link, pairing) => {
      const path = join(options.directory, `${link.peer.id}-${pairing}.jsonl`);
      if (book?.path !== path) {
        if (book !== null) leave(book);
        book = { path, live: new Map(), link: null, opened: null };
      }
      options.asks.connected(link, path);
      take(book, link, options);
    },
    dispose: async () => {
      const { live } = book ?? { live: new Map() };
      await Promise.allSettled([...live.values()].map(({ done }) => done));
      book?.opened?.journal.dispose();
    },
  };
}

/** The gateway is another one by now: nobody waits for what it had. */
function leave(book: Book): void {
  book.link?.close('This machine was paired anew.');
  for (const { stop } of book.live.values()) stop.abort();
}

function open(book: Book, options: NodeDeskOptions): NonNullable<Book['opened']> {
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
function accountOf(book: Book, options: NodeDeskOptions): NonNullable<Book['opened']> {
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
function openWhereItCan(book: Book, options: NodeDeskOptions): void {
  try {
    accountOf(book, options);
  } catch (error) {
    options.note('node-runs-unkept', messageOf(error));
  }
}

/** Reads what the gateway says. What cannot be taken up, or written down, ends the link. */
function take(book: Book, link: LinkToGateway, options: NodeDeskOptions): void {
  const { note } = options;
  book.link = link;
  link.onClose(() => {
    if (book.link === link) book.link = null;
  });
  if (book.opened === null) openWhereItCan(book, options);
  else link.feed(book.opened.runs.connected());
  link.onFrame((frame) => {
    try {
      if (frame.type === 'lockout') void lockedBy({ book, link, frame }, options);
      else if (isQuestion(frame)) void answered(frame, link, options);
      else if (frame.type === 'ask-told') options.asks.told(link, frame);
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
  options: NodeDeskOptions,
): void {
  if (frame.type === 'run' && taskDigest(frame.task) !== frame.digest)
    throw refuse(
      'invalid-request',
      'The other machine gives a digest that is not that of its task.',
      'End the connection. If it happens again, pair the two machines anew.',
    );
  accountOf(book, options).runs.receive(frame);
}

interface Carried {
  readonly book: Book;
  readonly run: number;
  readonly task: NodeTask;
  readonly gone: AbortSignal;
}

/** Has the gate decide and run it, and puts down what became of it. Never rejects. */
async function carryOut(carried: Carried, options: NodeDeskOptions): Promise<void> {
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

/** Bytes of a journal beyond which ends are kept without most of their output, until some are settled. */
const roomy = 32 * 1024 * 1024;
const longestCut = 2_000;

function cutShort(outcome: NodeOutcome): NodeOutcome {
  const cut = (text: string): string =>
    text.length > longestCut ? `${text.slice(0, longestCut)}${truncationMark}` : text;
  const [stdout, stderr] = [cut(outcome.stdout), cut(outcome.stderr)];
  const truncated = outcome.truncated || stdout !== outcome.stdout || stderr !== outcome.stderr;
  const tail =
    outcome.tail.length > longestCut
      ? `${truncationMark} ${outcome.tail.slice(-longestCut)}`
      : outcome.tail;
  return { ...outcome, stdout, stderr, truncated, tail };
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
  { exec, note, asks }: NodeDeskOptions,
): Promise<NodeOutcome> {
  const capture = createCapture(maxResultLength, maxTailLength);
  const emit = (event: ExecEvent): void => {
    if (event.type !== 'stdout' && event.type !== 'stderr') return;
    const isText = event.encoding === 'utf8';
    capture.add(
      event.type,
      isText ? event.data : Buffer.from(event.data, 'base64').toString('utf8'),
    );
  };
  const refused = (refusal: Refusal, begun: boolean): NodeOutcome => {
    const { code } = refusal;
    const [message, hint] = [refusal.message, refusal.hint].map((text) => text.slice(0, longest));
    return {
      kind: 'refused',
      begun,
      code,
      message: message ?? '',
      hint: hint ?? '',
      ...capture.result(),
    };
  };
  const { link } = book;
  if (link === null || book.live.size > mostAtOnce) return refused(tooMuch, false);
  let begun = false;
  const { id, isNamed, ...request } = task;
  const from: Passing = {
    gateway: link.peer.id,
    displayName: displayPlain(link.peer.displayName).slice(0, 64),
    id,
    isNamed,
    relay: asks.relayOf(run, book.path),
  };
  const starting = (): null => {
    try {
      const { runs } = book.opened ?? nothingKept();
      runs.starting(run);
    } catch (error) {
      if (refusalOf(error)?.code !== 'requester-gone') unkept(book, error, { link, note });
      throw error;
    }
    begun = true;
    book.link?.send({ type: 'started', run, digest: taskDigest(task) });
    return null;
  };
  const result = await exec({ kind: 'exec', request, peer: null, from, starting }, { emit, gone });
  if (!result.ok) return refused(result.refusal, begun);
  const { exitCode, signal } = result.outcome;
  return { kind: 'ran', exitCode, signal, durationMs: result.durationMs, ...capture.result() };
}

const longest = 16_384;

const tooMuch: Refusal = {
  code: 'concurrency-busy',
  message: 'The node has more to do than it takes up.',
  hint: 'Wait until something has ended, then ask again.',
};

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
