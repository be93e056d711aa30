import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scriptOf } from '../../shared/home/code-ahead.ts';
import type { CodeEntry } from '../../shared/home/code-ahead.ts';

const loader = resolve(import.meta.dirname, '../../dist/chunks/ahead.cjs');
const text = 'const word = "first"; exports.said = () => word;';

/** A file of codes with that of `part.cjs`, made of one text and filed under the digest of another. */
function codes(madeOf: string, filedUnder = madeOf): Buffer {
  const code = scriptOf(madeOf, 'part.cjs').createCachedData();
  const digest = createHash('sha256').update(filedUnder).digest('hex');
  const list: readonly CodeEntry[] = [{ name: 'part.cjs', digest, length: code.length }];
  const head = Buffer.from(JSON.stringify(list));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, code]);
}

/** What a bundle says in a process of its own, and what became of the codes that V8 was offered. */
function start(files: Readonly<Record<string, string | Buffer>>, ...flags: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-code-ahead-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(loader, join(folder, 'ahead.cjs'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const program = `
    const vm = require('node:vm');
    const offered = [];
    vm.Script = class extends vm.Script {
      constructor(text, options) {
        super(text, options);
        if (options.cachedData) offered.push(this.cachedDataRejected ? 'turned down' : 'taken');
      }
    };
    require('./ahead.cjs').loadWithCode(['one.code', 'two.code']);
    console.log(require('./part.cjs').said(), ...offered);`;
  writeFileSync(join(folder, 'main.cjs'), program);
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, join(folder, 'main.cjs')], {
    encoding: 'utf8',
    env: {},
  });
  return `${stdout}${stderr}`.trim();
}

describe('a bundle that is loaded with its code', () => {
  it('starts with the code that was made of it, whichever file that is in', () => {
    expect(start({ 'part.cjs': text, 'one.code': codes(text) })).toBe('first taken');
    expect(start({ 'part.cjs': text, 'two.code': codes(text) })).toBe('first taken');
  });

  it('is compiled where there is no code of it, or half of a file', () => {
    expect(start({ 'part.cjs': text })).toBe('first');
    expect(start({ 'part.cjs': text, 'one.code': codes('exports.other = 1;') })).toBe('first');
    expect(start({ 'part.cjs': text, 'one.code': codes(text).subarray(0, 20) })).toBe('first');
    expect(start({ 'part.cjs': text, 'one.code': '' })).toBe('first');
  });

  it('never runs the code of another text, of the same length as it may be', () => {
    const changed = text.replace('first', 'other');
    expect(changed).toHaveLength(text.length);
    expect(start({ 'part.cjs': changed, 'one.code': codes(text) })).toBe('other');
    // V8 alone would not have noticed: this is why the digest stands beside the code.
    expect(start({ 'part.cjs': changed, 'one.code': codes(text, changed) })).toBe('first taken');
  });

  it('is compiled where V8 turns its code down', () => {
    const files = { 'part.cjs': text, 'one.code': codes(text) };
    expect(start(files, '--no-flush-bytecode')).toBe('first turned down');
  });
});
