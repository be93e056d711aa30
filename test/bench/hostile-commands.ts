import type { Rule } from '../../shared/engine/index.ts';

const size = 64_000;

/** The worst inputs that are still read: each makes one part of the work as large as it can be. */
export const hostileCommands: Readonly<Record<string, string>> = {
  '64 KB of words': `ls ${'a '.repeat(size / 2)}`,
  '64 KB of quoted words': `ls ${`'a' `.repeat(size / 4)}`,
  '64 KB of open quotes': `ls ${"'".repeat(size + 1)}`,
  '64 KB of redirections': `ls ${'>x '.repeat(size / 3)}`,
  '64 KB of assignments': 'A=b;'.repeat(size / 4),
  'a heredoc of 64 KB': `cat <<'E'\n${'a\n'.repeat(size / 2)}E\n`,
  '10,000 stages': `ls${'|ls'.repeat(9999)}`,
  'groups, 24 deep': `${'( '.repeat(24)}ls${' )'.repeat(24)}`,
  '64,000 open groups': '('.repeat(size),
  'shells in shells': `${"bash -c '".repeat(size / 9)}ls`,
  '64 KB of wildcards': `ls ${'*'.repeat(size)}`,
  '64 KB of braces': `ls ${'{a,'.repeat(size / 3)}`,
  'a word that a hostile glob nearly matches': `ls ${'a'.repeat(size)}`,
  'words that a hostile expression nearly matches': `cat ${'a'.repeat(size)}b`,
};

/** Rules written to be slow: they repeat what repeats. */
export const hostileRules: readonly Rule[] = [
  { id: 'glob', pattern: 'ls', args: [`${'*a'.repeat(40)}*b`] },
  { id: 'expression', pattern: 'cat', argPattern: '^(?:(?:a+)+)+$' },
];
