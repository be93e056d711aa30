import { answering, say, silence } from '../words.ts';

/** Cursor's words. It has none for another command than the agent's. */
export const answer = answering({
  runInstead: () => null,
  allowed: say({ permission: 'allow' }),
  notGated: silence,
  refused: (text) => say({ permission: 'deny', user_message: text, agent_message: text }),
});
