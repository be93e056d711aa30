import { expect, test } from 'vitest';
import { does as german } from '../../../app/renderer/text/de-does.ts';
import { allPrograms } from '../../../shared/engine/programs/records/all.ts';
import { actWords, doesSentence, folderWords } from '../../../app/bridge/words.ts';

/** The sentence with its names set apart. */
function said(stage: Parameters<typeof doesSentence>[0]): string {
  const { parts } = doesSentence(stage, english);
  return parts.map(({ text, isName }) => (isName ? `‹${text}›` : text)).join('');
}

const english = { verbs: actWords, folders: folderWords, sentences: {}, isEnglish: true };

test('a folder that is written as dots is said in words', () => {
  const acts = [{ act: 'edits' as const, of: ['.', '..', 'src'] }];
  expect(said({ does: 'Changes who may use files.', acts })).toBe(
    'Changes who may use this folder, the folder above and ‹src›.',
  );
  const into = [{ act: 'into' as const, of: ['.'] }];
  expect(said({ acts: into })).toBe('Writes into this folder.');
});

test.each([
  ['Prints the last lines of files.', 'reads', ['log.txt'], 'Prints the last lines of ‹log.txt›.'],
  ['Lists the files of folders.', 'reads', ['src'], 'Lists the files of ‹src›.'],
  [
    'Searches files for lines that match.',
    'reads',
    ['src'],
    'Searches ‹src› for lines that match.',
  ],
  ['Deletes files and folders.', 'deletes', ['a', 'b'], 'Deletes ‹a› and ‹b›.'],
  ['Tells what files are.', 'reads', ['a.png'], 'Tells what files are: reads ‹a.png›.'],
  [
    'Makes files or changes their dates.',
    'writes',
    ['a'],
    'Makes files or changes their dates: writes ‹a›.',
  ],
  ['Prints files.', 'reads', [], 'Prints files: reads files.'],
  ['Runs the tests of files.', 'runs', ['a'], 'Runs the tests of files: runs ‹a›.'],
] as const)('%s %s %j', (does, act, of, sentence) => {
  expect(said({ does, acts: [{ act, of: [...of] }] })).toBe(sentence);
});

test('more than one thing is said one after the other', () => {
  const acts = [
    { act: 'reads' as const, of: ['a'] },
    { act: 'writes' as const, of: ['b'] },
  ];
  expect(said({ does: 'Copies files.', acts })).toBe('Copies files: reads ‹a›, writes ‹b›.');
});

test('a name never reads as a word of the sentence, whatever a file is called', () => {
  const acts = [{ act: 'deletes' as const, of: ['nothing at all'] }];
  expect(said({ does: 'Deletes files and folders.', acts })).toBe('Deletes ‹nothing at all›.');
});

/** Every sentence that a record or a command of it has. */
function sentencesOf(part: unknown, found = new Set<string>(), seen = new Set<unknown>()) {
  if (typeof part !== 'object' || part === null || seen.has(part)) return found;
  seen.add(part);
  for (const [key, value] of Object.entries(part)) {
    if (key === 'does' && typeof value === 'string') found.add(value);
    else sentencesOf(value, found, seen);
  }
  return found;
}

test('a sentence that is German is one of a record, and is not taken for English', () => {
  const known = sentencesOf(allPrograms());
  expect(Object.keys(german).filter((sentence) => !known.has(sentence))).toEqual([]);
  const wording = { ...english, sentences: german, isEnglish: false };
  const acts = [{ act: 'sends' as const, of: ['origin'] }];
  const told = doesSentence({ does: 'Sends commits to a remote.', acts }, wording);
  expect(told.isEnglish).toBe(false);
  expect(told.parts[0]?.text).toMatch(/^Schickt Commits an ein entferntes Repository: /);
});
