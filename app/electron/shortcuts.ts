import type { ShellActions } from './actions.ts';
import type { ShellPort } from './types.ts';
import type { ShellSettings } from '../bridge/settings.ts';
import type { ShellTexts } from './texts/texts.ts';

/** Global shortcuts as the settings want them. */
interface Shortcuts {
  /** Registers the shortcuts again; returns those that could not be registered. */
  readonly apply: (settings: ShellSettings) => readonly string[];
  readonly dispose: () => void;
}

/** Shortcuts for the lockout and for the oldest ask. There is none that allows anything. */
export function createShortcuts(
  port: Pick<ShellPort, 'globalShortcut'>,
  actions: Pick<ShellActions, 'lockout' | 'showOldest'>,
  texts: ShellTexts,
): Shortcuts {
  const register = (accelerator: string | null, callback: () => void): readonly string[] => {
    if (accelerator === null) return [];
    try {
      return port.globalShortcut.register(accelerator, callback) ? [] : [accelerator];
    } catch {
      return [accelerator];
    }
  };
  return {
    apply: (settings) => {
      port.globalShortcut.unregisterAll();
      return [
        ...register(settings.lockoutShortcut, () => actions.lockout(texts.reasons.shortcut)),
        ...register(settings.oldestAskShortcut, () => actions.showOldest()),
      ];
    },
    dispose: () => port.globalShortcut.unregisterAll(),
  };
}
