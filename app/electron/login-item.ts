import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { writeFileAtomic } from '../../shared/home/index.ts';
import type { ShellPort } from './types.ts';

/** An argument that starts the app with no window. */
export const hiddenFlag = '--hidden';

/**
 * The entry that starts the app at login on a Linux desktop (XDG autostart). The command is quoted
 * as the desktop entry specification demands: a percent sign doubled, and backslash, quote, dollar
 * and backtick escaped.
 */
export function autostartEntry(executable: string): string {
  const quoted = executable.replaceAll('%', '%%').replaceAll(/["`$\\]/gu, (c) => `\\${c}`);
  // String values of a desktop entry have their backslashes escaped once more.
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

interface LoginItemOptions {
  readonly port: Pick<ShellPort, 'app'>;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The running program; an AppImage names its own file in `APPIMAGE`. */
  readonly executable: string;
}

/** Makes the app start at login, or no longer. A build from source is never registered. */
export function setLoginItem(options: LoginItemOptions, start: boolean): void {
  const { port, platform, env } = options;
  if (!port.app.isPackaged) return;
  if (platform !== 'linux') {
    port.app.setLoginItemSettings({ openAtLogin: start, args: [hiddenFlag] });
    return;
  }
  const folder = join(configHome(env), 'autostart');
  const file = join(folder, 'interlock.desktop');
  if (!start) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(folder, { recursive: true });
  writeFileAtomic(file, autostartEntry(env['APPIMAGE'] ?? options.executable), { mode: 0o644 });
}

function configHome(env: LoginItemOptions['env']): string {
  const wanted = env['XDG_CONFIG_HOME'];
  // The base directory specification says to ignore a relative path.
  return wanted !== undefined && isAbsolute(wanted) ? wanted : join(homedir(), '.config');
}
