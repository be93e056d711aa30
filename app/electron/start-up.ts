import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ShellPort } from './port.ts';
import { appSchemePrivileges } from './scheme/app-scheme.ts';

/** Why the app ends right after its start, or that it goes on. */
export type StartUp = 'go-on' | 'second-instance' | 'debugged';

/** Switches that open the app to a debugger; a release does not start with one of them. */
export const debugSwitches = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'inspect',
  'inspect-brk',
] as const;

/**
 * What has to be settled before Electron is ready: the lock that keeps a second instance out (one
 * for each INTERLOCK_HOME), the sandbox for every page, and the rights of our scheme.
 */
export function prepareApp(
  port: Pick<ShellPort, 'app' | 'protocol'>,
  options: { readonly stateDirectory: string; readonly platform: NodeJS.Platform },
): StartUp {
  const { app, protocol } = port;
  if (app.isPackaged && debugSwitches.some((name) => app.commandLine.hasSwitch(name))) {
    return 'debugged';
  }
  const userData = join(options.stateDirectory, 'electron');
  // Electron takes no folder that is not there.
  mkdirSync(userData, { recursive: true, mode: 0o700 });
  app.setPath('userData', userData);
  if (!app.requestSingleInstanceLock()) return 'second-instance';
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([appSchemePrivileges]);
  // Under Wayland a global shortcut goes through the desktop portal, or nowhere.
  if (options.platform === 'linux') {
    app.commandLine.appendSwitch('enable-features', 'GlobalShortcutsPortal');
  }
  if (options.platform === 'win32') app.setAppUserModelId('app.interlock.gate');
  return 'go-on';
}
