import type { AttentionMode, AwayAction, SettingName, Theme } from '../../../bridge/settings.ts';

const names: Record<Exclude<SettingName, 'guideClosed'>, string> = {
  theme: 'Appearance',
  language: 'Language',
  attention: 'A new ask shows as',
  sound: 'Sound',
  startAtLogin: 'Start at login',
  startRunner: 'Start the runner',
  lockoutShortcut: 'Lock out from anywhere',
  oldestAskShortcut: 'Show the oldest ask',
  onScreenLock: 'When the screen locks',
  onSuspend: 'When the machine sleeps',
  touchIdForUnlock: 'Touch ID before unlocking',
  updateFeed: 'Update feed',
};

const help: Partial<Record<SettingName, string>> = {
  attention: 'Notifications can deny, or allow once. “Always” is only in the window.',
  sound: 'One short sound for each new ask.',
  startAtLogin: 'Interlock waits in the menu bar after you log in.',
  startRunner: 'The app starts its own runner when no other one answers.',
  touchIdForUnlock: 'Asked for besides the passphrase, where there is a sensor.',
  updateFeed: 'An https address. Empty never looks for updates.',
};

const themes: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' };

const attention: Record<AttentionMode, string> = {
  window: 'A window',
  notification: 'A notification',
  both: 'Both',
  tray: 'The icon alone',
};

const away: Record<AwayAction, string> = {
  nothing: 'Nothing',
  pause: 'Pause',
  lockout: 'Lock out',
};

/** The settings and the keys. */
export const settings = {
  title: 'Settings',
  names,
  help,
  themes,
  attention,
  away,
  languageSystem: 'As the system',
  look: 'Look',
  asks: 'When an ask comes',
  shortcuts: 'Shortcuts in every program',
  starting: 'Start',
  absence: 'When you are away',
  updates: 'Updates',
  on: 'On',
  off: 'Off',
  press: 'Press the keys together. Delete takes the shortcut away.',
  pressed: 'Use at least one of Ctrl, Alt, Shift or Cmd with another key.',
  none: 'none',
  taken: 'Another program has this shortcut, so it does not work.',
  notHere: 'Kept for the menu-bar app. A browser page cannot do this.',
  notOnSystem: 'This system does not offer it.',
  notKept: 'This shell keeps no settings. What you choose here holds for this browser.',
  problem: 'The settings file is damaged. Nothing is saved until it is mended.',
  feed: 'An address begins with https:// and has no user name in it.',
  save: 'Save',
  keys: 'Keys',
  showKeys: 'Show all keys',
  remember: 'Allow and remember',
  next: 'Next ask',
  previous: 'Previous ask',
  keyNames: { Escape: 'Esc', ArrowDown: '↓', ArrowUp: '↑' } as Record<string, string>,
  guide: 'First steps',
  showGuide: 'Show the first steps again',
};
