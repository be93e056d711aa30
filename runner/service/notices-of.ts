import type { Log } from '../log/log.ts';
import { serviceNotices } from './notify.ts';
import type { ServiceNotices } from './notify.ts';

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
