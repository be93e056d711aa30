import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Clock } from '../../shared/base/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import { gdbusEnvironment } from '../../shared/operations/index.ts';
import { isGuest } from '../principals/callers.ts';
import type { Log } from '../service/log.ts';
import type { StopSwitch } from './stop-switch.ts';

/** What logind says that can close the lock. */
type SessionEvent =
  | { readonly type: 'screen-locked'; readonly session: string }
  | { readonly type: 'going-to-sleep' };

const sessionPath = String.raw`(/org/freedesktop/login1/session/[A-Za-z0-9_]{1,64})`;
const lockSignal = new RegExp(
  `^${sessionPath}: org\\.freedesktop\\.login1\\.Session\\.Lock \\(\\)$`,
);
const properties = new RegExp(
  `^${sessionPath}: org\\.freedesktop\\.DBus\\.Properties\\.PropertiesChanged ` +
    String.raw`\('org\.freedesktop\.login1\.Session', \{([^\n]*)\}, (?:@as )?\[[^\n]*\]\)$`,
);
const sleep =
  /^\/org\/freedesktop\/login1: org\.freedesktop\.login1\.Manager\.PrepareForSleep \(true,\)$/;
const longestLine = 16_384;

/** One line of `gdbus monitor` as an event; null for every line that is not exactly one of ours. */
export function readLogindLine(line: string): SessionEvent | null {
  if (line.length > longestLine) return null;
  if (sleep.test(line)) return { type: 'going-to-sleep' };
  const locked = lockSignal.exec(line);
  if (locked?.[1] !== undefined) return { type: 'screen-locked', session: locked[1] };
  const [, path, changed] = properties.exec(line) ?? [];
  if (path === undefined || changed === undefined) return null;
  return /(?:^|, )'LockedHint': <true>(?:, |$)/.test(changed)
    ? { type: 'screen-locked', session: path }
    : null;
}

/** The two things that are asked of logind. */
export interface LogindMonitor {
  /** Calls back with each line; `ended` once, when it hears no more. Answers how to stop. */
  listen(hear: (line: string) => void, ended: (why: string) => void): () => void;
  /** Uid of a session's owner; null when it cannot be told. */
  ownerOf(session: string): Promise<number | null>;
}

const run = promisify(execFile);
const logindAddress = ['--system', '--dest', 'org.freedesktop.login1'] as const;

/** logind through `gdbus`, whose monitor passes on only what the owner of logind's name emits. */
export function gdbus(own: Readonly<Record<string, string | undefined>>): LogindMonitor {
  const env = gdbusEnvironment(own);
  return {
    listen: (hear, ended) => {
      const monitor = spawn('gdbus', ['monitor', ...logindAddress], {
        stdio: ['ignore', 'pipe', 'ignore'],
        env,
      });
      let over = false;
      const end = (why: string): void => {
        if (!over) ended(why);
        over = true;
      };
      createInterface({ input: monitor.stdout }).on('line', hear);
      monitor.once('error', (error) => end(error.message));
      monitor.once('exit', (code) => end(`gdbus ended with ${String(code)}`));
      return () => {
        over = true;
        monitor.kill('SIGTERM');
      };
    },
    ownerOf: async (session) => {
      const method = ['--object-path', session, '--method', 'org.freedesktop.DBus.Properties.Get'];
      const args = ['call', ...logindAddress, ...method, 'org.freedesktop.login1.Session', 'User'];
      try {
        const { stdout } = await run('gdbus', args, { env, timeout: 2_000 });
        const owner = /^\(<\(uint32 (\d{1,10}), objectpath '[^']*'\)>,\)$/.exec(stdout.trim())?.[1];
        return owner === undefined ? null : Number(owner);
      } catch {
        return null;
      }
    },
  };
}

interface SessionWatchOptions {
  readonly clock: Clock;
  readonly uid: number;
  readonly config: () => Pick<Config, 'lockout' | 'users' | 'agents'>;
  readonly stops: Pick<StopSwitch, 'lockout'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly logind: LogindMonitor;
}

const againMs = 10_000;
const lookMs = 5_000;

/**
 * Locks out when the screen locks or the machine goes to sleep, where `config.json` says so. For
 * machines on which no app watches: it listens to logind through `gdbus`, which comes with every
 * desktop. Answers how to stop.
 */
export function watchSession(options: SessionWatchOptions): () => void {
  const { clock, log } = options;
  const { logind } = options;
  let stopMonitor: (() => void) | null = null;
  let cancel: (() => void) | null = null;
  let cancelAgain: (() => void) | null = null;
  let stopped = false;
  // A bus that is gone is told of once, not with every new attempt.
  let isTold = false;
  const wanted = (): Pick<Config['lockout'], 'onScreenLock' | 'onSleep'> => {
    try {
      return options.config().lockout;
    } catch {
      return { onScreenLock: false, onSleep: false };
    }
  };
  /** Of a runner with a user of its own, the people are those who may use it. */
  const isOurs = (owner: number): boolean => {
    try {
      return owner === options.uid || isGuest(options.config(), owner);
    } catch {
      return true;
    }
  };
  const lock = (reason: string): void => {
    options.stops
      .lockout(reason, 'logind')
      .catch((error: unknown) => log.error('The lockout was not complete', error));
  };
  const hear = (line: string): void => {
    if (isTold) log.info('logind is heard again: a locked screen or sleep locks out as set.');
    isTold = false;
    const event = readLogindLine(line);
    if (event?.type === 'going-to-sleep' && wanted().onSleep) lock('the machine goes to sleep');
    if (event?.type !== 'screen-locked' || !wanted().onScreenLock) return;
    // In doubt it is ours, and locks.
    void logind.ownerOf(event.session).then((owner) => {
      if (owner === null || isOurs(owner)) lock('the screen was locked');
      return undefined;
    });
  };
  const look = (): void => {
    if (stopped) return;
    cancel = clock.after(lookMs, look);
    const { onScreenLock, onSleep } = wanted();
    if ((onScreenLock || onSleep) && stopMonitor === null) start();
  };
  const start = (): void => {
    stopMonitor = logind.listen(hear, (why) => {
      if (stopped) return;
      if (!isTold)
        log.warn(
          `logind cannot be heard (${why}), so a locked screen or sleep does not lock out now. It is tried again.`,
        );
      isTold = true;
      cancelAgain = clock.after(againMs, () => {
        stopMonitor = null;
      });
    });
  };

  look();
  return () => {
    stopped = true;
    cancel?.();
    cancelAgain?.();
    stopMonitor?.();
  };
}
