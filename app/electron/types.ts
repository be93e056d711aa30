import type * as Electron from 'electron';
import type { Clock } from '../../shared/base/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import type { Console, ConsoleOptions } from '../console/server.ts';
import type { ShellConfig } from '../host/settings.ts';
import type { ShellFacts, UiHost, UiHostStart } from '../host/types.ts';
import type { Updater } from './updates.ts';

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

/** What every part except `ipc.ts` gets: only the checked handlers there can receive messages. */
export type ShellPort = Omit<ElectronPort, 'ipcMain'>;

/** What the shell needs of the UI host: one function for all calls, and the state. */
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

/** Everything that the shell needs from outside. */
export interface ShellOptions {
  readonly port: ElectronPort;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly argv: readonly string[];
  /** The running program, for the entry that starts it at login. */
  readonly executable: string;
  readonly uid: number;
  readonly paths: HomePaths;
  readonly files: ShellFiles;
  readonly config: ShellConfig | null;
  readonly clock: Clock;
  readonly loadUpdater: () => Promise<Updater>;
  readonly startHost: (onFocus: () => string | null, facts: ShellFacts) => Promise<UiHostStart>;
  /** Serves the page to the person's browser, on loopback. */
  readonly serveBrowser: (
    options: Pick<ConsoleOptions, 'host' | 'clock' | 'linkTtlMs' | 'onLinkUsed'>,
  ) => Promise<Console>;
  /** Has the system open a file of ours in the person's browser. */
  readonly openFile: (path: string) => void;
}

/** A running shell. */
export interface Shell {
  /** Brings the prompt, or else the main window, to the front. */
  readonly focus: () => void;
  /** A fresh one-time link to the page in a browser; null before the person went there once. */
  readonly link: () => string | null;
  readonly dispose: () => Promise<void>;
}
