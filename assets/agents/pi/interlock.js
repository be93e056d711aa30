// The extension of Interlock for pi. Written by "interlock install pi" and compared by
// "interlock doctor", so a change by hand is taken for a broken one.
import { ask, onlyDecides, settings } from '../ask.js';

/** Which kind of tool it is; one that is not listed belongs to a server, or is not known yet. */
const kinds = {
  bash: 'shell',
  edit: 'edit',
  write: 'edit',
};

/** By which the gate tells sessions apart; a pi that names none is one session. */
function sessionOf(ctx) {
  try {
    const id = ctx.sessionManager.getSessionId();
    if (typeof id === 'string' && id !== '') return id;
  } catch {
    // Older and newer ones may not have it.
  }
  return `pi-${process.pid}`;
}

export default function interlock(pi) {
  /** What is returned keeps pi from using a tool; so does everything that is thrown here. */
  pi.on('tool_call', async ({ toolName, toolCallId, input }, ctx) => {
    const kind = Object.hasOwn(kinds, toolName) ? kinds[toolName] : 'mcp';
    if (!settings.tools.includes(kind)) return undefined;
    const question = { tool: toolName, callID: toolCallId, directory: ctx.cwd, args: input };
    const answer = await ask({ event: 'tool', sessionID: sessionOf(ctx), ...question });
    const runs = toolName === 'bash';
    if (answer.decision === 'run' && runs && typeof answer.command === 'string') {
      // pi goes on with this very object, so it is changed and not replaced.
      input.command = answer.command;
      return undefined;
    }
    if (answer.decision === 'allow' && (!runs || onlyDecides)) return undefined;
    return { block: true, reason: String(answer.reason ?? 'Interlock allowed nothing.') };
  });
  pi.on('session_shutdown', async (_event, ctx) => {
    await ask({ event: 'session-ended', sessionID: sessionOf(ctx) });
  });
}
