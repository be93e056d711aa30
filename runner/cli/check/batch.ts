import { once } from 'node:events';
import type { Input, Output } from '../io.ts';
import { deniedBody, judge } from './judge.ts';
import type { Bench } from './judge.ts';
import { linesOf } from './lines.ts';
import type { Line } from './lines.ts';
import { lineLimit, parseQuestion } from './question.ts';

/** Verdicts are written in pieces of about this many characters. */
const pieceLength = 32 * 1024;

/** One verdict a line for one question a line, in order, until the input ends. */
export async function runBatch(
  bench: Bench,
  streams: { readonly stdin: Input; readonly stdout: Output },
): Promise<void> {
  let piece = '';
  const flush = async (): Promise<void> => {
    const text = piece;
    piece = '';
    if (text !== '' && !streams.stdout.write(text)) await once(streams.stdout, 'drain');
  };
  for await (const line of linesOf(streams.stdin, lineLimit)) {
    piece += `${JSON.stringify(answer(line, bench))}\n`;
    // Somebody who sends line by line, and waits for each verdict, must get it at once.
    if (piece.length > pieceLength || streams.stdin.readableLength === 0) await flush();
  }
  await flush();
}

function answer(line: Line, bench: Bench): object {
  const parsed = parseQuestion(line);
  if (!parsed.ok) return deniedBody(parsed.problem, { host: bench.host, id: parsed.id });
  try {
    return judge(parsed.question, bench).body;
  } catch (error) {
    const message = `This line could not be judged: ${error instanceof Error ? error.message : String(error)}.`;
    return deniedBody(
      { code: 'invalid-request', message, hint: '' },
      { host: bench.host, id: parsed.question.id },
    );
  }
}
