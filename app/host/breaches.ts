import type { HealthCheck } from '../../shared/api/types.ts';

/** Connections to the approvals socket that were closed because somebody broke the protocol. */
export interface Breaches {
  add(code: string): void;
  check(): HealthCheck;
}

interface Count {
  readonly count: number;
  readonly lastAt: number;
}

const id = 'approval-protocol';
const mostCodes = 20;

/** Counts breaches since the start of the host; for Health, so that nobody has to read a log. */
export function createBreaches(now: () => number): Breaches {
  const counts = new Map<string, Count>();
  return {
    add: (code) => {
      if (!counts.has(code) && counts.size >= mostCodes) return;
      counts.set(code, { count: (counts.get(code)?.count ?? 0) + 1, lastAt: now() });
    },
    check: () => {
      if (counts.size === 0)
        return {
          id,
          level: 'ok',
          title: 'Nobody broke the approval protocol since this approver started',
          detail: '',
          mendable: false,
        };
      const kinds = [...counts].map(([code, { count }]) => `${code} (${String(count)})`).join(', ');
      const lastAt = Math.max(...[...counts.values()].map((each) => each.lastAt));
      return {
        id,
        level: 'warning',
        title: 'Somebody broke the approval protocol',
        detail: `Closed connections: ${kinds}; the last one at ${new Date(lastAt).toISOString()}. Nothing was allowed by them. An old client or a wrong token does this too: look at what runs as your user.`,
        mendable: false,
      };
    },
  };
}
