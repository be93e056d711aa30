import { fileHead, s } from '../../shared/base/index.ts';
import type { Static, StaticFields } from '../../shared/base/index.ts';

/** How an ask gets the person's attention: the prompt window, a notification, both, or the tray alone. */
export const attentionModes = ['window', 'notification', 'both', 'tray'] as const;
export type AttentionMode = (typeof attentionModes)[number];

/** What the gate does when the screen locks or the machine goes to sleep. */
export const awayActions = ['nothing', 'pause', 'lockout'] as const;
export type AwayAction = (typeof awayActions)[number];

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** `system` follows the machine; English where there is no translation. */
export const languageChoices = ['system', 'en', 'de'] as const;

/** A modifier at least, then one key: a bare letter would take that letter from every program. */
const accelerator = s.string({
  maxLength: 80,
  pattern:
    '^(?:(?:CommandOrControl|CmdOrCtrl|Command|Cmd|Control|Ctrl|Alt|Option|AltGr|Shift|Super|Meta)\\+)+(?:[A-Z0-9]|F[0-9]{1,2}|Space|Tab|Backspace|Delete|Insert|Return|Enter|Up|Down|Left|Right|Home|End|PageUp|PageDown|Escape|Esc)$',
});

/** What a person sets about the app, kept in `ui.json`. None of it can make the gate allow more. */
export const settingFields = {
  theme: s.oneOf(themes),
  language: s.oneOf(languageChoices),
  attention: s.oneOf(attentionModes),
  sound: s.boolean(),
  startAtLogin: s.boolean(),
  /** Start the runner that is shipped with the app when no other one answers. */
  startRunner: s.boolean(),
  /** Global shortcuts as Electron writes them; null is off. */
  lockoutShortcut: s.nullable(accelerator),
  oldestAskShortcut: s.nullable(accelerator),
  onScreenLock: s.oneOf(awayActions),
  onSuspend: s.oneOf(awayActions),
  /** Ask for Touch ID, where there is one, before the passphrase of an unlock is passed on. */
  touchIdForUnlock: s.boolean(),
  /** Address of an update feed; null never looks for updates. */
  updateFeed: s.nullable(s.string({ maxLength: 2_000, pattern: '^https://[^\\s@]+$' })),
  /** The first steps were skipped or finished, and stay away in every shell. */
  guideClosed: s.boolean(),
};
export type ShellSettings = StaticFields<typeof settingFields>;

/** `ui.json`: only what the person changed. Everything else follows `config.json` and the defaults. */
export const settingsFileSchema = s.file({ ...fileHead, ...s.partial(settingFields) });
export type SettingsFile = Static<typeof settingsFileSchema>;

export type SettingName = keyof ShellSettings;

export const defaultSettings: ShellSettings = {
  theme: 'system',
  language: 'system',
  attention: 'window',
  sound: false,
  startAtLogin: false,
  startRunner: true,
  lockoutShortcut: null,
  oldestAskShortcut: null,
  onScreenLock: 'nothing',
  onSuspend: 'nothing',
  touchIdForUnlock: true,
  updateFeed: null,
  guideClosed: false,
};

export const settingNames = Object.keys(defaultSettings) as readonly SettingName[];

/** Settings that the page itself applies, in any shell. */
export const pageSettings: readonly SettingName[] = ['theme', 'language', 'guideClosed'];

/** The settings as a page shows them. */
export interface SettingsView {
  readonly settings: ShellSettings;
  /** The settings that the running shell can honour: a console cannot have global shortcuts. */
  readonly honoured: readonly SettingName[];
  /** What is wrong with the file, as a sentence, or null. Until it is fixed nothing is saved. */
  readonly problem: string | null;
  /** Shortcuts that could not be registered because another program has them. */
  readonly taken: readonly string[];
}
