import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Asked, Dialect, ToolUse } from './types.ts';

const dialects = [anthropic, openaiResponses, gemini, openaiChat];

/** What the stand-in has an agent do next. */
export type Step =
  /** In the shell tool that the agent offers; `more` are further fields of its input. */
  | { readonly shell: string; readonly more?: object }
  | { readonly tool: string; readonly namespace?: string; readonly input: object | string }
  /** Made when its turn comes, from the results of the steps before. */
  | ((results: readonly string[]) => Exclude<Step, (...args: never) => unknown>);

export interface Model {
  /** Without a slash at the end. */
  readonly address: string;
  /** What the tools gave back, as the model last saw it. */
  readonly results: () => readonly string[];
  /** The names of the tools that the agent last offered. */
  readonly tools: () => readonly string[];
  /** From each step until its result came back, in milliseconds. */
  readonly tookMs: () => readonly number[];
}

/**
 * A model on loopback that has whoever asks run one command in its shell, and says "done" once it
 * sees a result. Resolves with its address, without a slash at the end.
 */
export async function startModel(command: string): Promise<string> {
  return (await startScript([{ shell: command }])).address;
}

/** A model on loopback that has whoever asks take these steps, one a turn, and then says "done". */
export async function startScript(steps: readonly Step[]): Promise<Model> {
  let seen: readonly string[] = [];
  let offered: readonly string[] = [];
  const sent = new Map<number, number>();
  const took = new Map<number, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const dialect = dialects.find(({ speaks }) => speaks(request.url ?? ''));
    if (dialect === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"not here"}}');
      return;
    }
    const asked = JSON.parse(body) as Asked;
    const tools = dialect.toolsIn(asked);
    const shell = tools.find((name) => dialect.shells.includes(name));
    const results = dialect.resultsIn(asked);
    // What has no tools is a side question, such as for a title.
    if (tools.length > 0) {
      [seen, offered] = [results, tools];
      const before = sent.get(results.length - 1);
      if (before !== undefined && !took.has(results.length - 1))
        took.set(results.length - 1, performance.now() - before);
    }
    const next = tools.length > 0 ? steps[results.length] : undefined;
    const step = typeof next === 'function' ? next(results) : next;
    const events =
      step === undefined || ('shell' in step && shell === undefined)
        ? dialect.end(asked)
        : dialect.use(useOf(step, dialect, shell ?? '', String(results.length + 1)), asked);
    if (next !== undefined) sent.set(results.length, performance.now());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.join(''));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    address,
    results: () => seen,
    tools: () => offered,
    tookMs: () => [...took.values()],
  };
}

function useOf(
  step: Exclude<Step, (...args: never) => unknown>,
  dialect: Dialect,
  shell: string,
  id: string,
): ToolUse {
  if ('tool' in step) return { ...step, id };
  return { tool: shell, input: { ...dialect.shellInput(shell, step.shell), ...step.more }, id };
}
