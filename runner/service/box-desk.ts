import { randomBytes } from 'node:crypto';
import { messageOf, refuse } from '../../shared/base/index.ts';
import type { BoxInfo, TerminalEnd } from '../../shared/wire/index.ts';
import { namedBoxes } from '../boxes/boxes.ts';
import type { NamedBoxes } from '../boxes/boxes.ts';
import { BoxError, boxExit, noSuchBox } from '../boxes/errors.ts';
import { boxRuntime } from '../boxes/kept.ts';
import { boxLocks, lockBoxOut } from '../boxes/locks.ts';
import type { BoxLocks } from '../boxes/locks.ts';
import { keptWindows, tailLog } from '../boxes/logs.ts';
import { openBoxRecords } from '../boxes/record.ts';
import type { BoxRecords } from '../boxes/record.ts';
import type { BoxRuntime } from '../boxes/runtime.ts';
import { openAtTerminal } from '../boxes/terminal.ts';
import { boxTerminals } from '../boxes/terminals.ts';
import type { BoxTerminals } from '../boxes/terminals.ts';
import { attachSession, tmuxProgram } from '../boxes/tmux.ts';
import { launcherPath } from '../hosts/sandbox/launch.ts';
import { packageRoot } from '../version.ts';
import { note } from './log.ts';
import type { Parts, PartsOptions } from './parts.ts';

/** What the runner does with named boxes for a person who is not at a terminal. */
export interface BoxDesk {
  readonly list: () => Promise<readonly BoxInfo[]>;
  /**
   * The last lines of what a window wrote, also of a box that is stopped or locked; none where nothing
   * was kept yet. Throws a refusal.
   */
  readonly tail: (name: string, window: string) => readonly string[];
  /** Ends all in it, and keeps the rest. Sentences about what was kept. Throws a refusal. */
  readonly stop: (name: string) => Promise<readonly string[]>;
  /** The emergency stop of one box. Sentences about what could not be done. Throws a refusal. */
  readonly lock: (name: string, reason: string | null) => Promise<readonly string[]>;
  /** Their windows, shown and typed to elsewhere. */
  readonly terminals: BoxTerminals;
}

/** As many lines as the page shows of a window. */
const mostLines = 200;

type Base = Pick<PartsOptions, 'paths' | 'uid' | 'clock' | 'audit' | 'env' | 'log'>;

type Desk = Pick<Parts, 'config' | 'principals' | 'stops'>;

/** It starts none: what this process starts would end with its service. */
export function boxDesk(parts: Desk, base: Base): BoxDesk {
  const { paths, uid, clock, env } = base;
  const records = openBoxRecords(paths.boxesDirectory, uid);
  const locks = boxLocks(records, uid);
  const launcher = launcherPath(packageRoot());
  const runtime = boxRuntime(records, { launcher, uid });
  const boxes = namedBoxes({
    clock,
    uid,
    paths,
    env,
    launcher,
    records,
    runtime,
    config: () => parts.config.current(),
    principals: parts.principals,
    locks,
    requireOpen: (name) => {
      parts.stops.check();
      locks.check(name);
    },
    fresh: async () =>
      Promise.reject(
        refuse(
          'host-unavailable',
          'The runner makes no boxes.',
          'A person does: interlock box up NAME',
        ),
      ),
    secret: async () => Promise.resolve(null),
    progress: () => undefined,
  });
  const keptOf = (name: string): readonly string[] => {
    const record = records.read(name);
    return record === null ? [] : keptWindows(record);
  };
  return {
    list: async () =>
      (await boxes.states()).map(({ windows, ...state }) => ({
        ...state,
        kept: keptOf(state.name),
        windows: windows?.map(({ name, hasEnded }) => ({ name, hasEnded })) ?? null,
      })),
    tail: (name, window) => {
      const record = records.read(name);
      if (record === null) throw asRefused(noSuchBox(name));
      const index = keptWindows(record).indexOf(window);
      if (index >= 0) return tailLog(records.logsOf(name), index, mostLines) ?? [];
      throw refuse(
        'invalid-request',
        `The box "${name}" did not begin with a window "${window}", so what that one writes is not kept.`,
        `See it at a terminal: interlock box attach ${name}`,
      );
    },
    stop: async (name) => asRefusal(async () => boxes.stop(name)),
    lock: async (name, reason) =>
      asRefusal(async () => {
        if (!records.names().includes(name) && !runtime.runs(name, null)) throw noSuchBox(name);
        const lock = { at: clock.now(), reason, by: 'app' };
        const report = await lockBoxOut(name, { records, runtime, uid, lock });
        const why = reason ?? 'No reason was given.';
        note(base, 'box-lockout', `The box "${name}". ${why} ${JSON.stringify(report)}`);
        return report.problems;
      }),
    terminals: terminalsOf({ boxes, records, locks, runtime, stops: parts.stops }, base),
  };
}

