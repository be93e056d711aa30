import type { HostHook } from '../host.ts';
import { matcherFor } from '../hook-entries.ts';
import type { HookFormat } from '../hook-entries.ts';
import { answering, fieldOf, say, silence, withCommand } from '../words.ts';

/**
 * Copilot CLI's words for hooks of its own names; it does not heed Claude Code's under these. A word
 * that it does not know lets the tool run, so there are no others.
 */
const answer = answering({
  runInstead: (command, input) => {
    const modifiedArgs = withCommand(fieldOf(input, 'toolArgs'), command);
    return modifiedArgs === null ? null : say({ permissionDecision: 'allow', modifiedArgs });
  },
  allowed: say({ permissionDecision: 'allow' }),
  notGated: silence,
  refused: (text) => say({ permissionDecision: 'deny', permissionDecisionReason: text }),
});

export const copilotHook: HostHook = { title: 'GitHub Copilot CLI', answer };

const names = {
  shell: ['bash', 'powershell'],
  edit: ['create', 'edit', 'str_replace_editor', 'apply_patch'],
  fetch: ['web_fetch', 'web_search'],
  mcp: ['.+-.+'],
};

/**
 * A file of hooks of Copilot CLI. A hook that fails or is missing is a refusal there; one that takes
 * longer than `timeoutSec` is not, which our own limit is below.
 */
export const copilotFormat: HookFormat = {
  tools: ['shell', 'edit', 'fetch', 'mcp'],
  comments: false,
  root: { version: 1 },
  gates: ['preToolUse'],
  perSecond: 1,
  limit: 'timeoutSec',
  failsClosed: () => true,
  objections: ({ version }) =>
    version === 1 ? [] : ['It is of a version that Interlock does not know.'],
  entries: (plan) => {
    const matcher = matcherFor(plan.tools, names);
    const { command, seconds } = plan;
    const handler = { type: 'command', command, timeoutSec: seconds };
    return [
      { event: 'preToolUse', value: { ...handler, ...(matcher === undefined ? {} : { matcher }) } },
      { event: 'sessionEnd', value: { type: 'command', command, timeoutSec: 3 } },
    ];
  },
};
