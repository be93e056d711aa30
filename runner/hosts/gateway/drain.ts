import type { Readable } from 'node:stream';
import type { Clock } from '../../../shared/clock/types.ts';

/** After the leader's end: how long a silent pipe is still waited for. */
const quietMs = 250;
/** And how much may still come: more than any pipe can have held when the leader ended. */
const leftoverBytes = 4 * 1024 * 1024;

export interface Drain {
  /** The leader has ended: from now on, a silent or endless pipe is let go. */
  leaderEnded(): void;
  /** Settles when the stream has ended or was let go. */
  readonly done: Promise<void>;
}

/**
 * Reads a stream chunk by chunk and waits for each chunk to be taken, so that output without end
 * never piles up. A background process may hold the pipe open for ever; it does not hold the result.
 */
export function drain(
  stream: Readable,
  take: (bytes: Uint8Array) => void | Promise<void>,
  clock: Clock,
): Drain {
  let ended = false;
  let taking = false;
  let left = leftoverBytes;
  let cancelQuiet: (() => void) | null = null;
  const letGo = (): void => void stream.destroy();
  const waitForQuiet = (): void => {
    cancelQuiet?.();
    cancelQuiet = ended && !taking ? clock.after(quietMs, lookOnceMore) : null;
  };
  // A busy process may fire the timer before it has looked at what already lies in the pipe.
  const lookOnceMore = (): void => {
    const look = setImmediate(() => {
      const letGoThen = setImmediate(letGo);
      cancelQuiet = () => clearImmediate(letGoThen);
    });
    cancelQuiet = () => clearImmediate(look);
  };
  const read = async (): Promise<void> => {
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        taking = true;
        cancelQuiet?.();
        await take(chunk);
        taking = false;
        if (ended) left -= chunk.length;
        if (left <= 0) break;
        waitForQuiet();
      }
    } catch {
      // Let go, or the pipe broke: either way there is nothing more to read.
    } finally {
      cancelQuiet?.();
      stream.destroy();
    }
  };
  return {
    leaderEnded: () => {
      ended = true;
      waitForQuiet();
    },
    done: read(),
  };
}
