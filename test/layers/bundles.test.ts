import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

const dist = resolve(import.meta.dirname, '../../dist');
const require = createRequire(import.meta.url);

/** What a bundle is made of, by the comment that the bundler writes where each module begins. */
function modulesOf(file: string): readonly string[] {
  const text = readFileSync(join(dist, file), 'utf8');
  return [...text.matchAll(/^\s*\/\/ ((?:shared|runner|app|node_modules)\/\S+)$/gmu)].map(
    ([, path = '']) => path,
  );
}

/** What is there once a file is: its modules and those of every file that it imports at its start. */
function modulesLoadedWith(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(join(dist, file), 'utf8');
  const imported = [...text.matchAll(/^(?:const \w+ = )?require\("(\.[^"]+)"\)/gmu)];
  return [
    ...modulesOf(file),
    ...imported.flatMap(([, path = '']) => modulesLoadedWith(join(dirname(file), path), seen)),
  ];
}

function packagesOf(file: string): ReadonlySet<string> {
  return new Set(
    modulesOf(file).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(path)?.[1] ?? []),
  );
}

/** What is loaded from outside when the bundle starts or later, by its name. */
function loadsOf(file: string): ReadonlySet<string> {
  const text = readFileSync(join(dist, file), 'utf8').replaceAll(/^\s*\*.*$/gmu, '');
  const found = text.matchAll(/\b(?:require(?:\$\d)?|getBuiltinModule|import)\("([^"]+)"\)/gu);
  return new Set([...found].map(([, name = '']) => name));
}

