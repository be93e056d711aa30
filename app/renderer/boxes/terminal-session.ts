import type { Refusal } from '../../../shared/base/index.ts';
import type { BridgeCall, BridgeCalls, BridgeResult, TerminalEnd } from '../../bridge/types.ts';

/** How it stands with the terminal of a box at this page. */
export type SessionState =
  | { readonly kind: 'attaching' | 'attached' | 'lost' }
  | { readonly kind: 'ended'; readonly why: TerminalEnd }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

interface Size {
  readonly columns: number;
  readonly rows: number;
}

interface SessionOptions {
  readonly name: string;
  readonly size: () => Size;
  /** Shows what came; resolves when it is shown, and only then more is asked for. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly onState: (state: SessionState) => void;
  /** What was typed was not taken, none of it or not all. */
  readonly onUntyped: (refusal: Refusal) => void;
  readonly call: <C extends BridgeCall>(
    name: C,
    args: BridgeCalls[C]['args'],
  ) => Promise<BridgeResult<C>>;
  readonly wait: (ms: number) => Promise<void>;
}

/** The terminal of a box at this page, until it is left. */
export interface TerminalSession {
  /** What is typed while it is not attached goes nowhere. */
  readonly type: (text: string) => void;
  readonly fit: () => void;
  readonly leave: () => void;
}

/** One call takes so much, in characters. */
const mostAtOnce = 8_000;
/** So much waits to be typed, in characters; a longer text is not begun. */
const mostWaiting = 512 * 1024;
/** Attempts in a row without anything that was shown. */
const attempts = 6;
const stepMs = 500;

/** Those after which it is attached again without being asked to: the box was left as it is. */
const passing: readonly (TerminalEnd | 'lost')[] = ['lost', 'unread', 'runner'];

export function startTerminal(options: SessionOptions): TerminalSession {
  const { name, size, write, onState, call, wait } = options;
  let terminal: string | null = null;
  let isLeft = false;
  /** Something of this attempt was shown. */
  let isShown = false;
  const typing = typist(options, () => terminal);

  const read = async (id: string): Promise<TerminalEnd | 'lost'> => {
    for (;;) {
      const answer = await call('readTerminal', { terminal: id });
      if (isLeft) return 'left';
      if (!answer.ok) return 'lost';
      const { output, ended } = answer.result;
      if (!isShown) onState({ kind: 'attached' });
      isShown = true;
      if (output !== '') await write(bytesOf(output));
      if (ended !== null) return ended;
    }
  };
  /** Null once it has ended for good, or is left; else what is the matter. */
  const attach = async (): Promise<Refusal | 'passing' | null> => {
    const opened = await call('attachBox', { name, ...size() });
    if (isLeft) {
      if (opened.ok) void call('leaveTerminal', opened.result);
      return null;
    }
    if (!opened.ok) return opened.refusal;
    ({ terminal } = opened.result);
    isShown = false;
    const why = await read(terminal);
    terminal = null;
    typing.forget();
    if (isLeft) return null;
    if (passing.includes(why)) return 'passing';
    onState({ kind: 'ended', why: why as TerminalEnd });
    return null;
  };
  const run = async (): Promise<void> => {
    onState({ kind: 'attaching' });
    for (let failed = 0; ;) {
      const problem = await attach();
      if (problem === null || isLeft) return;
      failed = isShown ? 1 : failed + 1;
      isShown = false;
      const isFinal = problem !== 'passing' && problem.code !== 'host-unavailable';
      if (isFinal || failed > attempts) {
        if (problem === 'passing') onState({ kind: 'ended', why: 'unread' });
        else onState({ kind: 'refused', refusal: problem });
        return;
      }
      onState({ kind: 'lost' });
      await wait(failed * stepMs);
      if (isLeft) return;
    }
  };
  void run();
  return {
    type: typing.type,
    fit: () => {
      if (terminal !== null) void call('resizeTerminal', { terminal, ...size() });
    },
    leave: () => {
      isLeft = true;
      if (terminal !== null) void call('leaveTerminal', { terminal });
      terminal = null;
    },
  };
}

/** Types in order, one call at a time; nothing is typed twice, and what failed is not tried again. */
function typist({ call, onUntyped }: SessionOptions, terminal: () => string | null) {
  let waiting = '';
  let isTyping = false;
  const run = async (): Promise<void> => {
    isTyping = true;
    for (let id = terminal(); id !== null && waiting !== ''; id = terminal()) {
      const part = firstPart(waiting);
      waiting = waiting.slice(part.length);
      const answer = await call('typeTerminal', { terminal: id, input: part });
      if (answer.ok) continue;
      waiting = '';
      if (terminal() === id) onUntyped(answer.refusal);
    }
    isTyping = false;
  };
  return {
    type: (text: string): void => {
      if (terminal() === null || text === '') return;
      if (waiting.length + text.length > mostWaiting) {
        onUntyped({
          code: 'invalid-request',
          message: 'This is more than the box takes at once.',
          hint: 'None of it was typed. Put it into a file of the workspace.',
        });
        return;
      }
      waiting += text;
      if (!isTyping) void run();
    },
    forget: (): void => {
      waiting = '';
    },
  };
}

/** As much as one call takes, and no half of a character. */
function firstPart(text: string): string {
  const part = text.slice(0, mostAtOnce);
  const isCut = part.length < text.length && /[\uD800-\uDBFF]$/u.test(part);
  return isCut ? part.slice(0, -1) : part;
}

/** None where the host has taken the value of a secret out of it, so that it is not base64 any more. */
function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
