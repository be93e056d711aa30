import type { HookAnswer } from '../types.ts';
import { answering, fieldOf, say, withCommand } from '../words.ts';

/**
 * Claude Code's words. A refusal is `deny` with exit status 0, which it was seen to honour in every
 * mode; `updatedInput` replaces the whole input, so the other fields are handed back as they came.
 */
export const answer = answering({
  runInstead: (command, input) => {
    const updatedInput = withCommand(fieldOf(input, 'tool_input'), command);
    return updatedInput === null ? null : decide('allow', { updatedInput });
  },
  allowed: decide('allow'),
  refused: (text) => decide('deny', { permissionDecisionReason: text }),
});

function decide(permissionDecision: 'allow' | 'deny', more: object = {}): HookAnswer {
  return say({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more },
  });
}
