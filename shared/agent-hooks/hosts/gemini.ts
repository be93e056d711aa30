import { fieldsOf } from '../find.ts';
import { groupEntry, matcherFor, sessionEnd } from '../groups.ts';
import type { HookFormat } from '../types.ts';

const names = {
  shell: ['run_shell_command'],
  edit: ['write_file', 'replace'],
  fetch: ['web_fetch', 'google_web_search'],
  mcp: ['mcp_.*'],
};

/** Under this name Gemini CLI lists the hook, and can turn it off. */
export const hookName = 'interlock';

/** `settings.json` of Gemini CLI. Times are milliseconds; it reads "*" as a broken expression. */
export const geminiFormat: HookFormat = {
  host: 'gemini',
  tools: ['shell', 'edit', 'fetch', 'mcp'],
  comments: true,
  root: {},
  gates: ['BeforeTool'],
  perSecond: 1000,
  failsClosed: () => true,
  objections: ({ hooksConfig }) => {
    const { enabled, disabled } = fieldsOf(hooksConfig);
    const isOff = Array.isArray(disabled) && disabled.includes(hookName);
    return [
      ...(enabled === false ? ['All hooks are turned off there ("hooksConfig").'] : []),
      ...(isOff ? [`The hook "${hookName}" is turned off there ("hooksConfig").`] : []),
    ];
  },
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
