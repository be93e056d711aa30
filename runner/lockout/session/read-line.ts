/** What logind says that can close the lock. */
export type SessionEvent =
  | { readonly type: 'screen-locked'; readonly session: string }
  | { readonly type: 'going-to-sleep' };

const session = String.raw`(/org/freedesktop/login1/session/[A-Za-z0-9_]{1,64})`;
const lockSignal = new RegExp(`^${session}: org\\.freedesktop\\.login1\\.Session\\.Lock \\(\\)$`);
const properties = new RegExp(
  `^${session}: org\\.freedesktop\\.DBus\\.Properties\\.PropertiesChanged ` +
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
