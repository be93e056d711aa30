import type { HostHook } from '../host.ts';
import { groupEntry, matcherFor, promptEntries, sessionEnd } from '../hook-entries.ts';
import type { HookFormat } from '../hook-entries.ts';
import { answering, preToolUse, promptAnswered, runInstead, silence } from '../words.ts';

/**
 * Claude Code's words. A refusal is `deny` with exit status 0, which it was seen to honour in every
 * mode; `updatedInput` replaces the whole input, so the other fields are handed back as they came.
 */
const answer = answering({
  runInstead,
  allowed: preToolUse('allow'),
  notGated: silence,
  refused: (text) => preToolUse('deny', { permissionDecisionReason: text }),
  answered: promptAnswered,
});

export const claudeHook: HostHook = { title: 'Claude Code', answer };

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
    // What holds nothing comes last, as it is found again (`findHooks`).
    ...promptEntries(plan, 1),
  ],
};
