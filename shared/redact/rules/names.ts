import type { RedactionRule } from '../types.ts';
import { nameTail, secretName, valueAfter, word, wordStart } from './shapes.ts';

const assigned = String.raw`[\w.-]{0,60}?(?:${secretName}${nameTail})`;

const keyVariable = '(?!PUBLIC|[A-Z0-9_]{1,60}_PUBLIC)[A-Z0-9_]{1,60}_KEY=';

/** Secrets that the name before them announces. */
export const nameRules: readonly RedactionRule[] = [
  ...valueAfter(`${assigned}=`, { flags: 'gi' }).map((pattern) => ({
    name: 'assignment',
    pattern,
    why: 'NAME=value and --name=value where the name says that the value is secret.',
  })),
  ...valueAfter(keyVariable).map((pattern) => ({
    name: 'key-variable',
    pattern,
    why: 'SIGNING_KEY and its like in the environment; not those that are public.',
  })),
  {
    name: 'option',
    pattern: new RegExp(
      String.raw`(?<keep>${wordStart}--?(?:[a-z][\w-]{0,60}?)?${secretName}['"]?\s{1,8})(?!-|['"]-)${word}`,
      'gi',
    ),
    why: '--password VALUE, --api-key VALUE and their like.',
  },
  {
    name: 'json-member',
    pattern: new RegExp(
      String.raw`(?<keep>\\{0,3}["'][\w-]{0,60}?${secretName}\\{0,3}["']\s{0,8}:\s{0,8}\\{0,3}(?<quote>["']))(?:(?!\k<quote>)[^\\]|\\(?!\k<quote>)[^])+`,
      'gi',
    ),
    why: 'Secrets in inline JSON bodies, escaped or not.',
  },
  {
    name: 'yaml-member',
    pattern:
      /(?<keep>(?<![\w-])(?:password|passwd|passphrase|secret|api[-_]?key|access[-_]?token|client[-_]?secret)\s{0,4}:\s{1,8})[^\s'",;]{1,400}/gi,
    why: 'password: value, as files and messages have it.',
  },
];
