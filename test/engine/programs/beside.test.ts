import { describe, expect, it } from 'vitest';
import { pathsOf } from './support/read.ts';

/** Files that a program makes beside the ones that its words name. */
const lines: readonly (readonly [string, readonly string[]])[] = [
  ['sed -e p d/f --in-place=o_*', ['edits d/f', 'writes d/o_f']],
  ['cp -T --backup a b', ['reads a', 'writes b', 'writes b.~1~', 'writes b~']],
  ['cp -TS.o a b', ['reads a', 'writes b', 'writes b.o', 'writes b.~1~', 'writes b~']],
  ['split a d/x', ['into d/', 'reads a', 'writes d/x']],
  ['csplit -f d/x a 2', ['into d/', 'reads a', 'writes d/x']],
  ['zip -q d/n a', ['edits d/n', 'edits d/n.zip', 'reads a']],
  ['zstd -l a', ['reads a']],
  ['patch d/a', ['edits d/a', 'into .', 'writes d/a.orig', 'writes d/a.rej', 'writes d/a~']],
];

describe('backups, parts and packed files', () => {
  it.each(lines)('are told of %s', (line, expected) => {
    const [name = '', ...words] = line.split(' ');
    expect(pathsOf(name, words)).toEqual(expected);
  });
});
