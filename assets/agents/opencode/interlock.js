// The plugin of Interlock for OpenCode. Written by "interlock install opencode" and compared by
// "interlock doctor", so a change by hand is taken for a broken one.
import { ask, onlyDecides, settings } from '../ask.js';

/** Which kind of tool it is; one that is not listed belongs to a server, or is not known yet. */
const kinds = {
  bash: 'shell',
  edit: 'edit',
  write: 'edit',
  multiedit: 'edit',
  patch: 'edit',
  apply_patch: 'edit',
  webfetch: 'fetch',
  websearch: 'fetch',
  codesearch: 'fetch',
};

export const Interlock = async ({ directory }) => ({
  /** Throwing here is how OpenCode is kept from using a tool. */
  'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
    const kind = Object.hasOwn(kinds, tool) ? kinds[tool] : 'mcp';
    if (!settings.tools.includes(kind)) return;
    const answer = await ask({ event: 'tool', tool, sessionID, callID, directory, args });
    // OpenCode goes on with this very object, so it is changed and not replaced.
    if (answer.decision === 'run' && tool === 'bash' && typeof answer.command === 'string')
      args.command = answer.command;
    else if (answer.decision !== 'allow' || (tool === 'bash' && !onlyDecides))
      throw new Error(String(answer.reason ?? 'Interlock allowed nothing.'));
  },
  event: async ({ event }) => {
    const sessionID = event?.properties?.info?.id ?? event?.properties?.sessionID;
    if (event?.type === 'session.deleted' && typeof sessionID === 'string')
      await ask({ event: 'session-ended', sessionID });
  },
});
