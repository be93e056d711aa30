import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob, escapeGlob } from '../../../shared/engine/rules/glob.ts';

const options = { home: '/home/me', ignoreCase: false };

function matches(pattern: string, text: string): boolean {
  return compileGlob(pattern, options).matches(text);
}

describe('a glob', () => {
  it.each([
    ['/usr/bin/git', '/usr/bin/git'],
    ['/usr/bin/*', '/usr/bin/git'],
    ['/usr/bin/g?t', '/usr/bin/got'],
    ['/usr/**', '/usr/local/bin/git'],
    ['/usr/**/git', '/usr/git'],
    ['/usr/**/git', '/usr/local/bin/git'],
    ['**/git', '/usr/bin/git'],
    ['**', '/anything/at all'],
    ['/opt/a**z', '/opt/abc/xyz'],
    ['/usr/{bin,sbin}/ls', '/usr/sbin/ls'],
    ['/usr/{bin,{s,l}bin}/ls', '/usr/lbin/ls'],
    ['/usr/bin/[a-c]at', '/usr/bin/cat'],
    ['/usr/bin/[!a-b]at', '/usr/bin/cat'],
    ['/usr/bin/[]x]', '/usr/bin/]'],
    [String.raw`/a/\*`, '/a/*'],
    ['~/bin/tool', '/home/me/bin/tool'],
    ['~', '/home/me'],
    ['/a/{b}', '/a/{b}'],
    ['/a/[b', '/a/[b'],
    ['/a/?', '/a/😀'],
    ['', ''],
  ])('%s matches %s', (pattern, text) => {
    expect(matches(pattern, text)).toBe(true);
  });

  it.each([
    ['/usr/bin/git', '/usr/bin/git2'],
    ['/usr/bin/git', '/USR/bin/git'],
    ['/usr/bin/*', '/usr/bin/x/git'],
    ['/usr/bin?git', '/usr/bin/git'],
    ['/usr/bin[/]git', '/usr/bin/git'],
    ['/usr/bin[!a]git', '/usr/bin/git'],
    ['/usr/**/git', '/usrgit'],
    ['/usr/**/git', '/usr/local/bin/mygit'],
    ['/usr/bin/g?t', '/usr/bin/gt'],
    ['/usr/bin/[a-c]at', '/usr/bin/dat'],
    [String.raw`/a/\*`, '/a/b'],
    ['~me/bin', '/home/me/bin'],
    ['/a/~', '/a//home/me'],
  ])('%s does not match %s', (pattern, text) => {
    expect(matches(pattern, text)).toBe(false);
  });

  it('ignores case where the platform does', () => {
    const glob = compileGlob('/Applications/*/Git', { home: '/', ignoreCase: true });
    expect(glob.matches('/applications/X/GIT')).toBe(true);
  });

  it('takes special characters of the home directory literally', () => {
    const glob = compileGlob('~/x', { home: '/home/[a]*', ignoreCase: false });
    expect(glob.matches('/home/[a]*/x')).toBe(true);
    expect(glob.matches('/home/aaa/x')).toBe(false);
  });

  it('refuses what it does not know, and then matches nothing', () => {
    const named = compileGlob('/a/[[:alpha:]]', options);
    expect(named.problem).toMatch(/named classes/);
    expect(named.matches('/a/b')).toBe(false);
    const many = compileGlob('{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', options);
    expect(many.problem).toMatch(/more than 128/);
  });

  it('lists its literals only when there is nothing else', () => {
    expect(compileGlob('/usr/{bin,sbin}/ls', options).literals).toEqual([
      '/usr/bin/ls',
      '/usr/sbin/ls',
    ]);
    expect(compileGlob('/usr/bin/*', options).literals).toBeNull();
  });

  it('matches exactly the text that was escaped', () => {
    const text = fc.string({
      unit: fc.constantFrom('*', '?', '[', ']', '{', '}', ',', '\\', '~', '/', 'a', '!', '-', '.'),
    });
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(matches(escapeGlob(one), one)).toBe(true);
        if (one !== other) expect(matches(escapeGlob(one), other)).toBe(false);
      }),
    );
  });

  it('answers at once on patterns that make backtracking matchers hang', () => {
    const pattern = `${'*a'.repeat(60)}b`;
    expect(matches(pattern, 'a'.repeat(5_000))).toBe(false);
    expect(matches(`${'**/'.repeat(40)}x`, 'a/'.repeat(2_000))).toBe(false);
  });
});
