import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { resolve } from 'node:path';
import { refusalCodes, refuse } from '../../../shared/base/index.ts';
import type { Refusal } from '../../../shared/base/index.ts';
import { maxArgvLength, maxCommandLength, maxResultLength } from '../../../shared/wire/index.ts';
import type { ExecEvent, ExecRequest } from '../../../shared/wire/index.ts';
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
interface ExecInput {
  readonly command?: string;
  readonly argv?: readonly string[];
  readonly cwd?: string;
  readonly timeoutMs?: number;
  readonly reason?: string;
}

export const execInput = toolSchema<ExecInput>({
  type: 'object',
  additionalProperties: false,
  properties: {
    command: {
      type: 'string',
      minLength: 1,
      maxLength: maxCommandLength,
      description: 'Shell text. Give this or argv, not both.',
    },
    argv: {
      type: 'array',
      minItems: 1,
      maxItems: maxArgvLength,
      items: { type: 'string', maxLength: maxCommandLength },
      description: 'Program and arguments, run without a shell.',
    },
    cwd: {
      type: 'string',
      maxLength: 4096,
      description: 'Working folder; relative to the folder the server was started in.',
    },
    timeoutMs: { type: 'integer', minimum: 1, maximum: 86_400_000 },
    reason: {
      type: 'string',
      maxLength: 4096,
      description: 'Why you want to run it. A person who is asked gets to read it.',
    },
  },
});

/** What the tool `exec` hands back beside its text: a result, or a refusal. */
type ExecOutput =
  | {
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly stdout: string;
      readonly stderr: string;
      readonly truncated: boolean;
      readonly durationMs: number;
    }
  | {
      readonly refusal: { readonly code: string; readonly message: string; readonly hint: string };
    };

const textSchema = { type: 'string' } as const;

export const execOutput = toolSchema<ExecOutput>({
  type: 'object',
  properties: {
    exitCode: { type: ['integer', 'null'], description: 'Null when a signal ended it.' },
    signal: { type: ['string', 'null'] },
    stdout: textSchema,
    stderr: textSchema,
    truncated: { type: 'boolean', description: 'The output was longer than what is kept.' },
    durationMs: { type: 'number' },
    refusal: {
      type: 'object',
      required: ['code', 'message', 'hint'],
      properties: { code: { enum: refusalCodes }, message: textSchema, hint: textSchema },
    },
  },
});

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
  const answer = await answerOf(async () => run(requestOf(input, parts), context, parts, progress));
  progress.dispose();
  return answer.kind === 'allowed' ? resultOf(answer.value) : refusalResult(answer.refusal);
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
export function refusalResult(refusal: Refusal): CallToolResult {
  const structured: ExecOutput = { refusal };
  return {
    isError: true,
    content: [{ type: 'text', text: refusalText(refusal) }],
    structuredContent: { ...structured },
  };
}
