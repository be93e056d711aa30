import { groupAsks } from '../../bridge/grouping.ts';
import type { AskGroup } from '../../bridge/grouping.ts';
import type { QueuedAsk } from '../../bridge/types.ts';

/** All that one agent has asked, in groups of like asks. */
export interface AgentQueue {
  readonly agent: string;
  readonly groups: readonly AskGroup[];
  readonly asks: readonly QueuedAsk[];
}

/** The queue by agent; the agent with the oldest ask comes first. */
export function queueByAgent(queue: readonly QueuedAsk[]): readonly AgentQueue[] {
  const agents = new Map<string, AskGroup[]>();
  for (const group of groupAsks(queue)) {
    const groups = agents.get(group.agent);
    if (groups === undefined) agents.set(group.agent, [group]);
    else groups.push(group);
  }
  return [...agents].map(([agent, groups]) => ({
    agent,
    groups,
    asks: groups.flatMap(({ asks }) => asks),
  }));
}
