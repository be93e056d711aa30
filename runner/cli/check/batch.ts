import { once as drained } from 'node:events';
import { compile, parseJson, refuse, messageOf } from '../../../shared/base/index.ts';
import type { Refusal } from '../../../shared/base/index.ts';
import type { Look } from '../../../shared/engine/index.ts';
import { lineCutter } from '../../../shared/ipc/index.ts';
import { batchLineSchema } from '../../../shared/wire/index.ts';
import type { BatchLine } from '../../../shared/wire/index.ts';
import type { Input, Output } from '../io.ts';
import { deniedBody, hostFor, judge } from './judge.ts';
import type { Bench, Question } from './judge.ts';

/** One line of the input; null when it was longer than the limit. */
type Line = Buffer | null;

/** The lines that arrived together. One beyond the limit is read past, so that the next is not lost. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  const cutter = lineCutter(lineLimit);
  for await (const chunk of input) yield cutter.push(Buffer.from(chunk));
  const rest = cutter.rest();
  if (rest === null || rest.length > 0) yield [rest];
}

/** Longest line of a batch, in bytes; the text of a command is held to less by its schema. */
const lineLimit = 4 * 1024 * 1024;

const check = compile(batchLineSchema);

type ParsedQuestion =
  | { readonly ok: true; readonly question: Question }
  | { readonly ok: false; readonly id?: string | number; readonly problem: Refusal };

/** Reads one line of a batch. A line that makes no sense becomes a problem, never an exception. */
function parseQuestion(line: Line): ParsedQuestion {
  if (line === null) return broken(`The line is longer than ${String(lineLimit)} bytes.`);
  const parsed = parseJson(line);
  if (!parsed.ok) return broken(`The line is not a JSON object. ${parsed.error}`);
  const { value } = parsed;
  const id = idOf(value);
  const checked = check(value);
  if (!checked.ok) return broken(checked.error, id);
  return questionOf(checked.value, id);
}

/** Whether the fields of a line go together: a command is one thing, the use of a tool another. */
function questionOf(line: BatchLine, id: string | number | undefined): ParsedQuestion {
  const { kind = 'exec', tool, target, ...question } = line;
  const isCommand = question.argv !== undefined || question.command !== undefined;
  if (kind === 'exec') {
    if (tool !== undefined || target !== undefined)
      return broken('"tool" and "target" are not for commands; name a "kind".', id);
    if ((question.argv === undefined) === (question.command === undefined))
      return broken('A line holds exactly one of "command" and "argv".', id);
    return { ok: true, question };
  }
  if (isCommand || target === undefined)
    return broken(`A line of kind "${kind}" holds a "target", and no command.`, id);
  const call = { kind, tool: tool ?? kind, target, detail: null };
  return { ok: true, question: { ...question, tool: call } };
}

function idOf(value: unknown): string | number | undefined {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function broken(message: string, id?: string | number): ParsedQuestion {
  const hint =
    'Write lines like {"id": 1, "command": "git status", "cwd": "/tmp", "agent": "claude"}.';
  const { refusal: problem } = refuse('invalid-request', message, hint);
  return id === undefined ? { ok: false, problem } : { ok: false, id, problem };
}

/** One verdict a line for one question a line, in order, until the input ends. */
export async function runBatch(
  bench: Bench,
  streams: { readonly stdin: Input; readonly stdout: Output },
): Promise<void> {
  for await (const lines of linesOf(streams.stdin)) {
    const look = once(bench.engine.look);
    let text = '';
    for (const line of lines) text += `${JSON.stringify(await answer(line, bench, look))}\n`;
    // Somebody who sends line by line, and waits for each verdict, gets it at once.
    if (text !== '' && !streams.stdout.write(text)) await drained(streams.stdout, 'drain');
  }
}

/** Lines that arrived together are judged by one look at the machine, taken when the first needs it. */
function once<T>(take: () => T): () => T {
  let taken: { readonly value: T } | undefined;
  return () => (taken ??= { value: take() }).value;
}

async function answer(line: Line, bench: Bench, look: () => Look): Promise<object> {
  const parsed = parseQuestion(line);
  const asking = parsed.ok ? parsed.question.agent : undefined;
  const host = hostFor(asking ?? bench.agent, bench);
  if (!parsed.ok) return deniedBody(parsed.problem, { host, id: parsed.id });
  try {
    return (await judge(parsed.question, bench, look)).body;
  } catch (error) {
    const message = `This line could not be judged: ${messageOf(error)}.`;
    return deniedBody(
      { code: 'invalid-request', message, hint: '' },
      { host, id: parsed.question.id },
    );
  }
}
