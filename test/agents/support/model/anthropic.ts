import { event, listIn, textOf } from './types.ts';
import type { Asked, Dialect } from './types.ts';

const block = (asked: Asked, start: object, delta: object, reason: string): readonly string[] =>
  [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: asked['model'],
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ].map((data) => event(data, data.type));

/** Anthropic's messages, streamed. */
export const anthropic: Dialect = {
  speaks: (url) => url.startsWith('/v1/messages'),
  toolsIn: (asked) => listIn(asked, 'tools').map(({ name }) => String(name)),
  resultsIn: (asked) =>
    listIn(asked, 'messages')
      .flatMap((message) => listIn(message, 'content'))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => textOf(content)),
  shells: ['Bash'],
  shellInput: (_tool, command) => ({ command, description: 'Leave a trace' }),
  use: ({ tool, input, id }, asked) =>
    block(
      asked,
      { type: 'tool_use', id: `toolu_${id}`, name: tool, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(input) },
      'tool_use',
    ),
  end: (asked) =>
    block(asked, { type: 'text', text: '' }, { type: 'text_delta', text: 'done' }, 'end_turn'),
};
