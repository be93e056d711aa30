import { defaultSettings, pageSettings, settingNames } from '../../bridge/settings.ts';
import type { SettingName, ShellSettings } from '../../bridge/settings.ts';
import { useApp } from '../state/app.ts';
import { callOrShow } from '../state/app.ts';
import { usePreferences } from '../state/preferences.ts';
import { showChange } from '../state/toast.ts';

/** `here`: it works. `elsewhere`: kept for the menu-bar app. `never`: the system does not have it. */
type Reach = 'here' | 'elsewhere' | 'never';

export interface Settings {
  readonly settings: ShellSettings;
  /** False: this shell stores none; theme and language apply to this page only. */
  readonly kept: boolean;
  readonly problem: string | null;
  readonly taken: readonly string[];
  readonly reach: (name: SettingName) => Reach;
  readonly change: (choice: Partial<ShellSettings>) => void;
}

/** Saves a choice, and says so with a way back to what held before. */
async function save(choice: Partial<ShellSettings>, before: ShellSettings): Promise<void> {
  if ((await callOrShow('changeSettings', { choice })) === null) return;
  const old = Object.fromEntries(
    settingNames.filter((name) => name in choice).map((name) => [name, before[name]]),
  ) as Partial<ShellSettings>;
  // The guide says by itself where it is found again.
  if (choice.guideClosed !== undefined) return;
  showChange('setting', async () => (await callOrShow('changeSettings', { choice: old })) !== null);
}

/** The current settings, and how to change them. */
export function useSettings(): Settings {
  const view = useApp(({ state }) => state?.settings) ?? null;
  const { theme, language, guideClosed } = usePreferences();
  const writable = view !== null && view.problem === null;
  return {
    settings: { ...(view?.settings ?? defaultSettings), theme, language, guideClosed },
    kept: view !== null,
    problem: view?.problem ?? null,
    taken: view?.taken ?? [],
    reach: (name) => {
      if (pageSettings.includes(name) || view?.honoured.includes(name) === true) return 'here';
      return window.interlock === undefined ? 'elsewhere' : 'never';
    },
    change: (choice) => {
      usePreferences.setState({
        ...(choice.theme === undefined ? {} : { theme: choice.theme }),
        ...(choice.language === undefined ? {} : { language: choice.language }),
        ...(choice.guideClosed === undefined ? {} : { guideClosed: choice.guideClosed }),
      });
      if (writable) void save(choice, view.settings);
    },
  };
}
