import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type { TerminalEnd, TerminalOutput } from '../../shared/wire/index.ts';
import type { AtTerminal, TerminalSize } from './terminal.ts';

/**
 * Terminals of boxes that are shown elsewhere, as in the app. Whoever shows one fetches what it wrote, and
 * gets more only then: a reader that is slow slows down the box's terminal and nothing else, and one
 * that is gone loses it.
 */
export interface BoxTerminals {
  /**
   * Shows the windows of a box. Throws a refusal; then nothing is open.
   *
   * @param reader who alone may go on with it, as the number of a process
   * @returns what it is called from now on; nobody can guess it
   */
  readonly open: (name: string, size: TerminalSize, reader: number | null) => Promise<string>;
  /** What it wrote since the last time, once there is something, or nothing after a while. */
  readonly read: (id: string, reader: number | null) => Promise<TerminalOutput>;
  /** Types. Throws a refusal, and then nothing of it was typed. */
  readonly type: (id: string, input: string, reader: number | null) => void;
  readonly resize: (id: string, size: TerminalSize, reader: number | null) => void;
  /** Leaves it, and the box as it is. One that is not open any more is left already. */
  readonly leave: (id: string, reader: number | null) => void;
  readonly dispose: () => void;
}

export interface TerminalsOptions {
  readonly clock: Clock;
  /** A name that nobody can guess. */
  readonly id: () => string;
  /** Throws where nobody may attach to this box now. */
  readonly requireOpen: (name: string) => void;
  /** Whether it is locked by now, or everything is: then nothing more is typed. */
  readonly locked: (name: string) => 'locked' | 'lockout' | null;
  /** Shows the windows of a box at a terminal of its own. Rejects with a refusal. */
  readonly start: (name: string, size: TerminalSize) => Promise<AtTerminal>;
  /** Why what showed a box has ended by itself. */
  readonly why: (name: string) => TerminalEnd;
  /** Writes down that somebody has attached. Throws where that cannot be written. */
  readonly attached: (name: string) => void;
  readonly detached: (name: string, why: TerminalEnd) => void;
}

/** Terminals at once, in all. */
const mostOpen = 16;
/** What is kept for a reader, in bytes; then the box's terminal waits. */
const mostKept = 128 * 1024;
/** What one answer brings, in bytes. */
const mostRead = 64 * 1024;
/** What was typed and not yet taken, in bytes. */
const mostTyped = 64 * 1024;
/** How long a reader waits for output. */
const waitMs = 5_000;
/** What is written in one go by the box comes in one answer. */
const gatherMs = 5;
/** How long one is kept for which nobody reads. */
const unreadMs = 10_000;
/** What it wrote last is still on its way when its command has ended. */
const lastWordsMs = 100;

export function boxTerminals(options: TerminalsOptions): BoxTerminals {
  const open = new Map<string, Terminal>();
  let opening = 0;
  const find = (id: string, reader: number | null): Terminal => {
    const found = open.get(id);
    if (found !== undefined && found.reader === reader) return found;
    throw refuse('invalid-request', 'This terminal is not open any more.', 'Attach again.');
  };
  return {
    open: async (name, size, reader) => {
      options.requireOpen(name);
      if (open.size + opening >= mostOpen)
        throw refuse(
          'concurrency-busy',
          `${String(mostOpen)} terminals of boxes are open, and no more at once.`,
          'Leave one of them, or attach at a terminal: interlock box attach NAME',
        );
      opening += 1;
      try {
        const at = await options.start(name, size);
        try {
          // It may have been locked while it was being opened.
          options.requireOpen(name);
          options.attached(name);
        } catch (error) {
          at.close();
          throw error;
        }
        const id = options.id();
        open.set(id, new Terminal({ name, reader, at, options, gone: () => open.delete(id) }));
        return id;
      } finally {
        opening -= 1;
      }
    },
    read: async (id, reader) => find(id, reader).read(),
    type: (id, input, reader) => find(id, reader).type(input),
    resize: (id, size, reader) => find(id, reader).resize(size),
    leave: (id, reader) => {
      if (open.has(id)) find(id, reader).leave();
    },
    dispose: () => {
      for (const terminal of open.values()) terminal.leave('runner');
    },
  };
}

interface Opened {
  readonly name: string;
  readonly reader: number | null;
  readonly at: AtTerminal;
  readonly options: TerminalsOptions;
  /** Nobody can find it any more. */
  readonly gone: () => void;
}

