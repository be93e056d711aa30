import { event, listIn, textOf } from './types.ts';
import type { Asked, Dialect } from './types.ts';

const candidate = (part: object): readonly string[] => [
  event({
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: 'stand-in',
  }),
];

/** Google's `streamGenerateContent`. */
export const gemini: Dialect = {
  speaks: (url) => url.includes(':streamGenerateContent'),
  toolsIn: (asked) =>
    listIn(asked, 'tools').flatMap((tool) =>
      listIn(tool, 'functionDeclarations').map(({ name }) => String(name)),
    ),
  resultsIn: (asked) =>
    listIn(asked, 'contents')
      .flatMap((content) => listIn(content, 'parts'))
      .flatMap(({ functionResponse }) =>
        functionResponse === undefined ? [] : [textOf((functionResponse as Asked)['response'])],
      ),
  shells: ['run_shell_command'],
  shellInput: (_tool, command) => ({ command, description: 'Leave a trace' }),
  use: ({ tool, input }) => candidate({ functionCall: { name: tool, args: input } }),
  end: () => candidate({ text: 'done' }),
};
