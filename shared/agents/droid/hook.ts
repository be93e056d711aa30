import type { HostHook } from '../host.ts';
import { groupEntry, matcherFor, sessionEnd } from '../hook-entries.ts';
import type { HookFormat } from '../hook-entries.ts';
import { answering, preToolUse, runInstead, silence } from '../words.ts';

/**
 * Droid's words, which are Claude Code's, but for a refusal: the yes of a project's hook beats a `deny`
 * in words, and nothing beats exit status 2.
 */
const answer = answering({
  runInstead,
  allowed: preToolUse('allow'),
  notGated: silence,
  refused: (text) => ({
    ...preToolUse('deny', { permissionDecisionReason: text }),
    stderr: `${text}\n`,
    exitCode: 2,
  }),
});

export const droidHook: HostHook = { title: 'Droid', answer, refusesByStatus: true };

const names = {
  shell: ['Execute'],
  edit: ['Edit', 'Create', 'MultiEdit', 'ApplyPatch'],
  fetch: ['FetchUrl', 'WebSearch'],
  mcp: ['.+___.+'],
};

/** `settings.json` of Droid. A hook that fails in another way than by exit status 2 is passed over. */
export const droidFormat: HookFormat = {
  tools: ['shell', 'edit', 'fetch', 'mcp'],
  comments: true,
  root: {},
  gates: ['PreToolUse'],
  perSecond: 1,
  failsClosed: () => true,
  objections: ({ hooksDisabled }) =>
    hooksDisabled === true ? ['All hooks are turned off there ("hooksDisabled").'] : [],
  entries: (plan) => [
    groupEntry({
      event: 'PreToolUse',
      matcher: matcherFor(plan.tools, names) ?? '*',
      handler: { type: 'command', command: plan.command, timeout: plan.seconds },
    }),
    sessionEnd(plan, 1),
  ],
};
