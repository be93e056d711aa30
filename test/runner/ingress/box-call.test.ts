import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callHere } from '../../../runner/ingress/box-call.ts';
import { refusalOf } from '../../../shared/base/index.ts';
import type { ToolPolicy } from '../../../shared/engine/index.ts';
import { temporaryFolder } from '../hosts/support.ts';

/** A project beside something that is none of the box's, and links into that. */
function project(folder: ToolPolicy['folder']) {
  const root = temporaryFolder();
  const workspace = join(root, 'work');
  const other = join(root, 'other');
  for (const path of [workspace, other, join(workspace, 'sub')]) mkdirSync(path);
  writeFileSync(join(other, 'key'), 'not for the box');
  writeFileSync(join(workspace, 'note'), 'of the box');
  symlinkSync(join(other, 'key'), join(workspace, 'leads-out'));
  symlinkSync(other, join(workspace, 'folder-out'));
  symlinkSync(join(other, 'new'), join(workspace, 'leads-nowhere'));
  symlinkSync('note', join(workspace, 'leads-in'));
  const policy = { tool: 'say', folder } as unknown as ToolPolicy;
  const policies = new Map([['say', policy]]);
  const call = (...words: string[]) =>
    callHere(
      { argv: ['say', ...words], cwd: join(workspace, 'sub'), env: {} },
      { task: { cwd: workspace }, policies, workspace, history: null },
    );
  const refused = (...words: string[]): string | null => {
    try {
      call(...words);
      return null;
    } catch (error) {
      return refusalOf(error)?.code ?? String(error);
    }
  };
  return { workspace, other, refused };
}

const ways = [
  ['by itself', (path: string) => path],
  ['behind an equals sign', (path: string) => `--file=${path}`],
  ['behind an at sign', (path: string) => `body=@${path}`],
  ['glued to a short option', (path: string) => `-F${path}`],
  ['as a later part of a list', (path: string) => `--files=a,${path}`],
  ['as a volume', (path: string) => `data:${path}`],
  ['as an address of a file', (path: string) => `--body=file://${path}`],
] as const;

describe('a file that a call out of a sandbox names', () => {
  it.each(ways)('has to be one of the project, %s', (_, spell) => {
    const { workspace, other, refused } = project('caller');
    expect(refused(spell(join(workspace, 'note')))).toBeNull();
    expect(refused(spell(join(workspace, 'leads-in')))).toBeNull();
    for (const path of [
      join(other, 'key'),
      `${workspace}/../other/key`,
      `${workspace}/folder-out/../other/key`,
      `${workspace}/folder-out/../work/note/../../other/key`,
      join(workspace, 'leads-out'),
      join(workspace, 'folder-out', 'key'),
      join(workspace, 'folder-out', 'new'),
      join(workspace, 'leads-nowhere'),
    ])
      expect(refused(spell(path)), path).toBe('policy-deny');
  });

  it.each(ways.slice(0, 6))('is found from where the tool runs, %s', (_, spell) => {
    const { refused } = project('caller');
    for (const path of ['../note', '../leads-in', './new', '../sub/new'])
      expect(refused(spell(path)), path).toBeNull();
    for (const path of [
      '../../other/key',
      '../leads-out',
      '../folder-out/key',
      '../folder-out/new',
      '../leads-nowhere',
      '../../new',
      '../folder-out/../other/key',
      '../folder-out/../new',
      '../sub/../../other/new',
    ])
      expect(refused(spell(path)), path).toBe('policy-deny');
  });

  it.each(ways.slice(0, 6))('is not above the empty folder of a tool, %s', (_, spell) => {
    const { refused } = project('private');
    for (const path of ['../..', '../../../secrets', './../x', 'a/../../x', '../x,y', '../x:/y'])
      expect(refused(spell(path)), path).toBe('policy-deny');
    // There is nothing of the project in it.
    for (const path of ['leads-out', 'a/b', './a/../b'])
      expect(refused(spell(path)), path).toBeNull();
  });

  it.each(ways.slice(0, 6))('is not in anybody’s home by its short name, %s', (_, spell) => {
    const { refused } = project('private');
    for (const path of ['~/.ssh/id_ed25519', '~root/x', '~'])
      expect(refused(spell(path)), path).toBe('policy-deny');
  });

  it('is not a path of any length that goes up and up', () => {
    for (const folder of ['private', 'caller'] as const) {
      const { refused } = project(folder);
      for (const path of ['a/../'.repeat(2_000), `${'./'.repeat(2_040)}../../../../../../../../x`])
        expect(refused(`--file=${path}../../other/key`)).toBe('policy-deny');
    }
  });

  it('is told apart from other words', () => {
    const { refused } = project('caller');
    for (const word of [
      'main..next',
      'HEAD~1',
      'HEAD^',
      'HEAD:refs/heads/next',
      'https://git.example/a/b.git',
      's3://bucket/key',
      'git@git.example:a/b.git',
      '/no-such-top/x',
      'say what you think: it is here, or there',
      '--title=about a/b, and ../c',
      'x'.repeat(10_000),
      `${'Many words, and: more=of them; '.repeat(2_000)}.`,
      `${'../sub/'.repeat(500)}note`,
      '',
      '-',
    ])
      expect(refused(word), word).toBeNull();
  });
});
