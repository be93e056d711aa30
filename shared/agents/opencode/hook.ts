import type { HostHook } from '../host.ts';
import { answering, fieldOf, say, withCommand } from '../words.ts';

/** The words of our plugin: it throws at everything but these, and at no words at all. */
const answer = answering({
  runInstead: (command, input) =>
    withCommand(fieldOf(input, 'args'), command) === null
      ? null
      : say({ decision: 'run', command }),
  allowed: say({ decision: 'allow' }),
  notGated: say({ decision: 'allow' }),
  refused: (reason) => say({ decision: 'deny', reason }),
});

export const opencodeHook: HostHook = { title: 'OpenCode', answer };
