import { refuse } from '../../shared/base/index.ts';
import type { Rate } from '../../shared/base/index.ts';
import { compileGlob } from '../../shared/engine/index.ts';
import type { Config, Glob, ProgramLimit } from '../../shared/engine/index.ts';
import type { Buckets } from './bucket.ts';

/** Who uses up the limits: an agent on a socket. */
export interface Principal {
  readonly agent: string;
  readonly uid: number;
}

/** Counts requests, commands and asks. Every method throws `rate-limit` or `concurrency-busy`. */
export interface Limits {
  /** Takes one place among the requests under way; the answer gives it back. */
  enter(principal: Principal): () => void;
  /**
   * Takes one token for a command that is understood: of each program that has a rate of its own
   * (`executables` are real paths), else of the principal.
   */
  meter(principal: Principal, executables: readonly string[]): void;
  /** Takes one token of a class of brokered tools. */
  tool(principal: Principal, rate: Rate & { readonly class: string }): void;
  /** Takes one place among the asks that wait for a person; the answer gives it back. */
  ask(principal: Principal): () => void;
}

/** Counts what is under way, by name and in all. */
interface Places {
  /** Takes one place. The answer gives it back, and may be called twice. */
  take(name: string): () => void;
  of(name: string): number;
  readonly total: number;
}

function createPlaces(): Places {
  const counts = new Map<string, number>();
  let total = 0;
  const add = (name: string, change: 1 | -1): void => {
    const count = (counts.get(name) ?? 0) + change;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
    total += change;
  };
  return {
    take: (name) => {
      add(name, 1);
      let taken = true;
      return () => {
        if (taken) add(name, -1);
        taken = false;
      };
    },
    of: (name) => counts.get(name) ?? 0,
    get total() {
      return total;
    },
  };
}

interface ProgramRates {
  readonly rates: readonly { readonly pattern: string; readonly rate: Rate }[];
  /** Every executable has a rate of its own, so the principal's is not used. */
  readonly all: boolean;
}

const compiled = new WeakMap<ProgramLimit, Glob>();

/**
 * The rates of programs that count for a command: for each executable the first limit that matches,
 * each limit once. What has no rate of its own falls to the principal's, so that a fast program in a
 * chain carries nothing past it.
 */
function programRates(
  limits: readonly ProgramLimit[],
  executables: readonly string[],
): ProgramRates {
  const found = new Set<ProgramLimit>();
  let all = executables.length > 0;
  for (const path of executables) {
    const limit = limits.find((candidate) => matches(candidate, path));
    if (limit === undefined) all = false;
    else found.add(limit);
  }
  const rates = [...found].map(({ pattern, perMinute, burst }) => ({
    pattern,
    rate: { perMinute, burst },
  }));
  return { rates, all };
}

function matches(limit: ProgramLimit, path: string): boolean {
  if (!limit.pattern.includes('/')) return path.slice(path.lastIndexOf('/') + 1) === limit.pattern;
  let glob = compiled.get(limit);
  if (glob === undefined) {
    glob = compileGlob(limit.pattern, { home: '/', ignoreCase: false });
    compiled.set(limit, glob);
  }
  return glob.matches(path);
}

interface LimitsOptions {
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
      // What waits for a person does nothing, and has a bound of its own.
      const inAllUnderWay = running.total - waiting.total;
      const own = running.of(name) - waiting.of(name);
      requireRoom(inAllUnderWay, limits.concurrent, 'commands are under way');
      requireRoom(own, limits.concurrentPerAgent, underWay(principal, 'commands'));
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
    tool: (principal, { class: name, ...rate }) =>
      take(
        `tool ${nameOf(principal)} ${name}`,
        rate,
        `"${principal.agent}" uses tools of "${name}"`,
      ),
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
