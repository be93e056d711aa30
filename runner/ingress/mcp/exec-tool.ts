import { resolve } from 'node:path';
import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import type { ExecEvent, ExecRequest } from '../../../shared/api/types.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import type { Refusal } from '../../../shared/refusal/refusal.ts';
import { answerOf, refusalText } from '../asking/answer.ts';
import { callFields } from '../asking/speaker.ts';
import { outputCollector } from './collect.ts';
import type { ExecInput, ExecOutput } from './exec-schema.ts';
import { progressOf } from './progress.ts';
import type { Progress } from './progress.ts';
import type { McpParts } from './types.ts';

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
  progress.stop();
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
