import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFileAtomic, writePage } from '../../../shared/home/files.ts';
import { withFileLock } from '../../../shared/home/file-lock.ts';
import { ensurePrivateDirectory } from '../../../shared/home/files.ts';

const uid = process.getuid?.() ?? 0;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-files-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('an atomic write', () => {
  it('replaces the content, makes the file 0600 and leaves nothing else behind', () => {
    const path = join(folder, 'a.json');
    writeFileSync(path, 'old', { mode: 0o644 });
    writeFileAtomic(path, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('replaces a symbolic link and does not touch what it led to', () => {
    const path = join(folder, 'link');
    writeFileSync(join(folder, 'target'), 'precious');
    symlinkSync('target', path);
    writeFileAtomic(path, 'new');
    expect(lstatSync(path).isSymbolicLink()).toBe(false);
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('precious');
  });

  it('leaves the target and no temporary file when it cannot finish', () => {
    const path = join(folder, 'busy');
    mkdirSync(path);
    expect(() => {
      writeFileAtomic(path, 'new');
    }).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(readdirSync(folder)).toEqual(['busy']);
  });
});

describe('a page', () => {
  it('is written over what stands there, in the same file, with nothing of the old text left', () => {
    const path = join(folder, 'record.json');
    writePage(path, JSON.stringify({ told: 'x'.repeat(500) }));
    const { ino, mode } = statSync(path);
    writePage(path, '{"told":"ü"}');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ told: 'ü' });
    expect([statSync(path).ino, mode & 0o777]).toEqual([ino, 0o600]);
    expect(readdirSync(folder)).toEqual(['record.json']);
  });

  it('that would grow past its size, and one after that, is a file of its own', () => {
    const path = join(folder, 'record.json');
    writePage(path, '{}');
    for (const text of ['x'.repeat(5_000), 'short', 'ü'.repeat(2_049)]) {
      const { ino } = statSync(path);
      writePage(path, text);
      expect(readFileSync(path, 'utf8').trimEnd()).toBe(text);
      expect(statSync(path).ino).not.toBe(ino);
    }
  });

  it('is not written through a link, nor into a file that has another name', () => {
    for (const link of [symlinkSync, linkSync]) {
      const [path, target] = ['path', 'target'].map((name) => join(folder, `${link.name}-${name}`));
      writePage(target ?? '', 'precious');
      link(target ?? '', path ?? '');
      writePage(path ?? '', 'new');
      expect(readFileSync(target ?? '', 'utf8').trimEnd()).toBe('precious');
      expect(readFileSync(path ?? '', 'utf8').trimEnd()).toBe('new');
    }
  });
});

describe('a private directory', () => {
  it('is made with mode 0700, parents too, and is then accepted', () => {
    const path = join(folder, 'a', 'b');
    ensurePrivateDirectory(path, { uid });
    ensurePrivateDirectory(path, { uid });
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
  });

  it.each([
    [
      'a loose mode',
      (path: string) => {
        mkdirSync(path);
        chmodSync(path, 0o755);
      },
      /mode 755/,
    ],
    [
      'a symbolic link',
      (path: string) => {
        symlinkSync(folder, path);
      },
      /symbolic link/,
    ],
    [
      'a file',
      (path: string) => {
        writeFileSync(path, '');
      },
      /not a directory/,
    ],
  ])('is refused when it is or has %s', (_, make, message) => {
    const path = join(folder, 'home');
    make(path);
    expect(() => {
      ensurePrivateDirectory(path, { uid });
    }).toThrow(message);
  });

  it('is refused when another user owns it', () => {
    expect(() => {
      ensurePrivateDirectory(folder, { uid: uid + 1 });
    }).toThrow(/config-invalid.*another user/);
  });
});

describe('a file lock', () => {
  it('lets one section in at a time and frees itself when a section throws', async () => {
    const lock = join(folder, 'lock');
    await expect(
      withFileLock(lock, () => {
        throw new Error('section failed');
      }),
    ).rejects.toThrow('section failed');
    expect(await withFileLock(lock, () => 'entered')).toBe('entered');
  });

  it('refuses in the end while another holder stays', async () => {
    const lock = join(folder, 'lock');
    let refusal: Promise<unknown> = Promise.resolve();
    // The inner attempt starts inside the outer section and gives up before it could ever enter.
    await withFileLock(lock, () => {
      refusal = withFileLock(lock, () => 'entered', { waitMs: 0 });
      refusal.catch(() => undefined);
    });
    await expect(refusal).rejects.toThrow(/concurrency-busy/);
  });
});
