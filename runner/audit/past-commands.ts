import type { DecisionRow } from './types.ts';

const perAgent = 200;
const agents = 64;

export interface PastCommands {
  add(row: DecisionRow): void;
  of(agent: string): readonly { readonly command: string; readonly cwd: string }[];
}

/** The last allowed commands of the agents seen since the start, newest first; bounded both ways. */
export function createPastCommands(): PastCommands {
  const byAgent = new Map<string, { readonly command: string; readonly cwd: string }[]>();
  return {
    add: ({ agent, decision, command, cwd }) => {
      if (decision !== 'allow') return;
      const known = byAgent.get(agent) ?? [];
      byAgent.delete(agent);
      byAgent.set(
        agent,
        [
          { command, cwd },
          ...known.filter((past) => past.command !== command || past.cwd !== cwd),
        ].slice(0, perAgent),
      );
      const oldest = byAgent.keys().next().value;
      if (byAgent.size > agents && oldest !== undefined) byAgent.delete(oldest);
    },
    of: (agent) => byAgent.get(agent) ?? [],
  };
}
