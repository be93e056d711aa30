import { groupEntry, matcherFor, sessionEnd } from '../groups.ts';
import type { HookFormat } from '../types.ts';

const names = {
  shell: ['Bash', 'Monitor', 'PowerShell'],
  edit: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'],
  fetch: ['WebFetch', 'WebSearch'],
  mcp: ['mcp__.*'],
};

/**
 * `settings.json` of Claude Code. With `onFailure: "block"` a hook that fails, is missing or takes
 * too long is a refusal; without it the tool would run.
 */
export const claudeFormat: HookFormat = {
  host: 'claude',
  tools: ['shell', 'edit', 'fetch', 'mcp'],
  comments: false,
  root: {},
  gates: ['PreToolUse'],
  perSecond: 1,
  failsClosed: ({ onFailure }) => onFailure === 'block',
  objections: ({ disableAllHooks }) =>
    disableAllHooks === true ? ['All hooks are turned off there ("disableAllHooks").'] : [],
  entries: (plan) => [
    groupEntry({
      event: 'PreToolUse',
      matcher: matcherFor(plan.tools, names) ?? '*',
      handler: {
        type: 'command',
        command: plan.command,
        timeout: plan.seconds,
        onFailure: 'block',
      },
    }),
    sessionEnd(plan, 1),
  ],
};
