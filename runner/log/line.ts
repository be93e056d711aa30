/** A line of the runner's log, as another process of ours reads it from stderr. */
export interface LogLine {
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
