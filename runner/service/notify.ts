import type { Clock } from '../../shared/base/index.ts';
import { datagramAddress, sendDatagram } from '../../shared/home/index.ts';
import type { Log } from './log.ts';

/** Tells systemd how it stands, as `sd_notify(3)` says. */
interface ServiceNotices {
  ready(): void;
  /** A reload begins; `ready` ends it. */
  reloading(): void;
  stopping(): void;
  /** Gives a sign of life at half the time that systemd waits for one. Answers how to stop. */
  keepAlive(clock: Clock): () => void;
}

interface NoticesOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** Time since the machine started, in microseconds. */
  readonly monotonicMicros: () => bigint;
  /** Called once with the reason, should a notice not get through. */
  readonly problem: (why: string) => void;
}

/** Notices to the manager that the environment names; without one, every notice goes nowhere. */
export function serviceNotices(options: NoticesOptions): ServiceNotices {
  const { env, monotonicMicros } = options;
  const address = datagramAddress(env['NOTIFY_SOCKET']);
  let isTold = false;
  const tell = (...lines: readonly string[]): void => {
    if (address === null) return;
    const why = sendDatagram(address, Buffer.from(lines.join('\n')));
    if (why === null || isTold) return;
    isTold = true;
    options.problem(why);
  };
  return {
    ready: () => tell('READY=1'),
    reloading: () => tell('RELOADING=1', `MONOTONIC_USEC=${String(monotonicMicros())}`),
    stopping: () => tell('STOPPING=1'),
    keepAlive: (clock) => {
      const everyMs = address === null ? null : watchdogMs(options);
      if (everyMs === null) return () => undefined;
      let cancel: () => void = () => undefined;
      const beat = (): void => {
        tell('WATCHDOG=1');
        cancel = clock.after(everyMs, beat);
      };
      beat();
      return () => cancel();
    },
  };
}

/** Half of `WATCHDOG_USEC`, where it is meant for us; else null. */
function watchdogMs({ env, pid }: NoticesOptions): number | null {
  const micros = Number(env['WATCHDOG_USEC']);
  const meant = env['WATCHDOG_PID'];
  if (meant !== undefined && meant !== String(pid)) return null;
  return Number.isSafeInteger(micros) && micros > 0 ? Math.max(1, micros / 2_000) : null;
}

/** The notices of this process to whoever started it as a service. */
export function noticesOf(
  { env }: { readonly env: Readonly<Record<string, string | undefined>> },
  log: Pick<Log, 'warn'>,
): ServiceNotices {
  return serviceNotices({
    env,
    pid: process.pid,
    // CLOCK_MONOTONIC on Linux, which is the only place where it is asked for.
    monotonicMicros: () => process.hrtime.bigint() / 1_000n,
    problem: (why) => log.warn(`The service manager cannot be told how the runner stands: ${why}.`),
  });
}
