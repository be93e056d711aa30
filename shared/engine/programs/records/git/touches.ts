import type { ProgramRecord } from '../../types.ts';
import { inWord } from '../../names.ts';
import { whySettingStarts } from './settings.ts';

/** Commands that take away or replace the files that they are given. */
const changers =
  /^(?:rm|mv|checkout|restore|reset|stash|clean|apply|am|update-index|checkout-index)$/;

/** Options whose value is a pattern or a text, not a file. */
const texts = /^(?:-m|-g|-e|--(?:message|grep|author|exclude|include|glob|format|pretty))$/;
/** Whose settings start something or lead elsewhere, more often than not. */
const families = /^(?:alias|credential|filter|url|gpg|pager)\./i;
const edits = /^(?:-e|--edit|edit)$/;

/** Any word of Git may be a path of the project, `HEAD:path` too, and a setting is kept there. */
export const touches: NonNullable<ProgramRecord['touches']> = (reading, args) => {
  const [command = args.find(({ text }) => !text.startsWith('-'))?.text ?? ''] = reading.command;
  const words = args.filter(({ live }) => live === null).map(({ text }) => text);
  const named = words
    .filter((word, at) => !/\s/.test(word) && !texts.test(words[at - 1] ?? ''))
    .flatMap((word) => [...inWord(word), ...word.split(':').slice(1)]);
  if (command === 'config') {
    const starts = words.some(
      (word) => edits.test(word) || families.test(word) || whySettingStarts(`${word}=!x`) !== null,
    );
    const sets = reading.effects.some(({ kind }) => kind === 'sets');
    return { reads: named, writes: starts && sets ? ['.git/config'] : [] };
  }
  return { reads: named, writes: changers.test(command) ? words.flatMap(inWord) : [] };
};
