import type { Clock } from '../../../shared/clock/types.ts';
import type { Config } from '../../../shared/config/types.ts';
import type { Log } from '../../log/log.ts';
import type { StopSwitch } from '../types.ts';
import { gdbus } from './gdbus.ts';
import type { LogindMonitor } from './gdbus.ts';
import { readLogindLine } from './read-line.ts';

export interface SessionWatchOptions {
  readonly clock: Clock;
  readonly uid: number;
  readonly config: () => Pick<Config, 'lockout'>;
  readonly stops: Pick<StopSwitch, 'lockout'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** For tests; logind on the system's bus when absent. */
  readonly logind?: LogindMonitor;
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
  const logind = options.logind ?? gdbus;
  let stopMonitor: (() => void) | null = null;
  let cancel: (() => void) | null = null;
  let stopped = false;
  const wanted = (): Pick<Config['lockout'], 'onScreenLock' | 'onSleep'> => {
    try {
      return options.config().lockout;
    } catch {
      return { onScreenLock: false, onSleep: false };
    }
  };
  const lock = (reason: string): void => {
    options.stops
      .lockout(reason, 'logind')
      .catch((error: unknown) => log.error('The lockout was not complete', error));
  };
  const hear = (line: string): void => {
    const event = readLogindLine(line);
    if (event?.type === 'going-to-sleep' && wanted().onSleep) lock('the machine goes to sleep');
    if (event?.type !== 'screen-locked' || !wanted().onScreenLock) return;
    // In doubt it is ours, and locks.
    void logind.ownerOf(event.session).then((owner) => {
      if (owner === null || owner === options.uid) lock('the screen was locked');
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
      log.warn(`Screen lock and sleep cannot be watched now (${why}); it is tried again.`);
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
