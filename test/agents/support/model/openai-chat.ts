import { event, listIn, textOf } from './types.ts';
import type { Asked, Dialect } from './types.ts';

const chunk = (asked: Asked, delta: object, reason: string | null): string =>
  event({
    id: 'chatcmpl_1',
    object: 'chat.completion.chunk',
    created: 1,
    model: asked['model'],
    choices: [{ index: 0, delta, finish_reason: reason }],
  });

const chunks = (asked: Asked, delta: object, reason: string): readonly string[] => [
  chunk(asked, { role: 'assistant', ...delta }, null),
  chunk(asked, {}, reason),
  'data: [DONE]\n\n',
];

const ofOthers = { description: 'Leave a trace' };
const ofDroid = {
  summary: 'Leave a trace behind',
  timeout: 30,
  riskLevelReason: 'none',
  riskLevel: 'low',
};

/** OpenAI's chat completions, streamed, as OpenCode asks for them. */
export const openaiChat: Dialect = {
  speaks: (url) => url.endsWith('/chat/completions'),
  toolsIn: (asked) =>
    listIn(asked, 'tools').map((tool) => String((tool['function'] as Asked)['name'])),
  resultsIn: (asked) =>
    listIn(asked, 'messages')
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => textOf(content)),
  shells: ['bash', 'Execute'],
  shellInput: (tool, command) => ({ command, ...(tool === 'Execute' ? ofDroid : ofOthers) }),
  use: ({ tool, input, id }, asked) => {
    const told = { name: tool, arguments: JSON.stringify(input) };
    const call = { index: 0, id: `call_${id}`, type: 'function', function: told };
    return chunks(asked, { tool_calls: [call] }, 'tool_calls');
  },
  end: (asked) => chunks(asked, { content: 'done' }, 'stop'),
};
