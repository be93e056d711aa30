import { answer as claude } from './claude/answer.ts';
import { answer as codex } from './codex/answer.ts';
import { answer as cursor } from './cursor/answer.ts';
import { answer as gemini } from './gemini/answer.ts';
import { answer as opencode } from './opencode/answer.ts';
import type { AgentHost, HookAnswer, HostAdapter } from './types.ts';

const answers: Readonly<Record<AgentHost, HostAdapter['answer']>> = {
  claude,
  codex,
  gemini,
  cursor,
  opencode,
};

/**
 * A refusal in the host's words, for a hook that has no answer of the gate: nobody could be asked,
 * so nothing is allowed. `text` says what is wrong and what to do. Loads no schema, so that a hook
 * program can say it at once.
 */
export function failClosed(host: AgentHost, text: string): HookAnswer {
  return answers[host]({ kind: 'refused', text }, undefined);
}

/**
 * The refusal of a hook that does not even know its host: by exit status, which all of them that
 * start a program for a hook take as a refusal when there are words beside it.
 */
export function failClosedUnknown(text: string): HookAnswer {
  return { stdout: '', stderr: `${text}\n`, exitCode: 2 };
}
