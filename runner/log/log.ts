/** What the runner tells its operator, on stderr. Never the words of a secret. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  /** `error` is shown with its stack: a bug, or a fault of the machine. */
  error(message: string, error?: unknown): void;
}

/** Writes one line per message, with the time. */
export function createLog(write: (text: string) => void, now: () => number): Log {
  const line = (level: string, message: string): void =>
    write(`${new Date(now()).toISOString()} ${level} ${message.replaceAll(/\p{Cc}+/gu, ' ')}\n`);
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
