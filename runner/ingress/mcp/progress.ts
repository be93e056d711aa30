import type { ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '../../../shared/clock/types.ts';

/** Tells the host that its call is still under way. */
export interface Progress {
  say(message: string): void;
  stop(): void;
}

/** Hosts give a call up after a silence; a person may take longer than that. */
const repeatMs = 10_000;

/** Progress for one call, where its host asked for it: at once, and again while nothing changes. */
export function progressOf({ mcpReq }: ServerContext, clock: Clock): Progress {
  const { _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  if (token === undefined) return { say: () => undefined, stop: () => undefined };
  let count = 0;
  let cancel = (): void => undefined;
  const say = (message: string): void => {
    cancel();
    count += 1;
    const params = { progressToken: token, progress: count, message };
    // A host that is gone needs no progress; its call ends by itself.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    cancel = clock.after(repeatMs, () => say(message));
  };
  return { say, stop: () => cancel() };
}
