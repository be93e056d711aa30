import type { ShellSettings } from '../bridge/settings.ts';

/** What a person can do from the tray, the menus, a shortcut or a notification. */
export interface ShellActions {
  readonly open: () => void;
  /** Brings the prompt to the front with this ask in it. */
  readonly showAsk: (id: string) => void;
  readonly showOldest: () => void;
  readonly pause: (reason: string) => void;
  readonly resume: () => void;
  readonly lockout: (reason: string) => void;
  readonly unlock: () => void;
  /** Null where no runner is shipped with the app. */
  readonly startRunner: (() => void) | null;
  readonly change: (settings: Partial<ShellSettings>) => void;
  readonly quit: () => void;
}
