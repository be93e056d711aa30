import type { MenuItemConstructorOptions } from 'electron';
import type { ShellActions } from '../actions.ts';
import { attentionModes, awayActions } from '../../bridge/settings.ts';
import type { ShellSettings } from '../../bridge/settings.ts';
import type { ShellTexts } from '../texts/types.ts';

/** Offered when a shortcut is switched on; any other is written in `ui.json`. */
export const suggestedShortcuts = {
  lockoutShortcut: 'CommandOrControl+Alt+Shift+L',
  oldestAskShortcut: 'CommandOrControl+Alt+Shift+A',
} as const;

export interface SettingsMenuState {
  readonly settings: ShellSettings;
  /** What is wrong with the settings file, or null. */
  readonly problem: string | null;
  /** Shortcuts that the system did not give us. */
  readonly taken: readonly string[];
  /** Only where there is Touch ID. */
  readonly touchId: boolean;
  /** Whether a runner is shipped with this app. */
  readonly shipsRunner: boolean;
}

/** Every setting as menu items, so that none depends on a page. */
export function settingsItems(
  state: SettingsMenuState,
  change: ShellActions['change'],
  texts: ShellTexts,
): MenuItemConstructorOptions[] {
  const { settings } = state;
  const words = texts.settings;
  const toggle = (
    label: string,
    key: 'sound' | 'startAtLogin' | 'startRunner' | 'touchIdForUnlock',
  ): MenuItemConstructorOptions => ({
    label,
    type: 'checkbox',
    checked: settings[key],
    click: () => change({ [key]: !settings[key] }),
  });
  const shortcut = (
    label: string,
    key: keyof typeof suggestedShortcuts,
  ): MenuItemConstructorOptions => ({
    label: `${label} (${settings[key] ?? suggestedShortcuts[key]})`,
    type: 'checkbox',
    checked: settings[key] !== null,
    click: () => change({ [key]: settings[key] === null ? suggestedShortcuts[key] : null }),
  });
  const away = (label: string, key: 'onScreenLock' | 'onSuspend'): MenuItemConstructorOptions => ({
    label,
    submenu: awayActions.map((action) => ({
      label: words.awayActions[action],
      type: 'radio',
      checked: settings[key] === action,
      click: () => change({ [key]: action }),
    })),
  });
  return [
    ...problems(state, texts),
    {
      label: words.attention,
      submenu: attentionModes.map((mode) => ({
        label: words.attentionModes[mode],
        type: 'radio',
        checked: settings.attention === mode,
        click: () => change({ attention: mode }),
      })),
    },
    toggle(words.sound, 'sound'),
    toggle(words.startAtLogin, 'startAtLogin'),
    ...(state.shipsRunner ? [toggle(words.startRunner, 'startRunner')] : []),
    { type: 'separator' },
    away(words.onScreenLock, 'onScreenLock'),
    away(words.onSuspend, 'onSuspend'),
    shortcut(words.lockoutShortcut, 'lockoutShortcut'),
    shortcut(words.oldestAskShortcut, 'oldestAskShortcut'),
    ...(state.touchId ? [toggle(words.touchId, 'touchIdForUnlock')] : []),
  ];
}

function problems(state: SettingsMenuState, texts: ShellTexts): MenuItemConstructorOptions[] {
  const lines = [
    ...(state.problem === null ? [] : [`${texts.settings.problem} ${state.problem}`]),
    ...state.taken.map((accelerator) => texts.settings.shortcutTaken(accelerator)),
  ];
  if (lines.length === 0) return [];
  return [...lines.map((label) => ({ label, enabled: false })), { type: 'separator' }];
}
