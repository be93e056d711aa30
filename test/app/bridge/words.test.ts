import { expect, test } from 'vitest';
import { actWords, doesSentence, folderWords } from '../../../app/bridge/words.ts';

const english = { verbs: actWords, folders: folderWords, isEnglish: true };

test('a folder that is written as dots is said in words', () => {
  const acts = [{ act: 'edits', of: ['.', '..', 'src'] }] as const;
  expect(doesSentence({ does: 'Changes who may use files.', acts: [...acts] }, english).text).toBe(
    'Changes who may use files: changes this folder, the folder above, src.',
  );
  const into = [{ act: 'into' as const, of: ['.'] }];
  expect(doesSentence({ acts: into }, english).text).toBe('Writes into this folder.');
});
