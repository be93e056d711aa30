import { answer as claude } from './claude/answer.ts';
import type { AgentHost, HookAnswer, HostAdapter } from './types.ts';

const answers: Readonly<Partial<Record<AgentHost, HostAdapter['answer']>>> = { claude };

/**
 * A refusal in the host's words, for a hook that has no answer of the gate: nobody could be asked,
 * so nothing is allowed. `text` says what is wrong and what to do. Loads no schema, so that a hook
 * program can say it at once.
 */
export function failClosed(host: AgentHost, text: string): HookAnswer {
  const answer = answers[host];
  if (answer === undefined) return { stdout: '', stderr: `${text}\n`, exitCode: 2 };
  return answer({ kind: 'refused', text }, undefined);
}
