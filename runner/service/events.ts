import { displayPlain } from '../../shared/base/index.ts';
import { truncationMark } from '../../shared/wire/index.ts';
import { redactKept } from '../audit/rule-set.ts';

/** What happened to a command, for the session that asked for it. */
export type SystemEvent =
  | { readonly type: 'started'; readonly node: string; readonly id: string }
  | {
      readonly type: 'finished';
      readonly node: string;
      readonly id: string;
      /** The exit status, a signal's name, or `timeout`. */
      readonly code: string;
      /** The end of the output, as it stands in the event. */
      readonly tail: string;
    }
  | {
      /** The agent's shell is of no use any more. */
      readonly type: 'shell-broken';
      readonly node: string;
      readonly id: string;
      /** Whether it is the first sign of it in its session. */
      readonly isFirst: boolean;
    }
  | {
      readonly type: 'denied';
      readonly node: string;
      readonly id: string;
      readonly reason: string;
    };

/** Queues of events, one a session; drained by whoever speaks for the session. */
export interface SystemEvents {
  /** An event of no session is dropped: nobody could fetch it. */
  add(session: string | null, event: SystemEvent): void;
  /** The same, of which nobody has heard otherwise: it goes along with the next command, too. */
  addLate(session: string | null, event: SystemEvent): void;
  /**
   * What came late and was not drained; each once, oldest first, and no more than fits beside the
   * output of another command. What a command has written stands behind a mark on each line, so that
   * nothing in it can pass for a word of Interlock's.
   */
  takeLate(session: string | null): readonly string[];
  /** All of it. What nobody can see, or what turns text around, is written out in each. */
  drain(session: string): { readonly events: readonly string[]; readonly dropped: number };
}

/** The name of a machine, which that machine chose: nothing in it ends the event, or begins another. */
function nameWithin(name: string): string {
  return name.replaceAll(/[^\p{L}\p{M}\p{N} ._:@+'-]+/gu, '_');
}

/** The text of an event, without secrets, as in the record. Agents parse it, so its form never changes. */
export function eventLine(event: SystemEvent): string {
  const where = `node=${nameWithin(event.node)}, id=${event.id}`;
  if (event.type === 'started') return `Exec started (${where})`;
  if (event.type === 'shell-broken')
    return `Shell broken (${where}, firstHit: ${String(event.isFirst)})`;
  if (event.type === 'denied') return `Exec denied (${where}, ${redactKept(event.reason)})`;
  const head = `Exec finished (${where}, code=${event.code})`;
  return event.tail === '' ? head : `${head}\n${redactKept(event.tail)}`;
}

const perSession = 200;
const mostSessions = 200;
/** Events that go along with one command, and signs of output in each of those. */
const mostLate = 10;
const longestLate = 2_000;

/** An event between the lines of another command's output. */
function amidOthers(text: string): string {
  const [head = '', ...lines] = text.split('\n');
  const output = lines.join('\n').replace(/\n$/u, '');
  const end =
    output.length > longestLate ? `${truncationMark} ${output.slice(-longestLate)}` : output;
  const quoted = end === '' ? [] : displayPlain(end).split('\n');
  return [displayPlain(head), ...quoted.map((line) => `| ${line}`)].join('\n');
}

interface Queue {
  readonly lines: { readonly text: string; readonly isLate: boolean }[];
  dropped: number;
}

/** Event queues in memory. Both the number of sessions and of events in each are bounded. */
export function createSystemEvents(): SystemEvents {
  const queues = new Map<string, Queue>();
  const put = (session: string | null, event: SystemEvent, isLate: boolean): void => {
    if (session === null) return;
    const queue = queues.get(session) ?? { lines: [], dropped: 0 };
    queues.delete(session);
    queues.set(session, queue);
    queue.lines.push({ text: eventLine(event), isLate });
    if (queue.lines.length > perSession) {
      queue.lines.shift();
      queue.dropped += 1;
    }
    const oldest = queues.keys().next().value;
    if (queues.size > mostSessions && oldest !== undefined) queues.delete(oldest);
  };
  return {
    add: (session, event) => put(session, event, false),
    addLate: (session, event) => put(session, event, true),
    takeLate: (session) => {
      const lines = session === null ? undefined : queues.get(session)?.lines;
      const late = lines?.filter(({ isLate }) => isLate).slice(0, mostLate) ?? [];
      for (const each of late) lines?.splice(lines.indexOf(each), 1);
      return late.map(({ text }) => amidOthers(text));
    },
    drain: (session) => {
      const queue = queues.get(session);
      queues.delete(session);
      const events = queue?.lines.map(({ text }) => displayPlain(text)) ?? [];
      return { events, dropped: queue?.dropped ?? 0 };
    },
  };
}
