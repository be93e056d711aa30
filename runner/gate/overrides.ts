import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import type {
  ElevationEntry,
  OverrideInForce,
  SessionOverride,
} from '../../shared/engine/index.ts';
import { keptSessions, sessionKey } from './kept-overrides.ts';
import type { KeptOverrides } from './kept-overrides.ts';
import type { Identity } from './request-context.ts';

/** What a person has raised a session to, for a while. */
export interface Elevation extends ElevationEntry {
  readonly values: SessionOverride;
}

type ElevationEnd = 'expired' | 'ended' | 'replaced' | 'session-over' | 'agent-changed' | 'lockout';

/** What sessions have other than their agents. What was raised ends with the runner. */
export interface SessionOverrides {
  /** Throws `config-invalid` where what sessions have kept cannot be read. */
  of(agent: string, session: string | null): OverrideInForce | null;
  /**
   * Sets fields beside those that are set; with `keep` all of them outlive the runner. Throws
   * `rate-limit` where too many sessions have something, and what writing the file throws.
   */
  set(
    agent: string,
    session: string,
    values: SessionOverride,
    options?: { readonly keep?: boolean },
  ): void;
  /** Whether something outlives the runner. */
  isKept(agent: string, session: string): boolean;
  /** While a person is asked about a session: whether it has ended since. */
  asking(agent: string, session: string): { isOver(): boolean; done(): void };
  /** Stands for what was raised before. */
  raise(elevation: Elevation): void;
  /** Takes away what was raised, and with `exec` all else; false where there was nothing. */
  off(agent: string, session: string, what: 'exec' | 'elevated'): boolean;
  elevations(): readonly Elevation[];
  /** Told after one was raised or is over. */
  onChange(listener: () => void): void;
  /** A person ends one; false where there is none of that name any more. */
  end(id: string): boolean;
  /**
   * What was raised ends. What was set stays: an agent says itself that its session is over, and may
   * go on in it.
   */
  endSession(agent: string, session: string): void;
  /** Everything is locked: what was raised ends. */
  clear(): void;
  dispose(): void;
}

/**
 * What of it holds for this very request: nothing for a name that does not count, and what a person
 * raised only where the owner asks, since others may speak in the same session.
 */
export function overrideFor(
  { agent, claimed, session, trust }: Pick<Identity, 'agent' | 'claimed' | 'session' | 'trust'>,
  overrides: Pick<SessionOverrides, 'of'> | undefined,
): OverrideInForce | null {
  const found = claimed === null ? (overrides?.of(agent, session) ?? null) : null;
  return found === null || trust.level === 'owner' ? found : { ...found, raised: {} };
}

interface Entry {
  readonly agent: string;
  own: SessionOverride;
  /** When its session was over, in milliseconds of the clock that never stands. */
  endedAt: number | null;
  raised:
    | (Elevation & {
        readonly until: number;
        /** Which agent of that name was raised. */
        readonly generation: string | null;
        readonly cancel: () => void;
      })
    | null;
}

const reasons: Readonly<Record<ElevationEnd, string>> = {
  expired: 'its time is over',
  ended: 'a person or its agent ended it',
  replaced: 'something else stands in its place',
  'session-over': 'the session is over',
  'agent-changed': 'its agent was removed, made anew, or got another key',
  lockout: 'everything was locked',
};

/** The end of an elevation as the record has it. */
export function loweredText({ agent, session, as }: Elevation, why: ElevationEnd): string {
  return `Session "${session}" of "${agent}": ${as} holds no more, ${reasons[why]}.`;
}

/** Changes when an agent is removed, made anew, or gets another key; null for one that has none. */
type GenerationOf = (agent: string) => string | null;

/** How many sessions of one agent may have something, and of all agents. */
const mostOfAgent = 100;
const mostSessions = 1_000;
/** For how long what was set for a session that is over still holds, in milliseconds. */
const afterEndMs = 24 * 3_600_000;

