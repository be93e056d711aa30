import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import type { Asked } from './types.ts';

const dialects = [anthropic, openaiResponses, gemini, openaiChat];

/**
 * A model on loopback that has whoever asks run one command in its shell, and says "done" once it
 * sees a result. Resolves with its address, without a slash at the end.
 */
export async function startModel(command: string): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const dialect = dialects.find(({ speaks }) => speaks(request.url ?? ''));
    if (dialect === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"not here"}}');
      return;
    }
    const asked = JSON.parse(body) as Asked;
    const shell = dialect.toolsIn(asked).find((name) => dialect.shells.includes(name));
    // What has no shell is a side question, such as for a title.
    const isFirst = shell !== undefined && !body.includes(dialect.resultMark);
    const events = isFirst ? dialect.run(shell, command, asked) : dialect.end(asked);
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
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}
