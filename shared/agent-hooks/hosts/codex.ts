import { groupEntry, matcherFor, sessionEnd } from '../groups.ts';
import type { HookFormat } from '../types.ts';

const names = { shell: ['Bash'], edit: ['apply_patch'], mcp: ['mcp__.*'] };

/**
 * `hooks.json` of Codex 0.169. `timeout` is in seconds; `timeoutSec`, which `hooks/list` shows, is
 * ignored in the file. A field of the file's top that Codex does not know turns off all its hooks.
 */
export const codexFormat: HookFormat = {
  host: 'codex',
  tools: ['shell', 'edit', 'mcp'],
  comments: false,
  root: {},
  entries: (plan) => [
    groupEntry({
      event: 'PreToolUse',
      matcher: matcherFor(plan.tools, names) ?? '*',
      handler: { type: 'command', command: plan.command, timeout: plan.seconds },
    }),
    sessionEnd(plan, 1),
  ],
};
