import { event, listIn, textOf } from './types.ts';
import type { Dialect } from './types.ts';

const usage = {
  input_tokens: 1,
  input_tokens_details: null,
  output_tokens: 1,
  output_tokens_details: null,
  total_tokens: 2,
};

const response = (item: object): readonly string[] =>
  [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', usage } },
  ].map((data) => event(data, data.type));

/** OpenAI's responses, streamed, as Codex asks for them. */
export const openaiResponses: Dialect = {
  speaks: (url) => url.endsWith('/responses'),
  toolsIn: (asked) => listIn(asked, 'tools').map(({ name }) => String(name)),
  resultsIn: (asked) =>
    listIn(asked, 'input')
      .filter(({ type }) => type === 'function_call_output' || type === 'custom_tool_call_output')
      .map(({ output }) => textOf(output)),
  shells: ['exec_command', 'shell_command'],
  shellInput: (tool, command) => (tool === 'exec_command' ? { cmd: command } : { command }),
  use: ({ tool, input, id, namespace }) =>
    response(
      typeof input === 'string'
        ? { type: 'custom_tool_call', id: `ct_${id}`, call_id: `call_${id}`, name: tool, input }
        : {
            type: 'function_call',
            id: `fc_${id}`,
            call_id: `call_${id}`,
            name: tool,
            ...(namespace !== undefined && { namespace }),
            arguments: JSON.stringify(input),
            status: 'completed',
          },
    ),
  end: () =>
    response({
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'done', annotations: [] }],
    }),
};
