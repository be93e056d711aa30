import { groupEntry, matcherFor, sessionEnd } from '../groups.ts';
import type { HookFormat } from '../types.ts';

const names = { shell: ['Bash'], edit: ['apply_patch'], mcp: ['mcp__.*'] };

const knownFields = ['description', 'hooks'];

/**
 * `hooks.json` of Codex 0.169. `timeout` is in seconds; `timeoutSec`, which `hooks/list` shows, is
 * ignored in the file. A field of the file's top that Codex does not know turns off all its hooks.
 */
export const codexFormat: HookFormat = {
  host: 'codex',
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
  ],
};
