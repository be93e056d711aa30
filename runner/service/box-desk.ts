import { refuse } from '../../shared/base/index.ts';
import type { BoxInfo } from '../../shared/wire/index.ts';
import { namedBoxes } from '../boxes/boxes.ts';
import { BoxError, boxExit, noSuchBox } from '../boxes/errors.ts';
import { boxRuntime } from '../boxes/kept.ts';
import { boxLocks, lockBoxOut } from '../boxes/locks.ts';
import { keptWindows, tailLog } from '../boxes/logs.ts';
import { openBoxRecords } from '../boxes/record.ts';
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
}

/** As many lines as the page shows of a window. */
const mostLines = 200;

type Base = Pick<PartsOptions, 'paths' | 'uid' | 'clock' | 'audit' | 'env' | 'log'>;

/** It starts none: what this process starts would end with its service. */
export function boxDesk(parts: Pick<Parts, 'config' | 'principals'>, base: Base): BoxDesk {
  const { paths, uid, clock, env } = base;
  const records = openBoxRecords(paths.boxesDirectory, uid);
  const locks = boxLocks(records, uid);
  const launcher = launcherPath(packageRoot());
  const runtime = boxRuntime(records, { launcher, uid });
  const requireOpen = (): void => {
    throw refuse(
      'host-unavailable',
      'The runner starts no boxes.',
      'A person does: interlock box start NAME',
    );
  };
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
    // Looking into a box is no start.
    requireOpen,
    fresh: async () => Promise.resolve(requireOpen()),
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
  };
}

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
