import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from './pack.ts';

let place: string;
let archive: string;

const npm = (...args: readonly string[]): string =>
  execFileSync('npm', args, { cwd: projectRoot, encoding: 'utf8', stdio: 'pipe' });

beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'il-npm-')));
  npm('pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', place);
  archive = join(place, readdirSync(place).find((name) => name.endsWith('.tgz')) ?? 'none');
}, 60_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

test('the archive holds the product and nothing that only tests use', () => {
  const files = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).split('\n');
  for (const file of [
    'dist/runner/cli/main.js',
    'dist/runner/cli/light.js',
    'dist/runner/hook/main.cjs',
    'dist/runner/main.js',
    'dist/native/interlock-launcher',
    'dist/native/interlock-client',
    'dist/rpc/interlock.cjs',
    'dist/schemas/config.schema.json',
    'man/interlock.1',
  ])
    expect(files).toContain(`package/${file}`);
  expect(
    files.filter((file) =>
      /^package\/(?:test|e2e|scripts|dist\/(?:test|types|demo)|.*\.ts$)/u.test(file),
    ),
  ).toEqual([]);
});

test('the same build makes the same archive, byte for byte', () => {
  const again = join(place, 'again');
  mkdirSync(again);
  npm('pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', again);
  const [name = 'none'] = readdirSync(again);
  expect(readFileSync(join(again, name)).equals(readFileSync(archive))).toBe(true);
}, 60_000);

test("V8's code of the command line is the same each time, and an ordinary Node takes it", () => {
  const folder = join(projectRoot, 'dist/runner/cli');
  const built = readdirSync(folder).find((name) => name.endsWith('.code')) ?? 'none';
  const made = join(place, 'made.code');
  const text = join(folder, 'light.js');
  const script = join(projectRoot, 'scripts/lib/code-cache.mjs');
  // It ends as a run without a runner does.
  spawnSync(process.execPath, ['--random-seed=42', script, text, made], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], INTERLOCK_HOME: join(projectRoot, 'dist', 'no-such-home') },
  });
  const code = readFileSync(made);
  expect(code.equals(readFileSync(join(folder, built)))).toBe(true);
  const source = `(function (exports, require, module, __filename, __dirname) { ${readFileSync(text, 'latin1')}\n})`;
  expect(new Script(source, { filename: text, cachedData: code }).cachedDataRejected).toBe(false);
});

test("V8's code of the programs is of the chunks beside it, and names no path of who built it", () => {
  const chunks = join(projectRoot, 'dist/chunks');
  for (const play of ['runner', 'programs']) {
    const built = readFileSync(join(chunks, `${play}.code`));
    expect(built.includes(projectRoot)).toBe(false);
    const list = built.toString('latin1', 4, 4 + built.readUInt32LE(0));
    const entries = JSON.parse(list) as readonly { name: string; digest: string }[];
    expect(entries.length).toBeGreaterThan(20);
    for (const { name, digest } of entries) {
      const text = readFileSync(join(chunks, name));
      expect(createHash('sha256').update(text).digest('hex'), name).toBe(digest);
    }
  }
});

test('the recipes of Homebrew and Arch name this archive and its digest', () => {
  execFileSync(process.execPath, ['scripts/packaging/recipes.mjs', place], { cwd: projectRoot });
  const digest = createHash('sha256').update(readFileSync(archive)).digest('hex');
  const name = basename(archive);
  for (const recipe of ['interlock.rb', 'PKGBUILD']) {
    const text = readFileSync(join(place, recipe), 'utf8');
    expect(text).toContain(digest);
    expect(text).not.toMatch(/@[A-Z0-9]+@/u);
  }
  expect(readFileSync(join(place, 'interlock.rb'), 'utf8')).toContain(name);
  const program = 'source "$1"; echo "${source[0]##*/} $pkgver"';
  const said = execFileSync('bash', ['-euc', program, 'bash', join(place, 'PKGBUILD')], {
    encoding: 'utf8',
  });
  const [, version] = /-([\d.]+)\.tgz$/u.exec(name) ?? [];
  expect(said.trim()).toBe(`${name} ${version ?? ''}`);
});

interface Bom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly components: readonly { readonly name: string; readonly purl: string }[];
}

test('the list of what it is made of has what is loaded and what is bundled, and no tool', () => {
  const script = 'scripts/packaging/sbom.mjs';
  const file = execFileSync(process.execPath, [script, place], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  const bom = JSON.parse(readFileSync(file.trim(), 'utf8')) as Bom;
  expect([bom.bomFormat, bom.specVersion]).toEqual(['CycloneDX', '1.5']);
  const names = bom.components.map(({ name }) => name);
  for (const name of [
    'node-ipc',
    'koffi',
    'web-tree-sitter',
    'ajv',
    'commander',
    'react',
    'zustand',
  ])
    expect(names).toContain(name);
  for (const name of ['vitest', 'playwright', 'typescript', 'electron-builder', 'oxlint'])
    expect(names).not.toContain(name);
  for (const { purl } of bom.components) expect(purl).toMatch(/^pkg:npm\/.+@\d/u);
}, 60_000);

test('npm installs it into an empty prefix, and the command there decides', () => {
  const prefix = join(place, 'prefix');
  npm(
    'install',
    '--global',
    '--prefix',
    prefix,
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    archive,
  );
  const home = join(place, 'home');
  const interlock = (...args: readonly string[]): string =>
    execFileSync(join(prefix, 'bin', 'interlock'), args, {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: place, INTERLOCK_HOME: home },
    });
  expect(interlock('--version').trim()).toMatch(/^\d+\.\d+\.\d+$/u);
  interlock('init', '--host', 'gateway');
  expect(interlock('check', '--', 'ls')).toContain('ASK');
  expect(interlock('completion', 'bash')).toContain('complete -F _interlock interlock');
  const page = readFileSync(join(prefix, 'share/man/man1/interlock.1'), 'utf8');
  expect(page).toBe(interlock('completion', 'man'));
}, 120_000);
