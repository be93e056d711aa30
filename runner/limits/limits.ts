import type { Config } from '../../shared/config/types.ts';
import { refuse } from '../../shared/refusal/refusal.ts';
import type { Rate } from './bucket.ts';
import type { Buckets } from './buckets.ts';
import { createPlaces } from './places.ts';
import { programRates } from './program-rates.ts';
import type { Limits, Principal } from './types.ts';

export interface LimitsOptions {
  /** The settings that hold now. */
  readonly settings: () => Config['limits'];
  readonly buckets: Buckets;
  /** Called after tokens were taken. */
  readonly changed: () => void;
}

/**
 * The limits of `config.json`. The rate of all principals together is taken at the door, so that new
 * names bring nothing; the rate of one principal after the analysis, because a program may have a
 * rate of its own that counts instead.
 */
export function createLimits({ settings, buckets, changed }: LimitsOptions): Limits {
  const running = createPlaces();
  const waiting = createPlaces();
  const take = (name: string, rate: Rate, who: string): void => {
    const wait = buckets.take(name, rate);
    changed();
    if (wait > 0) throw tooOften(who, rate, wait);
  };

  return {
    enter: (principal) => {
      const limits = settings();
      const name = nameOf(principal);
      requireRoom(running.total, limits.concurrent, 'commands are under way');
      requireRoom(running.of(name), limits.concurrentPerAgent, underWay(principal, 'commands'));
      const inAll = { perMinute: limits.requestsPerMinuteInAll, burst: limits.burstInAll };
      take('all', inAll, 'All agents together ask');
      return running.take(name);
    },
    meter: (principal, executables) => {
      const limits = settings();
      const { rates, all } = programRates(limits.programs, executables);
      for (const { pattern, rate } of rates)
        take(
          `program ${nameOf(principal)} ${pattern}`,
          rate,
          `"${principal.agent}" runs ${pattern}`,
        );
      if (all) return;
      const rate = { perMinute: limits.requestsPerMinute, burst: limits.burst };
      take(`agent ${nameOf(principal)}`, rate, `"${principal.agent}" asks`);
    },
    ask: (principal) => {
      const limits = settings();
      const name = nameOf(principal);
      requireRoom(waiting.total, limits.pending, 'requests wait for a person');
      requireRoom(waiting.of(name), limits.pendingPerAgent, underWay(principal, 'requests'));
      const rate = { perMinute: limits.asksPerMinute, burst: limits.askBurst };
      take(`ask ${name}`, rate, `"${principal.agent}" asks a person`);
      return waiting.take(name);
    },
  };
}

function nameOf({ agent, uid }: Principal): string {
  return `${uid} ${agent}`;
}

function underWay({ agent }: Principal, what: string): string {
  return `${what} of "${agent}" are under way`;
}

function requireRoom(count: number, most: number, what: string): void {
  if (count < most) return;
  throw refuse(
    'concurrency-busy',
    `Already ${count} ${what}.`,
    'Wait until one of them has ended; do not send more at once.',
  );
}

function tooOften(who: string, { perMinute }: Rate, waitMs: number): Error {
  const hint = Number.isFinite(waitMs)
    ? `Wait ${Math.ceil(waitMs / 1_000)} s and ask again.`
    : 'Do not ask again.';
  return refuse('rate-limit', `${who} too often: at most ${perMinute} a minute.`, hint);
}
