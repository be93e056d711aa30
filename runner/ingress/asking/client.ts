import { runnerClient } from '../../../shared/node/runner-client/client.ts';
import { parseAnswer, send } from '../../../shared/node/runner-client/call.ts';
import type { RunnerClientOptions } from '../../../shared/node/runner-client/types.ts';
import { checkedYes } from './checked-yes.ts';
import type { AskingClient, PermitBody } from './types.ts';

export function askingClient(options: RunnerClientOptions): AskingClient {
  const { socketPath, sign } = options;
  const post = async (path: string, body: object, signal?: AbortSignal): Promise<PermitBody> => {
    const { answer } = await send({
      socketPath,
      method: 'POST',
      path,
      body,
      ...(sign !== undefined && { sign }),
      ...(signal !== undefined && { signal }),
    });
    let text = '';
    answer.setEncoding('utf8');
    for await (const part of answer as AsyncIterable<string>) text += part;
    return checkedYes(parseAnswer(answer.statusCode ?? 0, text, socketPath));
  };
  return {
    exec: (request, signal) => runnerClient(options).exec(request, signal),
    permit: async (request, signal) => post('/v1/permits', request, signal),
    tool: async (request, signal) => post('/v1/tools', request, signal),
  };
}
