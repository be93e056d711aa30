import type { ReadStream } from 'node:tty';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';

const longest = 1_024;

/**
 * Asks for a line at the terminal without showing it. Backspace, Ctrl-U and Enter mean what they
 * always mean; Ctrl-C and Ctrl-D give up, which throws a `CliError`.
 */
export async function readHidden(io: Io, question: string): Promise<string> {
  const input = io.stdin as Io['stdin'] & Partial<Pick<ReadStream, 'setRawMode'>>;
  io.stdout.write(question);
  input.setRawMode?.(true);
  const decoder = new TextDecoder();
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed: string[] = [];
      const settle = (end: () => void): void => {
        input.off('data', take);
        input.off('end', gaveUp);
        input.pause();
        end();
      };
      const gaveUp = (): void => settle(() => reject(cancelled()));
      const take = (chunk: Buffer | string): void => {
        const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
        const keys = Array.from(text);
        for (const [at, key] of keys.entries()) {
          if (key === '\r' || key === '\n') {
            const rest = keys.slice(at + 1).join('');
            settle(() => resolve(typed.join('')));
            if (rest !== '') input.unshift(Buffer.from(rest));
            return;
          }
          if (key === '\u0003' || key === '\u0004') return gaveUp();
          if (key === '\u007f' || key === '\b') typed = typed.slice(0, -1);
          else if (key === '\u0015') typed = [];
          else if (key >= ' ' && typed.length < longest) typed.push(key);
        }
      };
      input.on('data', take);
      input.once('end', gaveUp);
      input.resume();
    });
  } finally {
    input.setRawMode?.(false);
    io.stdout.write('\n');
  }
}

function cancelled(): CliError {
  return new CliError('Nothing was changed.', 'Run it again when you are ready.');
}