function interlock(...args: readonly string[]) {
  const home = mkdtempSync(join(tmpdir(), 'interlock-bundles-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const program = join(dist, 'runner', 'cli', 'main.js');
  const env = { PATH: process.env['PATH'], INTERLOCK_HOME: home };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the bundle of the hook', () => {
  it('holds no schema compiler, no grammar and no server', () => {
    const modules = modulesOf('runner/hook/main.cjs');
    expect(modules).toContain('runner/hook/main.ts');
    expect(packagesOf('runner/hook/main.cjs')).toEqual(new Set());
    expect(modules.filter((path) => path.startsWith('shared/engine/'))).toEqual([]);
  });

  it('holds of each agent host its words alone, though the list knows all the rest', () => {
    const text = readFileSync(join(dist, 'runner/hook/main.cjs'), 'utf8');
    expect(text).toContain('"Gemini CLI"');
    expect(text).not.toMatch(/docs\/agents\/|\.claude\/|managed-settings|hostRecords/u);
  });

  it('loads nothing but parts of Node, and what signs at its first use', () => {
    expect(
      [...loadsOf('runner/hook/main.cjs')].filter((name) => !name.startsWith('node:')),
    ).toEqual([]);
    const text = readFileSync(join(dist, 'runner/hook/main.cjs'), 'utf8');
    expect(text).not.toMatch(/^let \w+ = require\("node:(?:crypto|http|net|child_process)"\)/mu);
  });
});

describe('the bundle of "interlock run"', () => {
  it('holds no schema compiler, no grammar and no server', () => {
    const modules = modulesOf('runner/cli/light.js');
    expect(modules).toContain('runner/cli/commands/run.ts');
    expect(packagesOf('runner/cli/light.js')).toEqual(new Set(['commander']));
    // The words for the modes, which its flags take; nothing that decides.
    const words = 'shared/engine/policy/types.ts';
    const parts = modules.filter((path) => /^shared\/engine\/.*\//u.test(path));
    expect(parts.filter((path) => path !== words)).toEqual([]);
  });

  it('loads the rest of the command line, and neither sockets, HTTP nor cryptography at its start', () => {
    const others = (file: string) =>
      [...loadsOf(file)].filter((name) => name.startsWith('.') || !/^(?:node:|url$)/u.test(name));
    expect(others('runner/cli/light.js')).toEqual([]);
    expect(others('runner/cli/main.js')).toEqual([
      '../../rpc/interlock.cjs',
      '../../chunks/cli.cjs',
    ]);
    const text = readFileSync(join(dist, 'runner/cli/light.js'), 'utf8');
    expect(text).not.toMatch(/^let \w+ = require\("node:(?:crypto|http|net|child_process)"\)/mu);
  });

  it('starts with the code that was made of it, or without', () => {
    const folder = join(dist, 'runner/cli');
    const codes = readdirSync(folder).filter((name) => name.endsWith('.code'));
    expect(codes).toHaveLength(1);
    const copy = mkdtempSync(join(tmpdir(), 'interlock-bundles-'));
    onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(dirname(folder), join(copy, 'dist/runner'), { recursive: true });
    cpSync(resolve(dist, '../package.json'), join(copy, 'package.json'));
    const [code = ''] = codes;
    const run = () =>
      spawnSync(process.execPath, [join(copy, 'dist/runner/cli/main.js'), '--help']);
    const expected = interlock('--help').stdout;
    expect(run().stdout.toString()).toBe(expected);
    for (const broken of [Buffer.alloc(200_000, 7), Buffer.alloc(0)]) {
      writeFileSync(join(copy, 'dist/runner/cli', code), broken);
      expect(run().stdout.toString()).toBe(expected);
    }
    rmSync(join(copy, 'dist/runner/cli', code));
    expect(run().stdout.toString()).toBe(expected);
  });

  it('answers by itself as the whole command line does', () => {
    const { version } = require('../../package.json') as { version: string };
    for (const word of ['--version', '-V'])
      expect(interlock(word)).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect(interlock('--help')).toEqual(interlock('help'));
    expect(interlock('run', '--help')).toEqual(interlock('help', 'run'));
    expect(interlock('run', '--', 'true')).toMatchObject({
      status: 125,
      stderr: expect.stringMatching(/^interlock: No runner is listening/u) as string,
    });
  });
});

describe('the other bundles', () => {
  it('load what is large only where it is used', () => {
    const analyser = 'shared/engine/plan/analyse.ts';
    expect(modulesLoadedWith('runner/main.js')).not.toContain(analyser);
    expect(modulesLoadedWith('chunks/start-runner.cjs')).toContain(analyser);
    const chunks = readdirSync(join(dist, 'chunks')).filter((name) => name.endsWith('.cjs'));
    const texts = chunks.map((name) => readFileSync(join(dist, 'chunks', name), 'utf8'));
    expect(texts.filter((text) => text.includes('require("web-tree-sitter")'))).toHaveLength(1);
    expect(texts.filter((text) => /^\S.*require\("web-tree-sitter"\)/mu.test(text))).toEqual([]);
  });

  it('set the engine for size before they load a runner, whichever way it is started', () => {
    const files = [
      'runner/main.js',
      ...readdirSync(join(dist, 'chunks'))
        .filter((name) => name.endsWith('.cjs'))
        .map((name) => `chunks/${name}`),
    ];
    const starting = files
      .map((name) => ({ name, text: readFileSync(join(dist, name), 'utf8') }))
      .filter(({ text }) => /=> require\("[^"]*\/start-runner\.cjs"\)/u.test(text));
    expect(starting.length).toBeGreaterThanOrEqual(2);
    for (const { name, text } of starting) {
      const settings = text.search(/require\("[^"]*\/small-footprint\d*\.cjs"/u);
      expect(settings, name).toBeGreaterThanOrEqual(0);
      expect(settings, name).toBeLessThan(text.search(/=> require\("[^"]*\/start-runner\.cjs"\)/u));
    }
  });

  it('take one byte a letter in memory', () => {
    const wide = readdirSync(join(dist, 'chunks'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.cjs'))
      .filter((name) => readFileSync(join(dist, 'chunks', name)).some((byte) => byte > 0x7f));
    expect(wide).toEqual([]);
  });

  it('hold every package but those that package.json leaves to node_modules', () => {
    const { dependencies, optionalDependencies } = require('../../package.json') as {
      dependencies: Record<string, string>;
      optionalDependencies: Record<string, string>;
    };
    const ours = Object.keys({ ...dependencies, ...optionalDependencies });
    const chunks = readdirSync(join(dist, 'chunks')).filter((name) => name.endsWith('.cjs'));
    const bundled = new Set(chunks.flatMap((name) => [...packagesOf(`chunks/${name}`)]));
    expect(bundled).toContain('ajv');
    expect(ours.filter((name) => bundled.has(name))).toEqual([]);
    const licences = readFileSync(join(dist, 'chunks/licenses.txt'), 'utf8');
    expect([...bundled].filter((name) => !licences.includes(`## ${name}`))).toEqual([]);
  });

  it('give the page of the menu bar app nothing to load but Electron', () => {
    expect([...loadsOf('app/electron/preload.cjs')]).toEqual(['electron']);
  });
});
