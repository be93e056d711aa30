import type { PolicyDocument } from '../../../../shared/policy/types.ts';

/** The rules of one agent as a policy file of their own, without what was noted about their use. */
export function exportedRules(document: PolicyDocument, agent: string): string {
  const allowlist = (document.agents?.[agent]?.allowlist ?? []).map(
    ({
      lastUsedAt: _at,
      lastUsedCommand: _command,
      lastResolvedPath: _path,
      uses: _uses,
      ...rule
    }) => rule,
  );
  return `${JSON.stringify({ version: 1, agents: { [agent]: { allowlist } } }, null, 2)}\n`;
}

/** A name for the file that every file system takes. */
export function exportName(agent: string): string {
  return `interlock-rules-${agent === '*' ? 'everyone' : agent.replace(/[^A-Za-z0-9._-]/g, '_')}.json`;
}
