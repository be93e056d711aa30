import { create } from 'zustand';
import { themes } from '../../bridge/settings.ts';
import type { SettingsView, Theme } from '../../bridge/settings.ts';
import { catalogueFor, languages } from '../text/languages.ts';
import type { Language } from '../text/languages.ts';
import type { Catalogue } from '../text/en.ts';

interface Preferences {
  readonly theme: Theme;
  readonly language: Language | 'system';
  /** The first steps were skipped or finished. Kept by the host, so that it applies in every shell. */
  readonly guideClosed: boolean;
}

const storageKey = 'interlock.preferences';

/** Preferences from their stored text; anything unknown becomes `system`. */
export function readPreferences(text: string | null): Omit<Preferences, 'guideClosed'> {
  let known: unknown = null;
  try {
    known = JSON.parse(text ?? 'null');
  } catch {
    // Not ours, or damaged: the defaults apply.
  }
  const { theme, language } = (known ?? {}) as Record<string, unknown>;
  return {
    theme: themes.find((each) => each === theme) ?? 'system',
    language: languages.find((each) => each === language) ?? 'system',
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

/**
 * Loads the look that was chosen before, so that the first paint has it already, and keeps page and
 * storage in step with each choice. The host has the last word: `followSettings`.
 */
export function startPreferences(): void {
  usePreferences.setState(readPreferences(stored()));
  apply(usePreferences.getState());
  usePreferences.subscribe((preferences) => {
    apply(preferences);
    const { theme, language } = preferences;
    try {
      localStorage.setItem(storageKey, JSON.stringify({ theme, language }));
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  });
}

/** Applies what the person chose in any shell; a damaged file is ignored. */
export function followSettings(view: SettingsView | undefined): void {
  if (view === undefined || view.problem !== null) return;
  const { theme, language, guideClosed } = view.settings;
  const held = usePreferences.getState();
  const same =
    held.theme === theme && held.language === language && held.guideClosed === guideClosed;
  if (!same) usePreferences.setState({ theme, language, guideClosed });
}

/** All text in the current language, outside of what is rendered. */
export function texts(): Catalogue {
  return catalogueFor(usePreferences.getState().language, navigator.languages);
}

/** All text in the current language. */
export function useText(): Catalogue {
  const language = usePreferences((preferences) => preferences.language);
  return catalogueFor(language, navigator.languages);
}
