import type * as Electron from 'electron';
import type { UiHost } from '../host/types.ts';

type ElectronModule = typeof Electron;

/**
 * The parts of Electron that the app uses, and no others. `main.ts` passes the module itself;
 * tests pass a fake of the same shape.
 */
export type ElectronPort = Pick<
  ElectronModule,
  | 'app'
  | 'BrowserWindow'
  | 'Menu'
  | 'Notification'
  | 'Tray'
  | 'dialog'
  | 'globalShortcut'
  | 'ipcMain'
  | 'nativeImage'
  | 'nativeTheme'
  | 'powerMonitor'
  | 'protocol'
  | 'screen'
  | 'session'
  | 'systemPreferences'
  | 'utilityProcess'
>;

/** What everything but `ipc/` gets: ipc cannot be reached past its one checked door. */
export type ShellPort = Omit<ElectronPort, 'ipcMain'>;

/** What the shell needs of the UI host core: one door for all calls, and the state. */
export type ShellHost = Pick<UiHost, 'handle' | 'subscribe'>;

/** Where the app's own files are; all absolute. */
export interface ShellFiles {
  /** The built page: `index.html` and its assets. */
  readonly renderer: string;
  readonly preload: string;
  readonly assets: string;
  /** The runner's `main.js`. */
  readonly runner: string;
}
