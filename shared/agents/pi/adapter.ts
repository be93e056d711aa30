import { compile, s } from '../../base/index.ts';
import { must, replacing, textSchema, writing } from '../call.ts';
import { pluginAdapter } from '../plugin-call.ts';
import { piHook } from './hook.ts';

/** pi's own tools, as 0.87 has them; they are pi's to change: open. */
const checkBash = compile(s.open({ command: textSchema }));

const checkEdit = compile(
  s.open({
    path: textSchema,
    edits: s.array(s.open({ oldText: s.string(), newText: s.string() }), { minItems: 1 }),
  }),
);

const checkWrite = compile(s.open({ path: textSchema, content: s.string() }));

const { title } = piHook;

/** pi, through the extension that Interlock ships. */
export const piAdapter = pluginAdapter({
  ...piHook,
  name: 'pi',
  free: new Set(['read', 'grep', 'find', 'ls']),
  shells: {
    bash: (args, directory) => ({ command: must(checkBash, args, title).command, cwd: directory }),
  },
  readers: {
    edit: (args) => {
      const { path, edits } = must(checkEdit, args, title);
      const replacements = edits.map(({ oldText, newText }) => ({
        before: oldText,
        after: newText,
        everywhere: false,
      }));
      return replacing('edit', path, replacements);
    },
    write: (args) => {
      const { path, content } = must(checkWrite, args, title);
      return writing('write', path, content);
    },
  },
});