/** One of them, until whoever reads it has heard how it ended. */
class Terminal {
  readonly #opened: Opened;
  #kept: Buffer[] = [];
  #bytes = 0;
  #ended: TerminalEnd | null = null;
  #waiting: ((output: TerminalOutput) => void) | null = null;
  #cancelWait = (): void => undefined;
  #cancelGather: (() => void) | null = null;
  #cancelUnread = (): void => undefined;

  constructor(opened: Opened) {
    this.#opened = opened;
    const { at, name, options } = opened;
    at.stream.on('data', (chunk: Buffer) => this.#take(chunk));
    at.stream.once('close', () => this.#end(() => options.why(name)));
    void at.ended.then(() => {
      options.clock.after(lastWordsMs, () => this.#end(() => options.why(name)));
      return undefined;
    });
    this.#expectReader();
  }

  get reader(): number | null {
    return this.#opened.reader;
  }

  async read(): Promise<TerminalOutput> {
    // One reader at a time: the one before hears nothing more.
    this.#answer({ output: '', ended: null });
    this.#cancelUnread();
    return new Promise((resolve) => {
      this.#waiting = resolve;
      // Never at once: a reader as fast as a box writes is held to a pace.
      if (this.#bytes > 0 || this.#ended !== null) this.#gather();
      else this.#cancelWait = this.#opened.options.clock.after(waitMs, () => this.#hand());
    });
  }

  type(input: string): void {
    const { name, at, options } = this.#opened;
    this.#requireGoing();
    const locked = options.locked(name);
    if (locked !== null) {
      this.#end(() => locked);
      throw refuse(
        'lockout-active',
        `The box "${name}" is locked, and nothing was typed.`,
        'A person ends that at a terminal: interlock unlock',
      );
    }
    if (at.stream.writableLength > mostTyped)
      throw refuse(
        'concurrency-busy',
        `The box "${name}" does not take what is typed.`,
        'Nothing of this was typed. Wait until it does, or stop it.',
      );
    at.stream.write(input);
  }

  resize(size: TerminalSize): void {
    this.#requireGoing();
    this.#opened.at.resize(size);
  }

  leave(why: TerminalEnd = 'left'): void {
    this.#end(() => why);
    // Whoever has left it does not ask again.
    if (why === 'left') this.#forget();
  }

  #requireGoing(): void {
    if (this.#ended !== null)
      throw refuse('invalid-request', 'This terminal has ended.', 'Attach again.');
  }

  #take(chunk: Buffer): void {
    if (this.#ended !== null) return;
    this.#kept.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= mostKept) this.#opened.at.stream.pause();
    if (this.#waiting !== null) this.#gather();
  }

  #gather(): void {
    this.#cancelGather ??= this.#opened.options.clock.after(gatherMs, () => this.#hand());
  }

  /** Gives whoever waits what there is by now. */
  #hand(): void {
    this.#stopGathering();
    if (this.#waiting === null) return;
    const all = Buffer.concat(this.#kept);
    const part = all.subarray(0, mostRead);
    const rest = all.subarray(mostRead);
    this.#kept = rest.length > 0 ? [rest] : [];
    this.#bytes = rest.length;
    if (this.#ended === null && this.#bytes < mostKept) this.#opened.at.stream.resume();
    const isLast = this.#ended !== null && rest.length === 0;
    this.#answer({ output: part.toString('base64'), ended: isLast ? this.#ended : null });
    if (isLast) this.#forget();
    else this.#expectReader();
  }

  #answer(output: TerminalOutput): void {
    this.#cancelWait();
    const resolve = this.#waiting;
    this.#waiting = null;
    resolve?.(output);
  }

  #end(why: () => TerminalEnd): void {
    if (this.#ended !== null) return;
    const { at, name, options } = this.#opened;
    this.#ended = why();
    at.close();
    options.detached(name, this.#ended);
    this.#hand();
  }

  #expectReader(): void {
    this.#cancelUnread();
    this.#cancelUnread = this.#opened.options.clock.after(unreadMs, () => {
      this.#end(() => 'unread');
      this.#forget();
    });
  }

  #stopGathering(): void {
    this.#cancelGather?.();
    this.#cancelGather = null;
  }

  #forget(): void {
    this.#cancelUnread();
    this.#stopGathering();
    this.#answer({ output: '', ended: this.#ended });
    this.#opened.gone();
  }
}
