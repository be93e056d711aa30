import { create } from 'zustand';
import { themes } from '../../bridge/settings.ts';
import type { SettingsView, Theme } from '../../bridge/settings.ts';
import { catalogueFor, languages } from '../text/languages.ts';
import type { Language } from '../text/languages.ts';
import type { Catalogue } from '../text/en.ts';

export interface Preferences {
  readonly theme: Theme;
  readonly language: Language | 'system';
  /** The first steps were skipped or finished, and stay away. */
  readonly guideClosed: boolean;
}

const storageKey = 'interlock.preferences';

/** Preferences from their stored text; anything unknown becomes `system`. */
export function readPreferences(text: string | null): Preferences {
  let known: unknown = null;
  try {
    known = JSON.parse(text ?? 'null');
  } catch {
    // Not ours, or damaged: the defaults serve.
  }
  const { theme, language, guideClosed } = (known ?? {}) as Record<string, unknown>;
  return {
    theme: themes.find((each) => each === theme) ?? 'system',
    language: languages.find((each) => each === language) ?? 'system',
    guideClosed: guideClosed === true,
  };
}

function stored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

export const usePreferences = create<Preferences>()(() => ({
  theme: 'system',
  language: 'system',
  guideClosed: false,
}));

function apply({ theme, language }: Preferences): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  document.documentElement.lang = catalogueFor(language, navigator.languages).code;
}

/** Loads what was chosen before, and keeps page and storage in step with each choice. */
export function startPreferences(): void {
  usePreferences.setState(readPreferences(stored()));
  apply(usePreferences.getState());
  usePreferences.subscribe((preferences) => {
    apply(preferences);
    try {
      localStorage.setItem(storageKey, JSON.stringify(preferences));
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  });
}

/** Takes over what the person chose in any shell; a damaged file has nothing to say. */
export function followSettings(view: SettingsView | undefined): void {
  if (view === undefined || view.problem !== null) return;
  const { theme, language } = view.settings;
  const held = usePreferences.getState();
  if (held.theme !== theme || held.language !== language) {
    usePreferences.setState({ theme, language });
  }
}

/** All text in the language in force. */
export function useText(): Catalogue {
  const language = usePreferences((preferences) => preferences.language);
  return catalogueFor(language, navigator.languages);
}
