import { answer as claude } from './claude/hook.ts';
import { answer as codex } from './codex/hook.ts';
import { answer as cursor } from './cursor/hook.ts';
import { answer as gemini } from './gemini/hook.ts';
import { answer as opencode } from './opencode/hook.ts';
import type { AgentHost, HookAnswer, HostAdapter } from '../wire/index.ts';

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
