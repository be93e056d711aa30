import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptTexts } from '../../../runner/approvals/kept-texts.ts';
import { sha256 } from '../../../shared/base/index.ts';

let folder = '';
let said: string[] = [];
const uid = process.geteuid?.() ?? -1;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kept-texts-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function texts() {
  const directory = join(folder, 'kept');
  const kept = keptTexts({ directory, uid, problem: (sentence) => said.push(sentence) });
  const script = (text: string, name = 'x.sh'): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return { kept, directory, script };
}

test('what a script held when it was allowed stands beside what it holds now', () => {
  const { kept, directory, script } = texts();
  const path = script('echo one\n');
  kept.keep(path, sha256('echo one\n'));
  script('echo two\n');
  expect(kept.compare(path, sha256('echo one\n'))).toEqual({
    before: 'echo one\n',
    now: 'echo two\n',
  });
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(said).toEqual([]);
});

test('a text that is not the one that was allowed is not kept', () => {
  const { kept, directory, script } = texts();
  kept.keep(script('echo two\n'), sha256('echo one\n'));
  expect(existsSync(directory)).toBe(false);
});

test('secrets are kept out of it', () => {
  const { kept, script } = texts();
  const key = `ghp_${'0123456789abcdefghij'.repeat(2).slice(0, 36)}`;
  const text = `curl -H "authorization: token ${key}"\n`;
  const path = script(text);
  kept.keep(path, sha256(text));
  expect(JSON.stringify(kept.compare(path, sha256(text)))).not.toContain(key);
});

test('links, folders, long files and what is not text are left alone', () => {
  const { kept, directory, script } = texts();
  const path = script('x\n');
  symlinkSync(path, join(folder, 'link'));
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'bytes'), Buffer.from([0xff, 0xfe]));
  kept.keep(join(folder, 'link'), sha256('x\n'));
  kept.keep(join(folder, 'folder'), sha256(''));
  kept.keep(join(folder, 'bytes'), sha256('x\n'));
  const long = 'x'.repeat(70_000);
  kept.keep(script(long, 'long'), sha256(long));
  expect(existsSync(directory)).toBe(false);
  expect(kept.compare(path, '../../etc/passwd')).toBeNull();
});

test('only so many are kept', () => {
  const { kept, directory, script } = texts();
  for (let count = 0; count < 140; count += 1) {
    const text = `echo ${String(count)}\n`;
    kept.keep(script(text), sha256(text));
  }
  expect(readdirSync(directory).length).toBeLessThanOrEqual(128);
});

test('a folder that others can use keeps nothing, and says so', () => {
  const { kept, directory, script } = texts();
  mkdirSync(directory, { mode: 0o755 });
  kept.keep(script('x\n'), sha256('x\n'));
  expect(readdirSync(directory)).toEqual([]);
  expect(said.length).toBe(1);
});
