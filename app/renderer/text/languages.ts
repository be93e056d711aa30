import { de } from './de.ts';
import { en } from './en.ts';
import type { Catalogue } from './en.ts';

const catalogues = { en, de } satisfies Record<string, Catalogue>;

export type Language = keyof typeof catalogues;
export const languages: readonly Language[] = ['en', 'de'];

/** The name of a language, in that language. */
export function languageName(language: Language): string {
  return catalogues[language].name;
}

/** The chosen catalogue, or the first that the browser's list asks for, else English. */
export function catalogueFor(
  language: Language | 'system',
  preferred: readonly string[],
): Catalogue {
  if (language !== 'system') return catalogues[language];
  const found = preferred
    .map((tag) => languages.find((known) => tag.toLowerCase().split('-')[0] === known))
    .find((known) => known !== undefined);
  return catalogues[found ?? 'en'];
}
