import { preToolUse } from '../pre-tool-use.ts';
import { answering, fieldOf, silence, withCommand } from '../words.ts';

/**
 * Claude Code's words. A refusal is `deny` with exit status 0, which it was seen to honour in every
 * mode; `updatedInput` replaces the whole input, so the other fields are handed back as they came.
 */
export const answer = answering({
  runInstead: (command, input) => {
    const updatedInput = withCommand(fieldOf(input, 'tool_input'), command);
    return updatedInput === null ? null : preToolUse('allow', { updatedInput });
  },
  allowed: preToolUse('allow'),
  notGated: silence,
  refused: (text) => preToolUse('deny', { permissionDecisionReason: text }),
});
