import type { AttentionMode, AwayAction } from '../../bridge/settings.ts';

/** All text of the tray, the menus, the notifications and the dialogs. */
export interface ShellTexts {
  readonly status: {
    readonly armed: string;
    readonly running: (count: number) => string;
    readonly asking: (count: number) => string;
    readonly paused: string;
    readonly locked: string;
    readonly invalid: string;
    readonly gone: string;
  };
  readonly menu: {
    readonly asksHeading: string;
    readonly moreAsks: (count: number) => string;
    readonly ask: (agent: string, command: string) => string;
    readonly raisedHeading: string;
    readonly endRaised: (who: string, as: string, until: string) => string;
    readonly open: string;
    readonly showOldest: string;
    readonly pause: string;
    readonly resume: string;
    readonly lockout: string;
    readonly unlock: string;
    readonly startRunner: string;
    readonly settings: string;
    readonly quit: string;
    readonly edit: string;
    readonly view: string;
    readonly window: string;
    readonly gate: string;
  };
  readonly settings: {
    readonly attention: string;
    readonly attentionModes: Readonly<Record<AttentionMode, string>>;
    readonly sound: string;
    readonly startAtLogin: string;
    readonly startRunner: string;
    readonly onScreenLock: string;
    readonly onSuspend: string;
    readonly awayActions: Readonly<Record<AwayAction, string>>;
    readonly lockoutShortcut: string;
    readonly oldestAskShortcut: string;
    readonly off: string;
    readonly touchId: string;
    readonly problem: string;
    readonly shortcutTaken: (accelerator: string) => string;
  };
  readonly notification: {
    readonly title: (agent: string) => string;
    readonly highRisk: string;
    readonly cut: string;
    readonly allowOnce: string;
    readonly deny: string;
    readonly show: string;
    readonly notCounted: string;
    readonly lockedOut: (stopped: number, keysRotated: number) => string;
    readonly lockedAlone: string;
    readonly lockedElsewhere: (reason: string | null) => string;
    readonly lockoutFailed: string;
    readonly updateFailed: string;
  };
  readonly reasons: {
    readonly tray: string;
    readonly pausedTray: string;
    readonly shortcut: string;
    readonly screenLock: string;
    readonly suspend: string;
  };
  readonly touchId: { readonly reason: string; readonly refused: string; readonly hint: string };
  readonly dialog: {
    readonly failedTitle: string;
    readonly runsElsewhere: (shell: string, pid: number) => string;
  };
}
