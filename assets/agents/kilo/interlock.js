// The plugin of Interlock for Kilo. Written by "interlock install kilo" and compared by
// "interlock doctor", so a change by hand is taken for a broken one.
import { ask, onlyDecides, settings } from '../ask.js';

/** Which kind of tool it is; one that is not listed belongs to a server, or is not known yet. */
const kinds = {
  bash: 'shell',
  background_process: 'shell',
  edit: 'edit',
  write: 'edit',
  multiedit: 'edit',
  patch: 'edit',
  apply_patch: 'edit',
  webfetch: 'fetch',
  websearch: 'fetch',
  codesearch: 'fetch',
};

/** Whether the call runs what stands in its command. */
function starts(tool, { action }) {
  return tool === 'bash' || action === 'start' || action === 'monitor' || action === 'restart';
}

/** Tools whose command is replaced by the one that Interlock returns. */
const shells = ['bash', 'background_process'];

export const Interlock = async ({ directory }) => ({
  /** Throwing here is how Kilo is kept from using a tool. */
  'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
    const kind = Object.hasOwn(kinds, tool) ? kinds[tool] : 'mcp';
    if (!settings.tools.includes(kind)) return;
    const answer = await ask({ event: 'tool', tool, sessionID, callID, directory, args });
    // Kilo goes on with this very object, so it is changed and not replaced.
    const runs = shells.includes(tool) && typeof args.command === 'string';
    if (answer.decision === 'run' && runs && typeof answer.command === 'string')
      args.command = answer.command;
    else if (answer.decision !== 'allow' || (runs && starts(tool, args) && !onlyDecides))
      throw new Error(String(answer.reason ?? 'Interlock allowed nothing.'));
  },
  event: async ({ event }) => {
    const sessionID = event?.properties?.info?.id ?? event?.properties?.sessionID;
    if (event?.type === 'session.deleted' && typeof sessionID === 'string')
      await ask({ event: 'session-ended', sessionID });
  },
});
