import { event, listIn } from './types.ts';
import type { Dialect } from './types.ts';

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
  resultMark: '"functionResponse"',
  shells: ['run_shell_command'],
  run: (name, command) =>
    candidate({ functionCall: { name, args: { command, description: 'Leave a trace' } } }),
  end: () => candidate({ text: 'done' }),
};
