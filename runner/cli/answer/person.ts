import { createInterface } from 'node:readline/promises';
import { CliError } from '../failure.ts';
import type { Io } from '../io.ts';

/** Throws unless a terminal is on both ends: only a person answers asks, never a script. */
export function requirePerson(io: Io): void {
  if (io.stdin.isTTY === true && io.stdout.isTTY === true) return;
  throw new CliError(
    'Asks are answered by a person at a terminal, and this is none.',
    'Run the command in a terminal of your own, without pipes and redirections.',
  );
}

/** Asks for one typed word and tells whether it came. Anything else, end of input included, is no. */
export async function confirm(io: Io, question: string, word: string): Promise<boolean> {
  // Not readline's own line editor: the terminal's keeps Ctrl-C what it is.
  const lines = createInterface({ input: io.stdin, output: io.stdout, terminal: false });
  const given = new AbortController();
  lines.once('close', () => given.abort());
  try {
    const answer = await lines.question(question, { signal: given.signal });
    return answer.trim().toLowerCase() === word;
  } catch {
    return false;
  } finally {
    lines.close();
  }
}
