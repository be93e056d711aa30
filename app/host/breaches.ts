import type { Clock } from '../../shared/base/index.ts';
import { signReport } from '../../shared/ipc/index.ts';
import type { BreachReport, HealthCheck, ReportedBreach } from '../../shared/wire/index.ts';

/** Connections to the approvals socket that were closed because somebody broke the protocol. */
interface Breaches {
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

/** Reports breaches of the approval protocol to the audit log, which only the runner writes. */
interface BreachReports {
  add(code: string, pid: number | null): void;
  /** Makes one last attempt; settles when it is over, whether it worked or not. */
  dispose(): Promise<void>;
}

interface BreachReportsOptions {
  readonly clock: Clock;
  /** The approvals token; null while the policy has none. */
  readonly token: () => Promise<string | null>;
  /** Rejects when no runner took it. */
  readonly send: (report: BreachReport) => Promise<void>;
  readonly log: (line: string) => void;
}

/** Breaches within this time become one row for each kind, so that a flood does not fill the log. */
const gatherMs = 2_000;
/** Without a runner, or with one that could not write, the report waits and is sent again. */
const againMs = 10_000;

/** Reports that no runner has taken are kept, counted by kind, until one does. */
export function createBreachReports(options: BreachReportsOptions): BreachReports {
  const { clock, token, send, log } = options;
  let waiting = new Map<string, ReportedBreach>();
  let cancel: (() => void) | null = null;
  let sending: Promise<void> | null = null;

  const report = async (): Promise<void> => {
    const secret = await token();
    if (secret === null || waiting.size === 0) return;
    const taken = waiting;
    waiting = new Map();
    try {
      await send(signReport({ token: secret, now: () => clock.now() }, [...taken.values()]));
    } catch {
      for (const [code, later] of waiting) taken.set(code, joined(taken.get(code), later));
      waiting = taken;
    }
  };
  const schedule = (ms: number): void => {
    cancel ??= clock.after(ms, () => {
      cancel = null;
      sending = report().finally(() => {
        sending = null;
        if (waiting.size > 0) schedule(againMs);
      });
    });
  };

  return {
    add: (code, pid) => {
      const at = clock.now();
      const seen = { code, count: 1, firstAt: at, lastAt: at, pid };
      waiting.set(code, joined(waiting.get(code), seen));
      schedule(gatherMs);
    },
    dispose: async () => {
      await sending;
      cancel?.();
      await report();
      cancel?.();
      if (waiting.size > 0)
        log(`no runner took the report of these breaches: ${[...waiting.keys()].join(', ')}`);
    },
  };
}

function joined(earlier: ReportedBreach | undefined, later: ReportedBreach): ReportedBreach {
  if (earlier === undefined) return later;
  return { ...later, count: earlier.count + later.count, firstAt: earlier.firstAt };
}
