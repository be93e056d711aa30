import type { Config } from '../../../shared/config/types.ts';
import { awayActions, defaultSettings } from '../../bridge/settings.ts';
import type { SettingsFile } from './schema.ts';
import type { AwayAction, ShellSettings } from '../../bridge/settings.ts';

/** The parts of `config.json` that the app looks at; null when there is no valid one. */
export type ShellConfig = Pick<Config, 'lockout' | 'ui'>;

/**
 * What holds: the person's own choices over those of `config.json` over the defaults. A lockout on
 * screen lock that `config.json` demands cannot be softened here.
 */
export function effectiveSettings(
  file: SettingsFile | null,
  config: ShellConfig | null,
): ShellSettings {
  const { version: _version, ...chosen } = file ?? { version: 1 };
  const settings: ShellSettings = {
    ...defaultSettings,
    attention: config?.ui.notifications === true ? 'both' : defaultSettings.attention,
    lockoutShortcut: config?.lockout.hotkey ?? null,
    ...chosen,
  };
  const demanded: AwayAction = config?.lockout.onScreenLock === true ? 'lockout' : 'nothing';
  return { ...settings, onScreenLock: stricter(settings.onScreenLock, demanded) };
}

function stricter(one: AwayAction, other: AwayAction): AwayAction {
  return awayActions[Math.max(awayActions.indexOf(one), awayActions.indexOf(other))] ?? 'lockout';
}
