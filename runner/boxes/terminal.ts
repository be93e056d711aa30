import { closeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { Duplex } from 'node:stream';
import { openTerminal, resizeTerminal } from '../../shared/home/index.ts';
import { BoxError, boxExit } from './errors.ts';
import type { BoxExec } from './runtime.ts';

/** In characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A command of a box at a terminal of its own, never one of the person's. */
export interface AtTerminal {
  /** What it shows can be read, and what is written is typed. Ends when nothing has the terminal any more. */
  readonly stream: Duplex;
  readonly resize: (size: TerminalSize) => void;
  /** How the command ended; null where that is not known. */
  readonly ended: BoxExec['report']['ended'];
  /** Takes the terminal away: its command is told that whoever was there has left. */
  readonly close: () => void;
}

/**
 * Opens a terminal and starts a command of a box at it. Rejects with a `BoxError` where none can be
 * had, or nothing was started; then nothing is left open.
 *
 * @param start given the terminal's side for the command, which is closed here
 */
export async function openAtTerminal(
  size: TerminalSize,
  start: (terminal: number) => BoxExec,
): Promise<AtTerminal> {
  const pair = openTerminal();
  if (pair === null)
    throw new BoxError(
      boxExit.noResource,
      'No terminal could be opened.',
      'Try again in a moment.',
    );
  const { ours, theirs } = pair;
  const resize = ({ columns, rows }: TerminalSize): void => resizeTerminal(ours, columns, rows);
  resize(size);
  let exec: BoxExec;
  try {
    exec = start(theirs);
  } catch (error) {
    closeSync(ours);
    throw error;
  } finally {
    closeSync(theirs);
  }
  // One handle for both ways: two would close the descriptor twice, and the second time somebody else's.
  const stream = new ReadStream(ours);
  // The last program at a terminal that ends makes reading from it an error.
  stream.on('error', () => stream.destroy());
  let isOpen = true;
  stream.once('close', () => {
    isOpen = false;
  });
  const close = (): void => {
    stream.destroy();
    exec.close();
  };
  const begun = await exec.report.begun;
  if (!begun.ok) {
    close();
    throw new BoxError(
      boxExit.failed,
      `Nothing was started: ${begun.step}, ${begun.error}.`,
      'See interlock box status.',
    );
  }
  return {
    stream,
    // The descriptor may be another one's by then.
    resize: (to) => (isOpen && !stream.destroyed ? resize(to) : undefined),
    ended: exec.report.ended,
    close,
  };
}
