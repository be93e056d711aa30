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

  const ours = ['https://*.good.example/**'];
  it.each([
    'https://a.good.example/x',
    'https://a.b.good.example/x/y?z#w',
    'https://a.good.example/x/{y,z}',
  ])('takes %s for an address of a machine that a pattern names', (word) => {
    expect(covers(ours, [word])).toBe(true);
    expect(covers(['--url=https://*.good.example/**'], [`--url=${word}`])).toBe(true);
  });

  it.each([
    'https://evil.example?.good.example/x',
    'https://evil.example#.good.example/x',
    'https://evil.example\\.good.example/x',
    'https://me@a.good.example/x',
    'https://evil.example@a.good.example/x',
    'https://a:b@a.good.example/x',
    'https://evil.example%2f.good.example/x',
    'https://evil.example%00.good.example/x',
    'https://evil.example;.good.example/x',
    'https://evil.example .good.example/x',
    'https://evil.example\t.good.example/x',
    'https://evil.example:1.good.example/x',
    'https://{evil.example,a}.good.example/x',
    'https://[a-z].good.example/x',
    'https:/evil.example/.good.example/x',
    'https://a.good.example:8443/x',
    'http://a.good.example/x',
    'https:evil.example/.good.example/x',
    'https://a.good.example',
  ])('takes %j for an address elsewhere', (word) => {
    expect(covers(ours, [word])).toBe(false);
    expect(covers(['--url=https://*.good.example/**'], [`--url=${word}`])).toBe(false);
  });

  it('knows other forms of patterns for addresses', () => {
    expect(covers(['http*://localhost:*/**'], ['http://localhost:3000/x'])).toBe(true);
    expect(covers(['http*://localhost:*/**'], ['http://localhost:3000@evil.example/x'])).toBe(
      false,
    );
    expect(covers(['https://**'], ['https://a.example/x?y'])).toBe(true);
    expect(covers(['https://**'], ['https://me:x@a.example/'])).toBe(false);
    expect(covers(['file:///srv/**'], ['file:///srv/x'])).toBe(true);
    expect(covers(['file:///srv/**'], ['file://evil.example/srv/x'])).toBe(false);
    expect(covers(['https://{a,b}.example/*'], ['https://b.example/x'])).toBe(true);
    expect(covers(['s3://my_bucket-*/**'], ['s3://my_bucket-1/x'])).toBe(true);
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
