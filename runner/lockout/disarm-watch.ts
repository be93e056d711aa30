import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { disarmedSince } from '../../shared/agents/index.ts';
import type { Arming, ArmingSubject } from '../../shared/agents/index.ts';
import { noArming, readArming, watchFile, writeArming } from '../../shared/home/index.ts';
import type { ArmedSession, ArmingRecord, DisarmedAgent } from '../../shared/home/index.ts';
import type { Log } from '../service/log.ts';

interface DisarmWatchOptions {
  /** `state/arming.json`. */
  readonly path: string;
  readonly uid: number;
  readonly clock: Clock;
  readonly look: (subject: ArmingSubject) => Arming;
  /** Throws for an agent that a person has stopped, as the lockout of one box does. */
  readonly requireOpen: (agent: string) => void;
  readonly isHost: (name: string) => name is ArmingSubject['host'];
  /** A line for the record, and for the person. */
  readonly note: (code: string, text: string) => void;
  /** Takes back what waits: an agent that is not held any more gets nothing on old terms. */
  readonly stopWaiting: () => void;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** Watches the files that hold the hooks of agents, in every folder in which one has asked. */
export interface DisarmWatch {
  /** An agent has asked through the hook of its host: so the gate is asked there, as things are. */
  seen(agent: string, subject: ArmingSubject): void;
  /**
   * Throws `gate-disarmed` for an agent whose hooks were changed so that it would not ask, and what
   * `requireOpen` throws.
   */
  check(agent: string): void;
  /** Looks at all files now. */
  look(): void;
  /** A person says that the agent may go on as its files are now. Returns whether it was stopped. */
  rearm(agent: string, by: string): boolean;
  disarmed(): readonly DisarmedAgent[];
  onChange(listener: () => void): void;
  dispose(): void;
}

const pollMs = 2_000;
const mostSessions = 64;
/** Looked at before each request; the others when a file changes, and every two seconds. */
const lookedAtOnce = 4;

/** What is known of the hooks of agents, on the disk. A record that cannot be read stops everybody. */
function openRecord({ path, uid, clock, note, log, stopWaiting }: DisarmWatchOptions) {
  const stored = readArming(path, uid);
  let isBroken = stored === null;
  let record: ArmingRecord = stored ?? noArming;
  const listeners: (() => void)[] = [];
  const keep = (next: ArmingRecord): void => {
    record = next;
    try {
      writeArming(path, record);
    } catch (error) {
      log.error('What is known of the hooks of agents could not be written down', error);
    }
  };
  const told = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    isBroken: () => isBroken,
    sessions: () => record.sessions,
    disarmed: () => record.disarmed,
    disarmedOf: (agent: string): DisarmedAgent | undefined =>
      record.disarmed.find((one) => one.agent === agent),
    remember: (session: ArmedSession): void =>
      keep({ ...record, sessions: [...record.sessions, session].slice(-mostSessions) }),
    /** How things are now is what later changes are held against. */
    beginAnew: (agent: string): void => {
      isBroken = false;
      record = { ...record, sessions: record.sessions.filter((one) => one.agent !== agent) };
    },
    stop: ({ agent, host, folder }: ArmedSession, reason: string): void => {
      const others = record.disarmed.filter((one) => one.agent !== agent);
      const stopped = { agent, host, folder, reason, at: clock.now() };
      keep({ ...record, disarmed: [...others, stopped] });
      const text = `The agent "${agent}" is stopped: in ${folder} its hooks no longer ask Interlock. ${reason}`;
      note('gate-disarmed', text);
      log.warn(text);
      stopWaiting();
      told();
    },
    lift: (agent: string, why: string): void => {
      keep({ ...record, disarmed: record.disarmed.filter((one) => one.agent !== agent) });
      note('gate-armed', `The agent "${agent}" may go on: ${why}.`);
      told();
    },
    onChange: (listener: () => void): void => void listeners.push(listener),
  };
}

/** The watch over its record, which outlives the runner. */
export function createDisarmWatch(options: DisarmWatchOptions): DisarmWatch {
  const { clock, look, log } = options;
  const record = openRecord(options);
  const watched = new Map<string, () => void>();

  const follow = (files: readonly string[]): void => {
    for (const file of files)
      if (!watched.has(file) && watched.size < mostSessions * 4)
        watched.set(file, watchFile(file, { clock, pollMs: 30_000, look: () => lookNow() }));
  };
  const worse = (session: ArmedSession): string | null => {
    if (!options.isHost(session.host)) return null;
    const now = look({ host: session.host, folder: session.folder });
    follow(now.files);
    return disarmedSince({ ...session, files: [] }, now);
  };
  const lookAt = (sessions: readonly ArmedSession[]): void => {
    for (const agent of new Set(sessions.map((session) => session.agent))) {
      const own = sessions.filter((session) => session.agent === agent);
      const found = own.map((session) => ({ session, reason: worse(session) }));
      const first = found.find(({ reason }) => reason !== null);
      if (first?.reason !== undefined && first.reason !== null) {
        if (record.disarmedOf(agent) === undefined) record.stop(first.session, first.reason);
      } else if (record.disarmedOf(agent) !== undefined) record.lift(agent, 'its files are mended');
    }
  };
  let looking = false;
  function lookNow(): void {
    // `follow` starts watches, and each of them looks at once.
    if (looking) return;
    looking = true;
    try {
      lookAt(record.sessions());
    } catch (error) {
      log.error('The hooks of agents could not be looked at', error);
    } finally {
      looking = false;
    }
  }
  let cancel = clock.after(pollMs, tick);
  function tick(): void {
    cancel = clock.after(pollMs, tick);
    lookNow();
  }
  lookNow();

  return {
    seen: (agent, { host, folder }) => {
      const known = record
        .sessions()
        .some((one) => one.agent === agent && one.host === host && one.folder === folder);
      if (known || record.isBroken()) return;
      const { present, problems, plugins, files } = look({ host, folder });
      record.remember({ agent, host, folder, present, problems: problems.slice(0, 64), plugins });
      looking = true;
      follow(files);
      looking = false;
    },
    check: (agent) => {
      options.requireOpen(agent);
      if (record.isBroken()) throw refusal('What is known of hooks cannot be read.', agent);
      const own = record.sessions().filter((session) => session.agent === agent);
      lookAt(own.slice(-lookedAtOnce));
      const found = record.disarmedOf(agent);
      if (found !== undefined)
        throw refusal(`The hooks of "${agent}" no longer ask Interlock. ${found.reason}`, agent);
    },
    look: lookNow,
    rearm: (agent, by) => {
      const stopped = record.isBroken() || record.disarmedOf(agent) !== undefined;
      record.beginAnew(agent);
      if (stopped) record.lift(agent, `${by} said so`);
      return stopped;
    },
    disarmed: record.disarmed,
    onChange: record.onChange,
    dispose: () => {
      cancel();
      for (const end of watched.values()) end();
      watched.clear();
    },
  };
}

function refusal(sentence: string, agent: string): Error {
  return refuse(
    'gate-disarmed',
    sentence,
    `A person has to mend the file, or to say "interlock resume --agent ${agent}" at a terminal.`,
  );
}
