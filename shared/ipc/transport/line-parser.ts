import { isUtf8 } from 'node:buffer';
import type { Clock } from '../../base/index.ts';
import type { CloseCode } from './duplex.ts';

/** What the parser makes of bytes: a line, or the reason why there will be no more lines. */
export type ParsedMessage =
  | { readonly type: 'line'; readonly data: string }
  | { readonly type: 'fault'; readonly data: FaultCode };

export type FaultCode = Extract<CloseCode, 'frame-too-long' | 'partial-frame' | 'invalid-utf8'>;

interface LineParserOptions {
  readonly clock: Clock;
  /** Longest line in bytes, newline excluded. */
  readonly maxBytes: number;
  /** How long a line may stay incomplete, from its first byte. */
  readonly partialFrameMs: number;
}

type Receive = (message: ParsedMessage) => void;

/** The state of one connection; node-ipc keeps it on the socket between two reads. */
export interface LineState {
  pieces: string[];
  length: number;
  dead: boolean;
  stopTimer: () => void;
}

/** The two methods that node-ipc asks of a parser, and two for the end of a connection. */
export interface LineParser {
  /** One character a byte, so that we see the bytes themselves. */
  readonly encoding: 'latin1';
  encode(type: string, line: string): Buffer;
  read(state: LineState | '', data: string, receive: Receive): LineState;
  /** The stream ended: a last line without its newline still counts. */
  finish(state: LineState | '', receive: Receive): void;
  /** The connection is gone. */
  drop(state: LineState | ''): void;
}

/** Newline-delimited frames with a cap, a deadline for each frame, and valid UTF-8 only. */
export function createLineParser(options: LineParserOptions): LineParser {
  const { clock, maxBytes, partialFrameMs } = options;

  const fault = (state: LineState, code: FaultCode, receive: Receive): void => {
    forget(state);
    state.dead = true;
    receive({ type: 'fault', data: code });
  };

  const deliver = (state: LineState, receive: Receive): void => {
    const line = Buffer.from(state.pieces.join(''), 'latin1');
    forget(state);
    if (isUtf8(line)) receive({ type: 'line', data: line.toString('utf8') });
    else fault(state, 'invalid-utf8', receive);
  };

  const take = (state: LineState, piece: string, receive: Receive): boolean => {
    if (state.length + piece.length > maxBytes) {
      fault(state, 'frame-too-long', receive);
      return false;
    }
    if (piece !== '') state.pieces.push(piece);
    state.length += piece.length;
    return true;
  };

  return {
    encoding: 'latin1',
    encode: (_type, line) => Buffer.from(`${line}\n`, 'utf8'),
    read(previous, data, receive) {
      const state = previous === '' ? emptyState() : previous;
      let from = 0;
      while (!state.dead) {
        const newline = data.indexOf('\n', from);
        const whole = newline !== -1;
        if (!take(state, data.slice(from, whole ? newline : undefined), receive)) break;
        if (!whole) break;
        deliver(state, receive);
        from = newline + 1;
      }
      if (!state.dead && state.length > 0 && state.stopTimer === none) {
        state.stopTimer = clock.after(partialFrameMs, () => {
          fault(state, 'partial-frame', receive);
        });
      }
      return state;
    },
    finish(state, receive) {
      if (state !== '' && !state.dead && state.length > 0) deliver(state, receive);
    },
    drop(state) {
      if (state === '') return;
      forget(state);
      state.dead = true;
    },
  };
}

const none = (): void => {};

function emptyState(): LineState {
  return { pieces: [], length: 0, dead: false, stopTimer: none };
}

function forget(state: LineState): void {
  state.stopTimer();
  state.stopTimer = none;
  state.pieces = [];
  state.length = 0;
}
