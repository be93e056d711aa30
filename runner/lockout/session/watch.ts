import type { Clock } from '../../../shared/clock/types.ts';
import type { Config } from '../../../shared/config/types.ts';
import { isGuest } from '../../principals/guest.ts';
import type { Log } from '../../log/log.ts';
import type { StopSwitch } from '../types.ts';
import type { LogindMonitor } from './gdbus.ts';
import { readLogindLine } from './read-line.ts';

export interface SessionWatchOptions {
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
    if (isTold) log.info('Screen lock and sleep are watched again.');
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
    const { onScreenLock, onSleep } = wanted();
    if ((onScreenLock || onSleep) && stopMonitor === null) start();
    cancel = clock.after(lookMs, look);
  };
  const start = (): void => {
    stopMonitor = logind.listen(hear, (why) => {
      if (stopped) return;
      if (!isTold)
        log.warn(`Screen lock and sleep cannot be watched now (${why}); it is tried again.`);
      isTold = true;
      clock.after(againMs, () => {
        stopMonitor = null;
      });
    });
  };

  look();
  return () => {
    stopped = true;
    cancel?.();
    stopMonitor?.();
  };
}
