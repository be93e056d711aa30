import { answering, fieldOf, say, silence, withCommand } from '../words.ts';

/**
 * Gemini CLI's words. What stands in `tool_input` is laid over the agent's own input, so only the
 * command is given.
 */
export const answer = answering({
  runInstead: (command, input) =>
    withCommand(fieldOf(input, 'tool_input'), command) === null
      ? null
      : say({ decision: 'allow', hookSpecificOutput: { tool_input: { command } } }),
  allowed: say({ decision: 'allow' }),
  notGated: silence,
  refused: (reason) => say({ decision: 'deny', reason }),
});
