import { describe, expect, it } from 'vitest';
import { pathsOf, readWords } from './support/read.ts';

/** Files that a program makes beside the ones that its words name. */
const lines: readonly (readonly [string, readonly string[]])[] = [
  ['sed -e p d/f --in-place=o_*', ['edits d/f', 'writes d/o_f']],
  ['cp -T --backup a b', ['reads a', 'writes b', 'writes b.~1~', 'writes b~']],
  ['cp -TS.o a b', ['reads a', 'writes b', 'writes b.o', 'writes b.~1~', 'writes b~']],
  ['split a d/x', ['into d/', 'reads a', 'writes d/x']],
  ['csplit -f d/x a 2', ['into d/', 'reads a', 'writes d/x']],
  ['zip -q d/n a', ['edits d/n', 'edits d/n.zip', 'reads a']],
  ['zip -qlf l n a', ['edits n', 'edits n.zip', 'reads a', 'writes l', 'writes l.log']],
  ['zip -O=o n a', ['edits n', 'edits n.zip', 'reads a', 'writes o', 'writes o.zip']],
  ['zip -x p q @ n a', ['edits n', 'edits n.zip', 'reads a']],
  ['zip -r n a -x p q', ['edits n', 'edits n.zip', 'reads a']],
  ['zip -tt 2020-01-01 n a', ['edits n', 'edits n.zip', 'reads a']],
  ['ln -b a d/x', ['edits a', 'into d/x', 'writes d/x', 'writes d/x.~1~', 'writes d/x~']],
  [
    'install -S.o a d/x',
    ['into d/x', 'reads a', 'writes d/x', 'writes d/x.o', 'writes d/x.~1~', 'writes d/x~'],
  ],
  ['rsync a d/x', ['into d/x', 'reads a', 'writes d/x', 'writes d/x/a']],
  [
    'rsync -b a d/x',
    ['into d/x', 'reads a', 'writes d/x', 'writes d/x/a', 'writes d/x/a~', 'writes d/x~'],
  ],
  [
    'rsync --delay-updates -y a d/x',
    ['into d/x', 'reads a', 'reads d/', 'writes d//.~tmp~', 'writes d/x', 'writes d/x/a'],
  ],
  [
    'rsync --partial-dir=p a d/x',
    ['into d//p', 'into d/x', 'into d/x/p', 'reads a', 'writes d/x', 'writes d/x/a'],
  ],
  [
    'rsync --write-batch=b a d/x',
    ['into d/x', 'reads a', 'writes b', 'writes b.sh', 'writes d/x', 'writes d/x/a'],
  ],
  [
    'rsync --only-write-batch b a d/x',
    ['into d/x', 'reads a', 'writes b', 'writes b.sh', 'writes d/x', 'writes d/x/a'],
  ],
  ['ssh-keygen -f d/k', ['edits d/k', 'writes d/k.old', 'writes d/k.pub']],
  ['ssh-keygen -s ca -I i d/k.pub', ['reads ca', 'reads d/k.pub', 'writes d/k-cert.pub']],
  [
    'ssh-keygen -Y sign -f k -n file a',
    ['edits k', 'reads a', 'writes a.sig', 'writes k.old', 'writes k.pub'],
  ],
  ['ssh-keygen -M generate a', ['reads a', 'writes a']],
  ['zstd -l a', ['reads a']],
  ['patch d/a', ['edits d/a', 'into .', 'writes d/a.orig', 'writes d/a.rej', 'writes d/a~']],
];

describe('backups, parts and packed files', () => {
  it.each(lines)('are told of %s', (line, expected) => {
    const [name = '', ...words] = line.split(' ');
    expect(pathsOf(name, words)).toEqual(expected);
  });
});

describe('the letters of zstd', () => {
  it.each(['-oka x a', '-T0kox a', '-fodx a', '-Dk x a', '-M5ox x a'])(
    'are in doubt where others stand behind them: %s',
    (words) => {
      expect(readWords('zstd', words.split(' ')).doubts).not.toEqual([]);
    },
  );

  it.each(['-T', '-M', '-B'])('leave the next word a file behind %s', (letter) => {
    expect(pathsOf('zstd', [letter, 'd/a', 'b'])).toContain('edits d/a.zst');
  });

  it.each(['-kT0 a', '-M512M -k a', '-19 -fo x a', '-kfo x a'])('are plain in %s', (words) => {
    expect(readWords('zstd', words.split(' ')).doubts).toEqual([]);
  });
});
