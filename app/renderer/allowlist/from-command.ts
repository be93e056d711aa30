import { useApp } from '../state/app.ts';
import { useDraft } from './draft.ts';
import type { PastCommand } from './draft.ts';

/** Goes to the allowlist of the command's agent and offers rules for the command there. */
export function startRuleFrom({ agent, command, cwd }: PastCommand): void {
  useDraft.setState({ agent, suggesting: { agent, command, cwd } });
  useApp.getState().show('allowlist');
}
