import type { Random } from '../../../fuzz/random.ts';

/** Stands for the folder of the line: `work` in it is where it runs, `out` is beside it. */
export const here = '{R}';

const files =
  'a.txt b.txt c.json d d/e.txt d/sub ./a.txt d/../b.txt names new d/new new/x/y link dl dl/old.txt'.split(
    ' ',
  );
const outside = ['../out/secret.txt', '../out', `${here}/out/old.txt`, '../out/new', 'dl/new'];
/** The shell expands these. */
const patterns = ['*', '*.txt', 'd/*', '?.txt', '../out/*', 'dl/*'];

/** A path: mostly of the project, sometimes beside it, or a pattern. */
export function pathWord(random: Random): string {
  if (random.chance(70)) return random.pick(files);
  return random.chance(75) ? random.pick(outside) : random.pick(patterns);
}

export function isPattern(word: string): boolean {
  return patterns.includes(word);
}

/** Values that many options take. */
const usual =
  `1 2 3 0 10 1,2 1-2 2k +1 x a b , : %s %f always auto never none all name size time words C text
  full short numbered simple existing 644 u+w . hex txt`.split(/\s+/);

/** What somebody might give who wants more than the option is for. */
const hostile = [
  '../out/new',
  `${here}/out/new`,
  '../out/secret.txt',
  '@../out/secret.txt',
  `file://${here}/out/secret.txt`,
  'canary',
  '|canary',
  '!canary',
  '!canary %A %B',
  'canary;',
  '$(canary)',
  '`canary`',
  'sh -c canary',
  'exec=canary',
  `exec:canary`,
  '-o../out/new',
  '--output=../out/new',
  'w ../out/new',
  'e canary',
  '/',
  '..',
  '',
  '-',
  '--',
  '=',
  '1e canary',
  'a\nb',
  '{}',
  '%(trailers)',
  'ext::canary',
  '../out',
  'dl',
  'x=../out/new',
  'dl/new',
];

export function plainWord(random: Random, own: readonly string[] = []): string {
  if (own.length > 0 && random.chance(55)) return random.pick(own);
  return random.pick(random.chance(65) ? usual : hostile);
}
