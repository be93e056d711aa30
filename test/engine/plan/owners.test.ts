import { describe, expect, it } from 'vitest';
import { findExecutable } from '../../../shared/engine/plan/executable.ts';
import type { Surroundings } from '../../../shared/engine/plan/types.ts';
import { surroundingsOf } from '../../../shared/home/machine.ts';
import { fakeFiles, type FakeEntry } from './support/fake-files.ts';

const me = 1000;

function find(
  path: string,
  entries: Readonly<Record<string, FakeEntry>>,
  platform: NodeJS.Platform = 'linux',
): { readonly trusted: boolean; readonly agentWritable: boolean } {
  const surroundings: Surroundings = surroundingsOf({
    env: { HOME: '/home/me', PATH: '/usr/local/bin:/usr/bin' },
    uid: me,
    platform,
    files: fakeFiles({ '/home/me/src': {}, ...entries }),
  });
  const cwd = '/home/me/src';
  const found = findExecutable(path, { surroundings, cwd, requestCwd: cwd });
  if (found.kind !== 'file') throw new Error(`${path} was not found`);
  return { trusted: found.trusted, agentWritable: found.agentWritable };
}

const program = { text: '\u007fELF' };

describe('a program in a directory of the system', () => {
  it.each<[what: string, trusted: boolean, entries: Record<string, FakeEntry>]>([
    ['belongs to root', true, { '/usr/bin/x': program }],
    ['belongs to another account', true, { '/usr/bin/x': { ...program, uid: 7 } }],
    ['belongs to the user', false, { '/usr/bin/x': { ...program, uid: me } }],
    ['may be written by its group', false, { '/usr/bin/x': { ...program, mode: 0o775 } }],
    ['may be written by everybody', false, { '/usr/bin/x': { ...program, mode: 0o777 } }],
    ['lies in a directory of the user', false, { '/usr/bin': { uid: me }, '/usr/bin/x': program }],
    ['lies below a directory of the user', false, { '/usr': { uid: me }, '/usr/bin/x': program }],
    ['lies where a group writes', false, { '/usr/bin': { mode: 0o2775 }, '/usr/bin/x': program }],
    [
      'lies where a group writes, but replaces nothing',
      true,
      { '/usr/bin': { mode: 0o1775 }, '/usr/bin/x': program },
    ],
    [
      'is reached by a link of the user',
      false,
      {
        '/usr/local/bin': { uid: me },
        '/usr/local/bin/x': { to: '/usr/bin/x' },
        '/usr/bin/x': program,
      },
    ],
  ])('that %s: trusted %s', (_, trusted, entries) => {
    expect(find('x', entries).trusted).toBe(trusted);
  });

  it('of a package manager that works as the user is trusted on macOS only', () => {
    const own = { uid: me };
    const entries = {
      '/opt/homebrew': own,
      '/opt/homebrew/bin': own,
      '/opt/homebrew/bin/x': { ...program, ...own },
      '/opt/homebrew/bin/loose': { ...program, ...own, mode: 0o777 },
    };
    expect(find('/opt/homebrew/bin/x', entries, 'darwin').trusted).toBe(true);
    expect(find('/opt/homebrew/bin/x', entries, 'linux').trusted).toBe(false);
    expect(find('/opt/homebrew/bin/loose', entries, 'darwin').trusted).toBe(false);
  });
});
