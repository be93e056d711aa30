import { de } from './de.ts';
import { en } from './en.ts';
import type { ShellTexts } from './types.ts';

const languages: Readonly<Record<string, ShellTexts>> = { de, en };

/** The texts for a locale such as `de-AT`; English when there is no translation. */
export function chooseTexts(locale: string): ShellTexts {
  return languages[locale.split(/[-_]/u)[0]?.toLowerCase() ?? ''] ?? en;
}
