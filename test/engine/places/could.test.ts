import { describe, expect, it } from 'vitest';
import { couldHold, couldMatch } from '../../../shared/engine/places/could.ts';
import type { Place } from '../../../shared/engine/places/types.ts';
import { contextWith, fakeFiles, project } from './support.ts';

const own = {
  path: '/data/interlock',
  place: 'own',
  reason: 'belongs to Interlock itself',
} as const;

describe('couldHold', () => {
  it.each([
    ['/', 'own'],
    ['/data', 'own'],
    ['/home', 'own'],
    ['/home/u', 'own'],
    ['~', 'own'],
    ['~/.config', 'secret'],
    ['~/.cargo', 'secret'],
    ['~/.local', 'secret'],
    ['/etc', 'secret'],
    ['.github', 'steers'],
    ['.yarn', 'steers'],
    ['.git', 'steers'],
    ['/opt/tool', 'runs-later'],
    ['/var/spool', 'runs-later'],
  ])('sees that a tree in %s may bring %s', (folder, place) => {
    expect(couldHold(folder, contextWith({ known: [own] }))?.place).toBe(place);
  });

  it.each(['src', 'out', '/tmp/x', '~/notes', 'node_modules/x'])('leaves %s alone', (folder) => {
    expect(couldHold(folder, contextWith({ known: [own] }))).toBeNull();
  });

  it('sees that a plain folder is a repository or has settings of agents', () => {
    const files = fakeFiles({
      [`${project}/src/a`]: { inode: 1 },
      [`${project}/.git/HEAD`]: { inode: 2 },
      [`${project}/pkg/.claude/settings.json`]: { inode: 3 },
      [`${project}/link`]: { inode: 4, link: '/home/u' },
    });
    const context = contextWith({ files });
    expect(couldHold('.', context)?.place).toBe('steers');
    expect(couldHold('pkg', context)?.place).toBe('steers');
    expect(couldHold('src', context)).toBeNull();
    expect(couldHold('link', context)?.place).toBe('own');
  });

  it('looks for the kinds that are asked for: a reader that goes through a folder meets secrets', () => {
    const among = ['own', 'secret'] as const;
    expect(couldHold('~', contextWith(), among)?.place).toBe('own');
    expect(couldHold('/opt/tool', contextWith(), among)).toBeNull();
    expect(couldHold('.github', contextWith(), among)).toBeNull();
  });
});

describe('couldMatch', () => {
  const context = contextWith({ known: [own] });
  it.each<[glob: string, place: Place]>([
    ['**', 'own'],
    [`${project}/**`, 'own'],
    [`${project}/*`, 'own'],
    [`${project}/.c*/x.json`, 'steers'],
    [`${project}/.[c]laude/x.md`, 'steers'],
    [`${project}/{src,.vscode}/x.ts`, 'steers'],
    [`${project}/{src,{a,.github/{workflows,x}}}/x`, 'steers'],
    [`${project}/.git/hooks/?`, 'steers'],
    [`${project}/src/**`, 'own'],
    ['~/.bash*', 'secret'],
    ['~/.bashr?', 'runs-later'],
    ['~/.unheardo?', 'runs-later'],
    ['/data/int*/x', 'own'],
    ['/usr/bi?/git', 'runs-later'],
    ['~/.ssh/id_*', 'secret'],
  ])('in a rule, %s may reach %s', (glob, place) => {
    expect(couldMatch(glob, context, { hidden: true, among: [place] })?.place).toBe(place);
  });

  it.each([
    `${project}/src/a*.ts`,
    `${project}/docs/x?.md`,
    '/tmp/x/a[0-9].log',
    `${project}/{a,b}.ts`,
  ])('in a rule, %s reaches none', (glob) => {
    expect(couldMatch(glob, context, { hidden: true })).toBeNull();
  });

  it.each<[glob: string, place: Place]>([
    ['.gith*', 'steers'],
    ['.g*/hooks/x', 'steers'],
    ['.[g]it/config', 'steers'],
    ['.env*', 'secret'],
    ['~/.*', 'own'],
    ['../../.ssh/id_*', 'secret'],
    ['/etc/sh*', 'secret'],
    ['/etc/sudoers.?/x', 'secret'],
    ['/proc/[0-9]*/environ', 'secret'],
    ['id_*', 'secret'],
    ['sub/.cl?ude/s*', 'steers'],
  ])('in a shell, %s may be %s', (glob, place) => {
    expect(couldMatch(glob, context, { hidden: false, among: [place] })?.place).toBe(place);
  });

  it.each(['main*.ts', 'src/?.o', 'src/a?/x?.js', '.claude/worktrees/x/a*.ts'])(
    'in a shell, %s is none',
    (glob) => {
      expect(couldMatch(glob, context, { hidden: false })).toBeNull();
    },
  );

  it('looks at what is there, where the folder can be listed', () => {
    const files = fakeFiles({
      [`${project}/a.json`]: { inode: 1 },
      [`${project}/.claude/settings.json`]: { inode: 2 },
      [`${project}/sub/opencode.json`]: { inode: 3 },
      [`${project}/sub/tls.key`]: { inode: 4 },
      [`${project}/link`]: { inode: 5, link: '.claude' },
    });
    const listed = contextWith({ files, known: [own] });
    const shell = { hidden: false };
    expect(couldMatch('*.json', listed, shell)).toBeNull();
    expect(couldMatch('*', listed, shell)?.place).toBe('steers');
    expect(couldMatch('a*', listed, shell)).toBeNull();
    expect(couldMatch('sub/*.json', listed, shell)?.place).toBe('steers');
    expect(couldMatch('sub/*', listed, shell)?.place).toBe('secret');
    expect(couldMatch('.cl*', listed, shell)?.place).toBe('steers');
  });

  it('takes too many alternatives for anything', () => {
    const many = Array.from({ length: 100 }, (_, index) => `a${index}`).join(',');
    expect(couldMatch(`/x/{${many}}`, context, { hidden: true })?.place).toBe('own');
  });

  it('does not take long over hostile patterns', () => {
    const hostile = `${'*a'.repeat(300)}/${'**/'.repeat(60)}x`;
    const start = performance.now();
    couldMatch(hostile, context, { hidden: true });
    couldMatch(`{${'a,'.repeat(30)}}`.repeat(30), context, { hidden: true });
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
