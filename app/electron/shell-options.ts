import type { Clock } from '../../shared/clock/types.ts';
import type { HomePaths } from '../../shared/node/home/paths.ts';
import type { ShellFacts, UiHostStart } from '../host/types.ts';
import type { ElectronPort, ShellFiles } from './port.ts';
import type { ShellConfig } from '../host/settings/effective.ts';
import type { Updater } from './update/updates.ts';

/** All that the shell needs from outside. */
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
  readonly startHost: (onFocus: () => null, facts: ShellFacts) => Promise<UiHostStart>;
}

/** A shell that runs. */
export interface Shell {
  /** Brings the prompt, or else the main window, to the front. */
  readonly focus: () => void;
  readonly close: () => Promise<void>;
}
