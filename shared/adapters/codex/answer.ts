import { preToolUse } from '../pre-tool-use.ts';
import { answering, fieldOf, silence, withCommand } from '../words.ts';

/**
 * Codex's words. It knows `allow` only together with a changed input: any other word would be taken
 * for a broken hook, and the tool would run. So where something is allowed unchanged nothing is
 * said, and Codex's own rules decide as well. A refusal needs a reason, or it is none.
 */
export const answer = answering({
  runInstead: (command, input) => {
    const updatedInput = withCommand(fieldOf(input, 'tool_input'), command);
    return updatedInput === null ? null : preToolUse('allow', { updatedInput });
  },
  allowed: silence,
  notGated: silence,
  refused: (text) => preToolUse('deny', { permissionDecisionReason: text }),
});
