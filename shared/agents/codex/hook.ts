import type { HostHook } from '../host.ts';
import { groupEntry, matcherFor, promptEntries, sessionEnd } from '../hook-entries.ts';
import type { HookFormat } from '../hook-entries.ts';
import { answering, preToolUse, promptAnswered, runInstead, silence } from '../words.ts';

/**
 * Codex's words. It knows `allow` only together with a changed input: any other word would be taken
 * for a broken hook, and the tool would run. So where something is allowed unchanged nothing is
 * said, and Codex's own rules decide as well. A refusal needs a reason, or it is none.
 */
const answer = answering({
  runInstead,
  allowed: silence,
  notGated: silence,
  // Codex goes on behind it with ". Command: …".
  refused: (text) => preToolUse('deny', { permissionDecisionReason: text.replace(/\.$/u, '') }),
  answered: promptAnswered,
});

export const codexHook: HostHook = { title: 'Codex', answer, runsWithoutShell: true };

const names = { shell: ['Bash'], edit: ['apply_patch'], mcp: ['mcp__.*'] };

const knownFields = ['description', 'hooks'];

/**
 * `hooks.json` of Codex 0.169. `timeout` is in seconds; `timeoutSec`, which `hooks/list` shows, is
 * ignored in the file. A field of the file's top that Codex does not know turns off all its hooks.
 */
export const codexFormat: HookFormat = {
  tools: ['shell', 'edit', 'mcp'],
  comments: false,
  root: {},
  gates: ['PreToolUse'],
  perSecond: 1,
  failsClosed: () => true,
  objections: (settings) => {
    const unknown = Object.keys(settings).find((field) => !knownFields.includes(field));
    return unknown === undefined
      ? []
      : [`Codex reads no hook of a file that has a field like "${unknown}".`];
  },
  entries: (plan) => [
    groupEntry({
      event: 'PreToolUse',
      matcher: matcherFor(plan.tools, names) ?? '*',
      handler: { type: 'command', command: plan.command, timeout: plan.seconds },
    }),
    sessionEnd(plan, 1),
    ...promptEntries(plan, 1),
  ],
};
