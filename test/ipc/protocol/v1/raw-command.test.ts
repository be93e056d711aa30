import { describe, expect, it } from 'vitest';
import { rawCommandFits } from '../../../../shared/ipc/protocol/v1.ts';

describe('the text that a version-1 client shows for a command', () => {
  it.each<[string | null, string[]]>([
    [null, ['rm', '-rf', '/']],
    ['', ['ls']],
    ['ls -l', ['ls', '-l']],
    [' ls -l ', ['ls', '-l']],
    ['echo "a b"', ['echo', 'a b']],
    [String.raw`echo "a\"b" ""`, ['echo', 'a"b', '']],
    ['ls | wc', ['/bin/sh', '-lc', 'ls | wc']],
    ['/bin/sh -lc "ls | wc"', ['/bin/sh', '-lc', 'ls | wc']],
  ])('fits: %j for %j', (raw, argv) => {
    expect(rawCommandFits(raw, argv)).toBe(true);
  });

  it.each<[string, string[]]>([
    ['ls', ['ls', '-l']],
    ['ls', ['rm', '-rf', '/']],
    ['ls', ['sh', '-c', 'ls', 'ls; rm x']],
    ['ls', ['sh', '-ec', 'ls']],
    ['ls', ['python', '-c', 'ls']],
  ])('does not fit: %j for %j', (raw, argv) => {
    expect(rawCommandFits(raw, argv)).toBe(false);
  });
});
