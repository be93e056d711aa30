import type { HostHook } from '../host.ts';
import { fieldsOf, groupEntry, matcherFor, sessionEnd } from '../hook-entries.ts';
import type { HookFormat } from '../hook-entries.ts';
import { answering, fieldOf, say, silence, withCommand } from '../words.ts';

/**
 * Gemini CLI's words. It builds the call anew from what stands in `tool_input`, so the folder, the
 * background flag and all other fields are handed back as they came.
 */
const answer = answering({
  runInstead: (command, input) => {
    const toolInput = withCommand(fieldOf(input, 'tool_input'), command);
    return toolInput === null
      ? null
      : say({ decision: 'allow', hookSpecificOutput: { tool_input: toolInput } });
  },
  allowed: say({ decision: 'allow' }),
  notGated: silence,
  refused: (reason) => say({ decision: 'deny', reason }),
});

export const geminiHook: HostHook = { title: 'Gemini CLI', answer };

const names = {
  shell: ['run_shell_command'],
  edit: ['write_file', 'replace'],
  fetch: ['web_fetch', 'google_web_search'],
  mcp: ['mcp_.*'],
};

/** Under this name Gemini CLI lists the hook, and can turn it off. */
const hookName = 'interlock';

/** `settings.json` of Gemini CLI. Times are milliseconds; it reads "*" as a broken expression. */
export const geminiFormat: HookFormat = {
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
