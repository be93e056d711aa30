import type { ReadStream, WriteStream } from 'node:tty';
import type { TerminalPort } from './session.ts';

/** A real terminal as a port, in raw mode until `restore` is called. */
export function ttyPort(
  input: ReadStream,
  output: WriteStream,
): TerminalPort & { restore(): void } {
  input.setRawMode(true);
  input.resume();
  return {
    size: () => ({
      columns: Math.max(20, output.columns || 80),
      rows: Math.max(6, output.rows || 24),
    }),
    write: (text) => void output.write(text),
    onInput: (read) => {
      input.on('data', read);
      return () => input.off('data', read);
    },
    onResize: (resized) => {
      output.on('resize', resized);
      return () => output.off('resize', resized);
    },
    restore: () => {
      input.setRawMode(false);
      input.pause();
    },
  };
}
