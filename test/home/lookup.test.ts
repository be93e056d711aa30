import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashFile, largestHashed, nodeFiles, surroundingsOf } from '../../shared/home/machine.ts';

let root = '';

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-lookup-')));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the file system as the analysis sees it', () => {
  test('tells kinds, bits and what links lead to', () => {
    const file = join(root, 'file');
    writeFileSync(file, '#!/bin/sh\nexit 0\n');
    chmodSync(file, 0o755);
    mkdirSync(join(root, 'directory'));
    symlinkSync('file', join(root, 'link'));
    symlinkSync('nowhere', join(root, 'dangling'));
    const files = nodeFiles();
    expect(files.facts(file)).toMatchObject({ kind: 'file', executable: true, mode: 0o755 });
    expect(files.facts(join(root, 'directory'))?.kind).toBe('directory');
    expect(files.realPath(join(root, 'link'))).toBe(file);
    expect(files.isLink(join(root, 'link'))).toBe(true);
    expect(files.isLink(file)).toBe(false);
    expect(files.isLink(join(root, 'dangling'))).toBe(true);
    expect(files.realPath(join(root, 'dangling'))).toBeNull();
    expect(Buffer.from(files.head(file, 9) ?? []).toString()).toBe('#!/bin/sh');
  });

  test('what is not there, or is not a path, is null', () => {
    const files = nodeFiles();
    for (const path of [join(root, 'none'), join(root, 'none/deeper'), 'a\0b']) {
      expect(files.facts(path)).toBeNull();
      expect(files.realPath(path)).toBeNull();
      expect(files.head(path, 4)).toBeNull();
      expect(files.isLink(path)).toBe(false);
    }
  });

  test('a change is seen at once', () => {
    const link = join(root, 'link');
    symlinkSync('/bin', link);
    const files = nodeFiles();
    expect(files.realPath(link)).toBe(realpathSync('/bin'));
    rmSync(link);
    symlinkSync('/tmp', link);
    expect(files.realPath(link)).toBe(realpathSync('/tmp'));
  });

  test('a pipe in the place of a file does not make it wait', () => {
    const pipe = join(root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(nodeFiles().facts(pipe)?.kind).toBe('other');
    expect(nodeFiles().head(pipe, 4)?.length ?? 0).toBe(0);
  });
});

describe('the digest of a file', () => {
  test('is that of its content', () => {
    const file = join(root, 'file');
    writeFileSync(file, 'x'.repeat(600_000));
    const digest = createHash('sha256').update('x'.repeat(600_000)).digest('hex');
    expect(hashFile(file)).toBe(digest);
    writeFileSync(file, '');
    expect(hashFile(file)).toBe(createHash('sha256').digest('hex'));
  });

  test('is none for what is not a regular file: a link, a pipe, a folder, nothing at all', () => {
    writeFileSync(join(root, 'file'), 'x');
    symlinkSync('file', join(root, 'link'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    for (const name of ['link', 'pipe', '.', 'missing'])
      expect(hashFile(join(root, name))).toBeNull();
  });

  test('is none for what is larger than any program', () => {
    const file = join(root, 'large');
    writeFileSync(file, 'x');
    truncateSync(file, largestHashed + 1);
    expect(hashFile(file)).toBeNull();
  });
});

describe('surroundings from an environment', () => {
  test('leave out relative directories of PATH', () => {
    const { path } = surroundingsOf({
      env: { PATH: '/usr/bin::.:bin:/bin' },
      uid: 1000,
      platform: 'linux',
    });
    expect(path).toEqual(['/usr/bin', '/bin']);
  });

  test('know only the variables that are handed on', () => {
    const { variables, home } = surroundingsOf({
      env: { HOME: '/home/ann', USER: 'ann', SECRET: 'x', PATH: '' },
      uid: 1000,
      platform: 'linux',
    });
    expect(variables).toEqual({ HOME: '/home/ann', USER: 'ann' });
    expect(home).toBe('/home/ann');
  });

  test('take workspaces by their real path, and name a shell that is there', () => {
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, 'link'));
    const found = surroundingsOf({
      env: {},
      uid: 1000,
      platform: 'linux',
      workspaces: [join(root, 'link'), join(root, 'none')],
      path: ['/opt/bin'],
    });
    expect(found.workspaces).toEqual([join(root, 'real'), join(root, 'none')]);
    expect(found.path).toEqual(['/opt/bin']);
    expect(nodeFiles().facts(found.shell)?.executable).toBe(true);
  });
});
