import { compile, s } from '../../base/index.ts';
import { joinPath } from '../../engine/index.ts';
import { commonReaders, must, patching, replacing, textSchema, writing } from '../call.ts';
import { pluginAdapter } from '../plugin-call.ts';
import type { PluginHost, ShellCall } from '../plugin-call.ts';
import { opencodeHook } from './hook.ts';

/** OpenCode's own tools are OpenCode's to change: open. */
const checkBash = compile(
  s.open({
    command: textSchema,
    description: s.optional(s.string()),
    workdir: s.optional(s.string()),
  }),
);

const checkEdit = compile(
  s.open({
    filePath: textSchema,
    oldString: s.string(),
    newString: s.string(),
    replaceAll: s.optional(s.boolean()),
  }),
);

const checkWrite = compile(s.open({ filePath: textSchema, content: s.string() }));

const checkPatch = compile(s.open({ patchText: textSchema }));

/** A command with a folder of its own is decided about, and runs, in that folder. */
export function bashOf(args: unknown, directory: string, host: string): ShellCall {
  const { command, description, workdir } = must(checkBash, args, host);
  const cwd = workdir === undefined ? directory : joinPath(directory, workdir);
  return { command, reason: description, cwd };
}

/** The tools of OpenCode, which its forks have too; `host` is what people call the one that asks. */
export function opencodeTools(host: string): Pick<PluginHost, 'free' | 'shells' | 'readers'> {
  const common = commonReaders(host);
  return {
    free: new Set([
      'read',
      'grep',
      'glob',
      'list',
      'lsp',
      'task',
      'todoread',
      'todowrite',
      'question',
      'skill',
      'plan_enter',
      'plan_exit',
      'invalid',
    ]),
    shells: { bash: (args, directory) => bashOf(args, directory, host) },
    readers: {
      edit: (args) => {
        const { filePath, oldString, newString, replaceAll } = must(checkEdit, args, host);
        const everywhere = replaceAll === true;
        return replacing('edit', filePath, [{ before: oldString, after: newString, everywhere }]);
      },
      write: (args) => {
        const { filePath, content } = must(checkWrite, args, host);
        return writing('write', filePath, content);
      },
      apply_patch: (args) => patching('apply_patch', must(checkPatch, args, host).patchText),
      webfetch: common.fetches('webfetch'),
      websearch: common.searches('websearch'),
    },
  };
}

/** OpenCode, through the plugin that Interlock ships. */
export const opencodeAdapter = pluginAdapter({
  ...opencodeHook,
  name: 'opencode',
  ...opencodeTools(opencodeHook.title),
});
