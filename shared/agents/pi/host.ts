import { join } from 'node:path';
import { toolGroups } from '../hook-entries.ts';
import { homeFolder, nothing, pluginsNamed } from '../host.ts';
import type { Env, HostRecord } from '../host.ts';
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
const piAdapter = pluginAdapter({
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

const folder = (env: Env): string => homeFolder(env, '.pi/agent', 'PI_CODING_AGENT_DIR');

export const piHost: HostRecord = {
  adapter: piAdapter,
  keeping: {
    kind: 'plugin',
    tools: toolGroups,
    asset: 'assets/agents/pi/interlock.js',
    folders: ['extensions'],
    // The same lists can leave an extension out by its path.
    switches: (file) => pluginsNamed(file, ['extensions', 'packages']),
  },
  places: {
    folder,
    personal: 'extensions/interlock.js',
    project: '.pi/extensions/interlock.js',
    inProject: ['.pi/extensions', '.pi/settings.json'],
    besides: (env) => [join(folder(env), 'settings.json')],
  },
  managed: null,
  off: nothing,
  rules: null,
  acp: null,
  words: {
    advice: [
      'Sessions of pi that are open do not have the extension: start them again, or /reload.',
    ],
    objections: nothing,
    guide: 'docs/agents/pi.md',
  },
};
