import { fstatSync } from 'node:fs';
import type { Clock } from '../../shared/base/index.ts';
import { redact } from '../../shared/engine/index.ts';
import type { LogLevel } from '../../shared/engine/index.ts';
import { knownSecrets } from '../audit/known-secrets.ts';
import type { AuditLog } from '../audit/rows.ts';

/** A line of the runner's log, as another process of ours reads it from stderr. */
interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
}

const pattern = /^\d{4}-\d\d-\d\dT[\d:.]+Z (info|warn|error) (.*)$/su;

/** The parts of a line that `createLog` wrote; null for any other line. */
export function parseLogLine(line: string): LogLine | null {
  const match = pattern.exec(line);
  if (match === null) return null;
  const [, level, message] = match;
  return { level: level as LogLine['level'], message: message ?? '' };
}

/** Whether what is written to this descriptor goes to the journal, as systemd says in `JOURNAL_STREAM`. */
export function goesToJournal(
  env: Readonly<Record<string, string | undefined>>,
  fd: number,
): boolean {
  const stream = env['JOURNAL_STREAM'];
  if (stream === undefined) return false;
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return stream === `${String(dev)}:${String(ino)}`;
  } catch {
    return false;
  }
}

/** What the runner tells its operator, on stderr. Secrets are taken out as from the record. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  /** `error` is shown with its stack: a bug, or a fault of the machine. */
  error(message: string, error?: unknown): void;
}

export interface LogOptions {
  /** The least that is written; everything when absent. */
  readonly level?: () => LogLevel;
  /** For the journal, which knows the time itself and wants the weight as a number in front. */
  readonly isJournal?: boolean;
}

const ranks: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2 };
/** The weights of syslog, as `sd-daemon(3)` has them. */
const priorities: Readonly<Record<LogLevel, string>> = { error: '<3>', warn: '<4>', info: '<6>' };

/** Writes one line per message, with the time. */
export function createLog(
  write: (text: string) => void,
  now: () => number,
  { level = () => 'info', isJournal = false }: LogOptions = {},
): Log {
  const line = (weight: LogLevel, message: string): void => {
    if (ranks[weight] > ranks[level()]) return;
    const head = isJournal ? priorities[weight] : `${new Date(now()).toISOString()} ${weight} `;
    write(`${head}${redact(message, knownSecrets).replaceAll(/\p{Cc}+/gu, ' ')}\n`);
  };
  return {
    info: (message) => line('info', message),
    warn: (message) => line('warn', message),
    error: (message, error) => line('error', `${message}${detailOf(error)}`),
  };
}

function detailOf(error: unknown): string {
  if (error === undefined) return '';
  return `: ${error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error)}`;
}

/** A line in the log that is worth keeping; the service goes on when it cannot be written. */
export function note(
  {
    audit,
    clock,
    log,
  }: { readonly audit: Pick<AuditLog, 'append'>; readonly clock: Clock; readonly log: Log },
  code: string,
  text: string,
): void {
  try {
    audit.append({ type: 'note', at: clock.now(), code, text });
  } catch (error) {
    log.error('A note could not be written down', error);
  }
}
