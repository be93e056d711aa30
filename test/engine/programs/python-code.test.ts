import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPythonCode } from '../../../shared/engine/programs/languages/python.ts';
import { standsForModule } from '../../../shared/engine/programs/languages/python-words.ts';
import { seeded } from '../../fuzz/random.ts';

const fixture = (name: string) => new URL(`../../fixtures/programs/${name}`, import.meta.url);
const lines = readFileSync(fixture('python-code.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const found = /^(?:(reads|writes) ([^:]+): |other )(.*)$/.exec(line);
    if (found === null) throw new Error(line);
    const [, use, names = '', code = ''] = found;
    return { use, names, code: code.replaceAll(/(?<!\\)\\n/g, '\n').replaceAll('\\\\', '\\') };
  });

interface Named {
  readonly code: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** What the code is said to reach; null where it is not understood. */
function told(code: string): Named | null {
  const effects = readPythonCode(code, 0);
  if (effects === null) return null;
  const of = (...uses: readonly string[]) =>
    effects.flatMap((one) => (one.kind === 'path' && uses.includes(one.use) ? [one.path] : []));
  return { code, reads: of('reads'), writes: of('writes', 'edits') };
}

/** What Python did beside of it, by its own audit; null where there is no Python to ask. */
function audited(asked: readonly Named[]): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'python-code-'));
  try {
    for (const name of ['a.txt', 'b.txt', 'a.csv', 'a.py', 'a.md', 'b'])
      writeFileSync(join(folder, name), 'a = 1\n');
    writeFileSync(join(folder, 'report.json'), '{"a": 1, "zone": "x"}');
    const script = fixture('python-audit.py').pathname;
    const { stdout, status, error, stderr } = spawnSync('python3', ['-I', script, folder], {
      input: JSON.stringify(asked),
      encoding: 'utf8',
    });
    if (error !== undefined || /No module named 'tomllib'/.test(stderr)) return null;
    expect(status, stderr).toBe(0);
    return (JSON.parse(stdout) as [number, string][]).map(([at, event]) => [
      asked[at]?.code,
      event,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const names = 'a b c p q f Path P open os o json sys s re type eval getattr print len x'.split(' ');
const members =
  `read read_text write_text write replace copy format join path system environ sep getcwd load loads stdin
  stdout path.join read_bytes open unlink name parent items append keys __class__ __globals__ sub
  compile rename glob split exists iterdir buffer`.split(/\s+/);
const texts = [
  `'a.txt'`,
  `'b'`,
  `"w"`,
  `'r'`,
  `'{0.x}'`,
  `f'{a}'`,
  `f"{os.sep}"`,
  `'{}'`,
  `r'\\d'`,
];
const imports = [
  'import os',
  'import sys, json',
  'import os as o',
  'from pathlib import Path',
  'from pathlib import Path as P',
  'import pathlib as p',
  'import json as os',
  'import re as s',
  'from os import path',
  'import os.path as q',
];

/** Code that may mean anything, out of the words by which code reaches files and other modules. */
function made(seed: number): string {
  const { pick, chance, below } = seeded(seed);
  const value = (depth: number): string => {
    if (depth > 3 || chance(25))
      return chance(50) ? pick(names) : pick([...texts, '1', '[]', '{}']);
    const inner = (): string => value(depth + 1);
    return pick([
      () =>
        `${inner()}.${pick(members)}(${chance(60) ? inner() : ''}${chance(30) ? `, ${inner()}` : ''})`,
      () =>
        `${pick(['open', 'Path', 'P', 'p.Path', 'print', pick(names)])}(${inner()}${chance(40) ? `, ${inner()}` : ''})`,
      () => `${inner()}.${pick(members)}`,
      () => `[${inner()} for ${pick(names)} in [${inner()}]]`,
      () => `(lambda ${pick(names)}: ${inner()})(${inner()})`,
      () => `{${inner()}: ${inner()}}`,
      () =>
        `${pick(['p.Path', 'Path', 'str', pick(names)])}.${pick(members)}(${inner()}, ${inner()})`,
      () => `${inner()}[0]`,
      () => `${inner()} / ${inner()}`,
      () => `f'{${inner()}}'`,
    ])();
  };
  const line = (): string =>
    pick([
      () => `${pick(names)} = ${value(0)}`,
      () => `${pick(names)}, ${pick(names)} = ${value(1)}, ${value(1)}`,
      () => `print(${value(0)})`,
      () => `for ${pick(names)} in ${value(1)}: ${value(1)}`,
      () => `with ${value(1)} as ${pick(names)}: ${value(1)}`,
      () => `def ${pick(names)}(${pick(names)}, ${pick(names)}=${value(2)}): return ${value(1)}`,
      () => `${pick(names)} = ${pick(texts)}`,
      () => `${pick(names)} = ${pick(['Path', 'P', 'p.Path'])}(${pick(texts)})`,
      () => pick(imports),
      () => `try: ${value(1)}\nexcept Exception as ${pick(names)}: ${value(1)}`,
    ])();
  const head = Array.from({ length: 1 + below(2) }, () => pick(imports));
  return [...head, ...Array.from({ length: 1 + below(4) }, line)].join('\n');
}

describe('code for Python', () => {
  it.each(lines)('is told by what it names: $code', ({ use, names: files, code }) => {
    const found = told(code);
    if (use === undefined) return expect(found).toBeNull();
    const wanted = files === '-' ? [] : files.split(' ');
    expect(use === 'reads' ? found?.reads : [...new Set(found?.writes)]).toEqual(wanted);
    return expect(use === 'reads' ? found?.writes : wanted).toEqual(use === 'reads' ? [] : wanted);
  });

  it('does in Python what is said of it, and nothing else', (context) => {
    const understood: Named[] = lines.flatMap(({ code }) => told(code) ?? []);
    for (let seed = 1; seed <= (process.env.INTERLOCK_LONG === '1' ? 400_000 : 8_000); seed += 1) {
      const found = told(made(seed));
      if (found !== null) understood.push(found);
    }
    expect(understood.length).toBeGreaterThan(100);
    const beside = audited(understood);
    if (beside === null) context.skip();
    expect(beside).toEqual([]);
    // What is not said is found, so that nothing passes for want of a look.
    const unsaid = [
      "open('b')",
      "import os; os.mkdir('x')",
      "eval('1')",
      "import subprocess; subprocess.run(['id'])",
    ];
    expect(audited(unsaid.map((code) => ({ code, reads: [], writes: [] })))).toHaveLength(
      unsaid.length,
    );
  });

  it('imports what lies in the folder by the name of a module', () => {
    const isPackage = (name: string) => name === 'json';
    const stands = (name: string, kind: 'file' | 'folder' = 'file') =>
      standsForModule(name, kind, isPackage);
    for (const name of [
      'json.py',
      're.pyc',
      '_strptime.py',
      'csv.cpython-311-x86_64-linux-gnu.so',
      'io.so',
    ])
      expect(stands(name), name).toBe(true);
    expect(stands('json', 'folder')).toBe(true);
    for (const name of ['setup.py', 'conftest.py', 'json.txt', 'json', 'package.json'])
      expect(stands(name), name).toBe(false);
    expect(stands('types', 'folder')).toBe(false);
  });
});
