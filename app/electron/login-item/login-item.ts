import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { writeFileAtomic } from '../../../shared/node/files/atomic-write.ts';
import type { ShellPort } from '../port.ts';
import { autostartEntry, hiddenFlag } from './autostart-entry.ts';

export interface LoginItemOptions {
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