interface TerminalParts {
  readonly boxes: Pick<NamedBoxes, 'exec'>;
  readonly records: BoxRecords;
  readonly locks: BoxLocks;
  readonly runtime: Pick<BoxRuntime, 'runs'>;
  readonly stops: Parts['stops'];
}

/** What is typed is nobody's to record; that somebody was there is. */
function terminalsOf(
  { boxes, records, locks, runtime, stops }: TerminalParts,
  base: Base,
): BoxTerminals {
  const { clock, audit } = base;
  const locked = (name: string): 'locked' | 'lockout' | null =>
    stops.state().mode === 'locked' ? 'lockout' : locks.of(name) === null ? null : 'locked';
  const why = (name: string): TerminalEnd => {
    const lock = locked(name);
    if (lock !== null) return lock;
    try {
      const record = records.read(name);
      if (record === null || record.journal?.operation === 'down') return 'gone';
      const goesOn = record.journal === null && runtime.runs(name, record.keeper);
      return goesOn ? 'detached' : 'stopped';
    } catch {
      return 'stopped';
    }
  };
  return boxTerminals({
    clock,
    id: () => randomBytes(16).toString('base64url'),
    locked,
    why,
    requireOpen: (name) => {
      stops.check();
      locks.check(name);
    },
    start: async (name, size) =>
      asRefusal(async () => {
        const record = records.read(name);
        if (record === null) throw noSuchBox(name);
        if (!runtime.runs(name, record.keeper))
          throw refuse(
            'invalid-request',
            `The box "${name}" does not run.`,
            `Start it: interlock box start ${name}`,
          );
        return openAtTerminal(size, (terminal) =>
          boxes.exec(name, { argv: [tmuxProgram, ...attachSession.slice(1)], terminal }),
        );
      }),
    attached: (name) => {
      const text = `The box "${name}". A person attached to it in the app.`;
      try {
        audit.append({ type: 'note', at: clock.now(), code: 'box-attached', text });
      } catch (error) {
        throw refuse(
          'audit-unavailable',
          `Nobody can attach while the record takes nothing: ${messageOf(error)}`,
          'Look at Health, or run interlock doctor.',
          { cause: error },
        );
      }
    },
    detached: (name, end) => note(base, 'box-detached', `The box "${name}". ${ends[end]}`),
  });
}

const ends: Readonly<Record<TerminalEnd, string>> = {
  left: 'The person left it in the app.',
  detached: 'Its tmux let go of the app.',
  stopped: 'It was stopped while a person was attached.',
  gone: 'It was ended while a person was attached.',
  locked: 'It was locked while a person was attached.',
  lockout: 'Everything was locked while a person was attached.',
  unread: 'The page at which a person was attached did not read any more.',
  runner: 'The runner ended while a person was attached.',
};

async function asRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof BoxError ? asRefused(error) : error;
  }
}

function asRefused(error: BoxError): Error {
  const code = error.exitCode === boxExit.noBox ? 'invalid-request' : 'host-unavailable';
  return refuse(code, error.message, error.hint, { cause: error });
}
