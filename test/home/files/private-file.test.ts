import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPrivateFile } from '../../../shared/home/files.ts';

const uid = process.getuid?.() ?? 0;
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-files-'));
  path = join(folder, 'file.json');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function read(maxBytes = 1_000) {
  return readPrivateFile(path, { uid, maxBytes });
}

describe('reading a private file', () => {
  it('hands back the text of a 0600 file of ours', () => {
    writeFileSync(path, '{"name":"Zoë"}', { mode: 0o600 });
    expect(read()).toEqual({ kind: 'text', text: '{"name":"Zoë"}' });
  });

  it('takes a file of exactly the greatest size, and none above', () => {
    writeFileSync(path, 'x'.repeat(10), { mode: 0o600 });
    expect(read(10)).toMatchObject({ kind: 'text' });
    expect(read(9)).toEqual({ kind: 'unsafe', why: 'is larger than 9 bytes' });
  });

  it('tells a missing file apart', () => {
    expect(read()).toEqual({ kind: 'missing' });
  });

  it.each([0o640, 0o604, 0o666, 0o620])('refuses a file of mode %o', (mode) => {
    writeFileSync(path, 'x');
    chmodSync(path, mode);
    expect(read()).toEqual({
      kind: 'unsafe',
      why: `can be used by others (mode ${mode.toString(8)})`,
    });
  });

  it('refuses a symbolic link, even to a good file', () => {
    writeFileSync(join(folder, 'target'), 'x', { mode: 0o600 });
    symlinkSync('target', path);
    expect(read()).toEqual({ kind: 'unsafe', why: 'is a symbolic link' });
  });

  it('refuses a file with a second name', () => {
    writeFileSync(path, 'x', { mode: 0o600 });
    linkSync(path, join(folder, 'other'));
    expect(read()).toEqual({ kind: 'unsafe', why: 'has a second name (hard link)' });
  });

  it('refuses a directory', () => {
    mkdirSync(path, { mode: 0o700 });
    expect(read()).toEqual({ kind: 'unsafe', why: 'is a directory' });
  });

  it('refuses a named pipe without waiting for a writer', () => {
    execFileSync('mkfifo', ['-m', '600', path]);
    expect(read()).toEqual({ kind: 'unsafe', why: 'is not a regular file' });
  });

  it('refuses a file of another user', () => {
    writeFileSync(path, 'x', { mode: 0o600 });
    expect(readPrivateFile(path, { uid: uid + 1, maxBytes: 10 })).toEqual({
      kind: 'unsafe',
      why: `belongs to another user (uid ${uid})`,
    });
  });

  it('refuses bytes that are not UTF-8', () => {
    writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d]), { mode: 0o600 });
    expect(read()).toEqual({ kind: 'unsafe', why: 'is not UTF-8 text' });
  });
});
