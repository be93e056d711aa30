import type { HookAnswer } from './types.ts';
import { say } from './words.ts';

/** The answer to `PreToolUse`, in the form that Claude Code made and Codex took over. */
export function preToolUse(permissionDecision: 'allow' | 'deny', more: object = {}): HookAnswer {
  return say({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more },
  });
}
