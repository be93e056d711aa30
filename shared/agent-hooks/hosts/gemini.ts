import { groupEntry, matcherFor, sessionEnd } from '../groups.ts';
import type { HookFormat } from '../types.ts';

const names = {
  shell: ['run_shell_command'],
  edit: ['write_file', 'replace'],
  fetch: ['web_fetch', 'google_web_search'],
  mcp: ['mcp_.*'],
};

/** `settings.json` of Gemini CLI. Times are milliseconds; it reads "*" as a broken expression. */
export const geminiFormat: HookFormat = {
  host: 'gemini',
  tools: ['shell', 'edit', 'fetch', 'mcp'],
  comments: true,
  root: {},
  entries: (plan) => {
    const matcher = matcherFor(plan.tools, names);
    return [
      groupEntry({
        event: 'BeforeTool',
        ...(matcher === undefined ? {} : { matcher }),
        handler: {
          type: 'command',
          name: hookName,
          command: plan.command,
          timeout: plan.seconds * 1000,
        },
      }),
      sessionEnd(plan, 1000, { name: hookName }),
    ];
  },
};

/** Under this name Gemini CLI lists the hook, and can turn it off. */
export const hookName = 'interlock';