/** The sessions that have something of their own, and how what was raised goes again. */
function sessionEntries(
  clock: Clock,
  ended: (elevation: Elevation, why: ElevationEnd) => void,
  generationOf: GenerationOf,
) {
  const entries = new Map<string, Entry>();
  /** None gives way to another: so many commands would take back what holds for a session. */
  const entryOf = (agent: string, session: string): Entry => {
    const key = sessionKey(agent, session);
    const known = entries.get(key);
    if (known !== undefined) {
      known.endedAt = null;
      return known;
    }
    for (const [old, { endedAt }] of entries)
      if (endedAt !== null && clock.elapsed() - endedAt > afterEndMs) entries.delete(old);
    const ofAgent = [...entries.values()].filter((one) => one.agent === agent).length;
    if (ofAgent >= mostOfAgent || entries.size >= mostSessions)
      throw refuse(
        'rate-limit',
        `Too many sessions of "${agent}" have something of their own.`,
        'Take back what is not needed any more: "/exec off".',
      );
    const entry: Entry = { agent, own: {}, endedAt: null, raised: null };
    entries.set(key, entry);
    return entry;
  };
  const lower = (key: string, entry: Entry, why: ElevationEnd): boolean => {
    const { raised } = entry;
    if (raised === null) return false;
    raised.cancel();
    entry.raised = null;
    if (Object.keys(entry.own).length === 0) entries.delete(key);
    ended(raised, why);
    return true;
  };
  /** Either clock may say that it is over: one is set back by hand, the other stands while it sleeps. */
  const lapse = (): void => {
    for (const [key, entry] of entries) {
      const { raised } = entry;
      if (raised === null) continue;
      if (raised.expiresAt <= clock.now() || raised.until <= clock.elapsed())
        lower(key, entry, 'expired');
      else if (raised.generation !== generationOf(raised.agent)) lower(key, entry, 'agent-changed');
    }
  };
  const elevations = (): readonly Elevation[] => {
    lapse();
    return [...entries.values()].flatMap(({ raised }) => {
      if (raised === null) return [];
      const { until: _until, generation: _generation, cancel: _cancel, ...elevation } = raised;
      return [elevation];
    });
  };
  return { entries, entryOf, lower, lapse, elevations };
}

/** The questions about sessions that a person has before them, and whether each is about one that ended. */
function openQuestions(generationOf: GenerationOf) {
  const asked = new Map<{ isOver: boolean }, string>();
  return {
    asking: (agent: string, session: string) => {
      const one = { isOver: false };
      asked.set(one, sessionKey(agent, session));
      const before = generationOf(agent);
      return {
        isOver: () => one.isOver || generationOf(agent) !== before,
        done: () => void asked.delete(one),
      };
    },
    /** Those about one session are over; without its key, all are. */
    end: (key: string | null): void => {
      for (const [one, of] of asked) if (key === null || of === key) one.isOver = true;
    },
  };
}

/**
 * @param ended told of each elevation that is over, and why
 * @param generationOf what was raised for one agent is not for another that has its name later
 * @param file where what sessions keep outlives the runner; absent: nothing does
 */
export function createSessionOverrides(
  clock: Clock,
  ended: (elevation: Elevation, why: ElevationEnd) => void,
  generationOf: GenerationOf = () => null,
  file?: KeptOverrides,
): SessionOverrides {
  const listeners: (() => void)[] = [];
  const changed = (): void => listeners.forEach((listener) => listener());
  const over = (elevation: Elevation, why: ElevationEnd): void => {
    ended(elevation, why);
    changed();
  };
  const { entries, entryOf, lower, lapse, elevations } = sessionEntries(clock, over, generationOf);
  const questions = openQuestions(generationOf);
  const kept = keptSessions(file);
  for (const { agent, session, values } of kept.all())
    entries.set(sessionKey(agent, session), { agent, own: values, endedAt: null, raised: null });
  return {
    of: (agent, session) => {
      if (session === null) return null;
      kept.check();
      lapse();
      const entry = entries.get(sessionKey(agent, session));
      return entry === undefined ? null : { own: entry.own, raised: entry.raised?.values ?? {} };
    },
    set: (agent, session, values, { keep = false } = {}) => {
      kept.check();
      const entry = entryOf(agent, session);
      const own = { ...entry.own, ...values };
      if (keep) kept.keep({ agent, session, values: own });
      entry.own = own;
    },
    isKept: (agent, session) => kept.has(sessionKey(agent, session)),
    asking: questions.asking,
    raise: (elevation) => {
      const key = sessionKey(elevation.agent, elevation.session);
      const before = entries.get(key);
      if (before !== undefined) lower(key, before, 'replaced');
      const left = elevation.expiresAt - clock.now();
      entryOf(elevation.agent, elevation.session).raised = {
        ...elevation,
        until: clock.elapsed() + left,
        generation: generationOf(elevation.agent),
        cancel: clock.after(left, lapse),
      };
      changed();
    },
    off: (agent, session, what) => {
      const key = sessionKey(agent, session);
      const entry = entries.get(key);
      if (entry === undefined) return false;
      if (what === 'exec') kept.forget(key);
      const lowered = lower(key, entry, 'ended');
      return what === 'exec' ? entries.delete(key) || lowered : lowered;
    },
    elevations,
    onChange: (listener) => void listeners.push(listener),
    end: (id) => {
      lapse();
      for (const [key, entry] of entries)
        if (entry.raised?.id === id) return lower(key, entry, 'ended');
      return false;
    },
    endSession: (agent, session) => {
      const key = sessionKey(agent, session);
      const entry = entries.get(key);
      if (entry !== undefined) lower(key, entry, 'session-over');
      if (entry !== undefined && !kept.has(key)) entry.endedAt = clock.elapsed();
      questions.end(key);
    },
    clear: () => {
      for (const [key, entry] of entries) lower(key, entry, 'lockout');
      questions.end(null);
    },
    dispose: () => {
      for (const { raised } of entries.values()) raised?.cancel();
      entries.clear();
    },
  };
}
