import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { resolve } from 'node:path';
import { refusalCodes, refuse, s } from '../../../shared/base/index.ts';
import type { Refusal, Static } from '../../../shared/base/index.ts';
import { isSessionCommand } from '../../../shared/engine/index.ts';
import {
  maxArgvLength,
  maxCommandLength,
  maxResultLength,
  sessionLines,
} from '../../../shared/wire/index.ts';
import type { ExecEvent, ExecRequest } from '../../../shared/wire/index.ts';
import { unnamedAgent } from '../../gate/authenticate.ts';
import { createCapture } from '../../gate/output.ts';
import type { Captured } from '../../gate/output.ts';
import { answerOf, callFields, refusalText } from '../asking.ts';
import { progressOf, toolSchema } from './tool.ts';
import type { McpParts, Progress } from './tool.ts';

type OutputEvent = Extract<ExecEvent, { type: 'stdout' | 'stderr' }>;

/** Gathers a command's output up to the cap of results; both streams share it. */
function outputCollector(): {
  add(event: OutputEvent): void;
  result(): Omit<Captured, 'tail'>;
} {
  const capture = createCapture(maxResultLength, 1);
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  return {
    add: ({ type, data, encoding }) => {
      const bytes = Buffer.from(data, encoding);
      capture.add(type, decoders[type].decode(bytes, { stream: true }));
    },
    result: () => {
      for (const type of ['stdout', 'stderr'] as const) capture.add(type, decoders[type].decode());
      const { stdout, stderr, truncated } = capture.result();
      return { stdout, stderr, truncated };
    },
  };
}

/** What an agent gives the tool `exec`. */
const execSchema = s.object({
  command: s.optional(
    s.described(
      s.string({ minLength: 1, maxLength: maxCommandLength }),
      'Shell text. Give this or argv, not both.',
    ),
  ),
  argv: s.optional(
    s.described(
      s.array(s.string({ maxLength: maxCommandLength }), { minItems: 1, maxItems: maxArgvLength }),
      'Program and arguments, run without a shell.',
    ),
  ),
  cwd: s.optional(
    s.described(
      s.string({ maxLength: 4_096 }),
      'Working folder; relative to the folder the server was started in.',
    ),
  ),
  timeoutMs: s.optional(s.integer({ minimum: 1, maximum: 86_400_000 })),
  reason: s.optional(
    s.described(
      s.string({ maxLength: 4_096 }),
      'Why you want to run it. A person who is asked gets to read it.',
    ),
  ),
});
type ExecInput = Static<typeof execSchema>;
export const execInput = toolSchema(execSchema);

/** What the tool `exec` hands back beside its text: the fields of a result, or a refusal. */
const outputSchema = s.open({
  exitCode: s.optional(s.described(s.nullable(s.integer()), 'Null when a signal ended it.')),
  signal: s.optional(s.nullable(s.string())),
  stdout: s.optional(s.string()),
  stderr: s.optional(s.string()),
  truncated: s.optional(s.described(s.boolean(), 'The output was longer than what is kept.')),
  durationMs: s.optional(s.number()),
  refusal: s.optional(
    s.open({ code: s.oneOf(refusalCodes), message: s.string(), hint: s.string() }),
  ),
});
type ExecOutput = Static<typeof outputSchema>;
export const execOutput = toolSchema(outputSchema);

type Finished = Extract<ExecEvent, { type: 'finished' }>;
interface Ran extends Omit<Finished, 'truncated'> {
  readonly output: ReturnType<ReturnType<typeof outputCollector>['result']>;
}

/** The tool `exec`: one command through the gate, with its output. Never throws. */
export async function execTool(
  input: ExecInput,
  context: ServerContext,
  parts: McpParts,
): Promise<CallToolResult> {
  const progress = progressOf(context, parts.clock);
  if (input.command !== undefined && isSessionCommand(input.command)) {
    const { command } = input;
    progress.say('Waiting for a person, where one has to be asked.');
    const told = await answerOf(async () => overrideFor(command, context, parts));
    progress.dispose();
    return told.kind === 'allowed' ? textResult(told.value) : refusalResult(told.refusal);
  }
  const answer = await answerOf(async () => run(requestOf(input, parts), context, parts, progress));
  progress.dispose();
  return answer.kind === 'allowed' ? resultOf(answer.value) : refusalResult(answer.refusal);
}

/** What an agent sends is no more than a question: a person says yes to what loosens. */
async function overrideFor(
  text: string,
  { mcpReq: { signal } }: ServerContext,
  { client, speaker, clock }: McpParts,
): Promise<string> {
  const { agent = unnamedAgent, session } = speaker;
  const body = await client.overrideSession({ agent, session, text: text.trim() }, signal);
  return sessionLines(body, clock.now()).join('\n');
}

function textResult(text: string): CallToolResult {
  const structured: ExecOutput = { exitCode: 0, signal: null, stdout: text, stderr: '' };
  return { content: [{ type: 'text', text }], structuredContent: { ...structured } };
}

function requestOf(input: ExecInput, parts: McpParts): ExecRequest {
  const { command, argv, cwd, timeoutMs, reason } = input;
  if ((command === undefined) === (argv === undefined))
    throw refuse(
      'invalid-request',
      'Give either "command" or "argv".',
      'Use "command" for shell text, "argv" for a program with its arguments.',
    );
  const context = { session: null, toolUseId: null, statedReason: reason ?? null };
  return {
    ...(command !== undefined && { command }),
    ...(argv !== undefined && { argv }),
    ...callFields({ ...context, cwd: resolve(parts.cwd, cwd ?? '.') }, parts.speaker),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

async function run(
  request: ExecRequest,
  { mcpReq: { signal } }: ServerContext,
  { client }: McpParts,
  progress: Progress,
): Promise<Ran> {
  const collector = outputCollector();
  for await (const event of client.exec(request, signal)) {
    if (event.type === 'refused')
      throw refuse(event.refusal.code, event.refusal.message, event.refusal.hint);
    if (event.type === 'finished') return { ...event, output: collector.result() };
    if (event.type === 'pending') progress.say('Waiting for a person to decide.');
    else if (event.type === 'started') progress.say('Running.');
    else collector.add(event);
  }
  throw new Error('the stream of events ended without an end of the command');
}

function resultOf({ exitCode, signal, durationMs, output }: Ran): CallToolResult {
  const end = signal === null ? `exit code ${String(exitCode)}` : `ended by ${signal}`;
  const text = [
    output.stdout,
    ...(output.stderr === '' ? [] : [`[stderr]\n${output.stderr}`]),
    `[${end}]`,
  ]
    .filter((part) => part !== '')
    .join('\n');
  const structured: ExecOutput = { exitCode, signal, durationMs, ...output };
  return { content: [{ type: 'text', text }], structuredContent: { ...structured } };
}

/** A refusal as the result of a tool: the agent reads why, and what to do instead. */
function refusalResult(refusal: Refusal): CallToolResult {
  const structured: ExecOutput = { refusal };
  return {
    isError: true,
    content: [{ type: 'text', text: refusalText(refusal) }],
    structuredContent: { ...structured },
  };
}
