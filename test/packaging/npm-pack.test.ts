import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
