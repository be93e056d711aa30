import { describe, expect, it } from 'vitest';
import type { ArgToken } from '../../../shared/engine/policy/types.ts';
import { compileArgs } from '../../../shared/engine/rules/args.ts';

function covers(
  tokens: readonly ArgToken[],
  values: readonly string[],
  open: number[] = [],
): boolean {
  return compileArgs(tokens, '/home/me').covers({ values, open: new Set(open) });
}

function touches(
  tokens: readonly ArgToken[],
  values: readonly string[],
  open: number[] = [],
): boolean {
  return compileArgs(tokens, '/home/me').touches({ values, open: new Set(open) });
}

describe('token arguments', () => {
  it.each<[readonly ArgToken[], readonly string[]]>([
    [[], []],
    [['status'], ['status']],
    [['status', '...'], ['status']],
    [
      ['status', '...'],
      ['status', '-s', 'src'],
    ],
    [['...'], []],
    [['...'], ['anything', 'at all']],
    [
      [['status', 'diff'], '...'],
      ['diff', 'HEAD'],
    ],
    [
      ['test', '*.ts'],
      ['test', 'a.ts'],
    ],
    [
      ['test', '**/*.ts'],
      ['test', 'src/a.ts'],
    ],
    [
      ['-n', '?'],
      ['-n', '3'],
    ],
    [['~/notes/*'], ['/home/me/notes/a']],
    [['**'], ['../x']],
    [[String.raw`\*`], ['*']],
    [['a b'], ['a b']],
    [[''], ['']],
  ])('%j covers %j', (tokens, values) => {
    expect(covers(tokens, values)).toBe(true);
  });

  it.each<[readonly ArgToken[], readonly string[]]>([
    [[], ['x']],
    [['status'], []],
    [['status'], ['status', '-s']],
    [['status'], ['STATUS']],
    [['status', '...'], ['stat']],
    [['a b'], ['a', 'b']],
    [
      ['test', '*.ts'],
      ['test', 'src/a.ts'],
    ],
    [['build/**'], ['build/../../etc/passwd']],
    [['*'], ['..']],
    [['--out=*'], ['--out=..']],
    [[String.raw`\*`], ['x']],
    [
      ['...', 'x'],
      ['...', 'x'],
    ],
  ])('%j does not cover %j', (tokens, values) => {
    expect(covers(tokens, values)).toBe(false);
  });

  it('covers a word that is still to be expanded only under "anything after"', () => {
    expect(covers(['add', '...'], ['add', '*.ts'], [1])).toBe(true);
    expect(covers(['add', '*'], ['add', '*'], [1])).toBe(false);
    expect(covers(['add', '*.ts'], ['add', '*.ts'], [1])).toBe(false);
  });

  it('lets a word that is still to be expanded stand for any denied words', () => {
    expect(touches(['-rf', '/etc'], ['*'], [0])).toBe(true);
    expect(touches(['-rf', '/etc'], ['-rf', '*'], [1])).toBe(true);
    expect(touches(['-rf', '/etc'], ['-r', '*'], [1])).toBe(false);
    expect(touches(['push', '...'], ['push', 'x'])).toBe(true);
    expect(touches(['push'], ['push', 'x'])).toBe(false);
  });

  it('knows when every word is written out', () => {
    const pinned = (tokens: readonly ArgToken[]) => compileArgs(tokens, '/').pinned;
    expect(pinned(['-m', ['pytest', 'black']])).toBe(true);
    expect(pinned([])).toBe(true);
    expect(pinned(['-m', '...'])).toBe(false);
    expect(pinned(['-m', '*'])).toBe(false);
  });
});
