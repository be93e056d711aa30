import type { HostHook } from '../host.ts';
import type { HookEntry, HookFormat } from '../hook-entries.ts';
import { answering, say, silence } from '../words.ts';

/** Cursor's words. It has none for another command than the agent's. */
const answer = answering({
  runInstead: () => null,
  allowed: say({ permission: 'allow' }),
  notGated: silence,
  refused: (text) => say({ permission: 'deny', user_message: text, agent_message: text }),
});

export const cursorHook: HostHook = { title: 'Cursor', answer };

/**
 * `hooks.json` of Cursor. That `timeout` is in seconds and that `failClosed` makes a failing hook a
 * refusal is told by others, and was not seen.
 */
export const cursorFormat: HookFormat = {
  tools: ['shell', 'mcp'],
  comments: true,
  root: { version: 1 },
  gates: ['beforeShellExecution', 'beforeMCPExecution'],
  perSecond: 1,
  failsClosed: ({ failClosed }) => failClosed === true,
  objections: ({ version }) =>
    version === 1 ? [] : ['It is of a version that Interlock does not know.'],
  entries: ({ command, seconds, tools }) => {
    const entry = (event: string): HookEntry => ({
      event,
      value: { command, timeout: seconds, failClosed: true },
    });
    return [
      ...(tools.includes('shell') ? [entry('beforeShellExecution')] : []),
      ...(tools.includes('mcp') ? [entry('beforeMCPExecution')] : []),
    ];
  },
};
