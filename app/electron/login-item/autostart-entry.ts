/** An argument that starts the app with no window. */
export const hiddenFlag = '--hidden';

/**
 * The entry that starts the app at login on a Linux desktop (XDG autostart). The command is quoted
 * as the desktop entry specification demands: a percent sign doubled, and backslash, quote, dollar
 * and backtick escaped.
 */
export function autostartEntry(executable: string): string {
  const quoted = executable.replaceAll('%', '%%').replaceAll(/["`$\\]/gu, (c) => `\\${c}`);
  // A backslash is escaped once more as every string value of an entry is.
  const value = `"${quoted}"`.replaceAll('\\', '\\\\');
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Interlock',
    'Comment=Approve what AI agents run',
    `Exec=${value} ${hiddenFlag}`,
    'Icon=interlock',
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}
