import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import asar from '@electron/asar';
import { FuseV1Options } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pack, projectRoot, runNode } from './packaging/pack.ts';
import type { Packed } from './packaging/pack.ts';
import { fusesOf } from './packaging/stand-in.ts';

const require = createRequire(import.meta.url);

// This proves the packaging configuration: what is packed and how its fuses are set. The program in
// the package is a stand-in, so it does not prove that the app starts.
describe('the package for Linux, packed around a stand-in for Electron', () => {
  let folder: string;
  let packed: Packed;
  let files: readonly string[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'interlock-packaging-'));
    packed = pack(folder);
    files = asar.listPackage(packed.archive, { isPack: false });
  }, 180_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('starts with the app of the menu bar', () => {
    const manifest = JSON.parse(asar.extractFile(packed.archive, 'package.json').toString());
    expect(manifest.main).toBe('./dist/app/electron/main.js');
    expect(manifest.type).toBe('module');
    expect(files).toContain('/dist/app/electron/main.js');
    expect(manifest).not.toHaveProperty('devDependencies');
  });

  it.each([
    '/dist/app/electron/preload.cjs',
    '/dist/app/console/main.js',
    '/dist/app/terminal/main.js',
    '/dist/app/console/package.json',
    '/dist/chunks/ahead.cjs',
    '/dist/chunks/licenses.txt',
    '/dist/chunks/programs.code',
    '/dist/chunks/runner.code',
    '/dist/renderer/index.html',
    '/dist/runner/cli/light.js',
    '/dist/runner/cli/main.js',
    '/dist/runner/package.json',
    '/dist/runner/hook/main.cjs',
    '/dist/runner/main.js',
    '/assets/icons/256x256.png',
    '/assets/tray/dark/armed@2x.png',
    '/assets/tray/template/lockedTemplate.png',
    '/node_modules/web-tree-sitter/web-tree-sitter.wasm',
    '/node_modules/tree-sitter-bash/tree-sitter-bash.wasm',
  ])('holds %s', (path) => {
    expect(files).toContain(path);
  });

  it.each([
    ['sources', /\.(?:ts|tsx|mts|cts)$/u],
    ['source maps', /\.map$/u],
    ['tests', /^\/(?:test|e2e)\//u],
    ['the gallery of design work', /^\/dist\/gallery/u],
    ['build state', /\.tsbuildinfo$|\/\.buildinfo/u],
    [
      'development tools',
      /\/node_modules\/(?:vitest|vite|playwright|electron|typescript|react)\//u,
    ],
    ['what keytar is built with', /\/node_modules\/(?:node-addon-api|prebuild-install|tar-fs)\//u],
    ['the sources of native modules', /\.(?:c|cc|cpp|h|hh|gyp)$/u],
    ['settings of package managers, secrets and logs', /\.(?:npmrc|env|pem|key|log)$|\.git/u],
    ['a policy, a token or an audit log', /exec-approvals|ui\.json|audit\/\d/u],
  ])('holds no %s', (_what, pattern) => {
    expect(files.filter((file) => pattern.test(file))).toEqual([]);
  });

  it('names no path of the machine that built it', () => {
    const texts = files.filter((file) =>
      /^\/(?:dist|package\.json).*\.(?:js|cjs|json|html)$/u.test(file),
    );
    const found = texts.filter((file) =>
      asar.extractFile(packed.archive, file.slice(1)).includes(projectRoot),
    );
    expect(found).toEqual([]);
  });

  it('leaves nothing but the packages with native modules outside the archive', () => {
    const native = /^\/node_modules\/(?:@koromix\/koffi-[^/]+|keytar)\//u;
    const outside = files.filter((file) => {
      const entry = asar.statFile(packed.archive, file.slice(1));
      return 'unpacked' in entry && entry.unpacked && 'size' in entry;
    });
    expect(outside.length).toBeGreaterThan(0);
    expect(outside.filter((file) => !native.test(file))).toEqual([]);
  });

  it.each([
    ['RunAsNode', false],
    ['EnableNodeOptionsEnvironmentVariable', false],
    ['EnableNodeCliInspectArguments', false],
    ['GrantFileProtocolExtraPrivileges', false],
    ['EnableCookieEncryption', true],
    ['OnlyLoadAppFromAsar', true],
    ['EnableEmbeddedAsarIntegrityValidation', true],
  ] as const)('has the fuse %s set to %s', (fuse, on) => {
    expect(fusesOf(packed.program)[FuseV1Options[fuse]]).toBe(on);
  });

  it('has no update feed', () => {
    expect(() => statSync(join(packed.resources, 'app-update.yml'))).toThrow('ENOENT');
  });

  it('ships a runner beside the app that Node runs without the archive', () => {
    const launcher = join(packed.runner, 'bin', 'interlock');
    expect(statSync(launcher).mode & 0o111).toBe(0o111);
    const cli = join(packed.runner, 'dist', 'runner', 'cli', 'main.js');
    const { version } = require('../package.json') as { version: string };
    expect(runNode([cli, '--version']).trim()).toBe(version);
  });

  it('ships what "interlock service install" and "interlock install" write from', () => {
    for (const name of ['service', 'agents', 'tools', 'advisors', 'rpc']) {
      const shipped = readdirSync(join(packed.runner, 'assets', name), {
        recursive: true,
        encoding: 'utf8',
      });
      const ours = readdirSync(join(projectRoot, 'assets', name), {
        recursive: true,
        encoding: 'utf8',
      });
      expect(new Set(shipped)).toEqual(new Set(ours));
    }
  });

  it('ships launcher, native client, the client for shared folders and the schemas', () => {
    for (const file of [
      'native/interlock-launcher',
      'native/interlock-client',
      'rpc/interlock.cjs',
      'schemas/config.schema.json',
    ])
      expect(statSync(join(packed.runner, 'dist', file)).size, file).toBeGreaterThan(1_000);
    const launcher = statSync(join(packed.runner, 'dist', 'native', 'interlock-launcher'));
    expect(launcher.mode & 0o111).toBe(0o111);
  });

  it('decides about a command with the grammar of the shipped runner', () => {
    const home = join(folder, 'home');
    const cli = join(packed.runner, 'dist', 'runner', 'cli', 'main.js');
    const env = { INTERLOCK_HOME: home };
    runNode([cli, 'init'], env);
    const verdict = runNode([cli, 'check', '--json', '-c', 'ls | wc -l; echo $(id)'], env);
    expect(JSON.parse(verdict).analysis).toMatchObject({
      ok: false,
      reason: 'command-substitution',
    });
  });

  it('loads the native module for peer credentials from the shipped runner', () => {
    const script = `process.stdout.write(typeof require(process.argv[1]).load)`;
    const koffi = join(packed.runner, 'node_modules', 'koffi');
    expect(runNode(['-e', script, koffi])).toBe('function');
  });
});

describe('electron-builder.yml', () => {
  const builder = require('app-builder-lib/out/util/config/config.js') as {
    getConfig(project: string, file: string | null, from: null): Promise<Record<string, object>>;
    validateConfiguration(config: object, log: { readonly isEnabled: boolean }): Promise<void>;
  };
  const load = () => builder.getConfig(projectRoot, 'electron-builder.yml', null);
  const validate = (config: object) => builder.validateConfiguration(config, { isEnabled: false });

  it('passes the schema of the packager for every platform', async () => {
    await expect(validate(await load())).resolves.toBeUndefined();
  });

  it.each(['mac', 'dmg', 'win', 'nsis', 'linux', 'deb'])(
    'would not pass with a misspelt option for %s',
    async (part) => {
      const config = await load();
      await expect(validate({ ...config, [part]: { ...config[part], icno: 1 } })).rejects.toThrow(
        `configuration.${part}`,
      );
    },
  );

  it.each([
    ['mac', 'dmg'],
    ['linux', 'AppImage'],
    ['linux', 'deb'],
    ['win', 'nsis'],
  ])('packs for %s as %s', async (platform, target) => {
    const config = await load();
    expect(config[platform]).toMatchObject({ target: expect.arrayContaining([target]) });
  });

  it.each(['assets/icons/icon.icns', 'assets/icons/icon.ico', 'assets/icons/512x512.png'])(
    'finds %s',
    (icon) => {
      expect(readFileSync(join(projectRoot, icon)).length).toBeGreaterThan(1000);
    },
  );

  it('publishes nothing and looks for no update', async () => {
    expect(await load()).toHaveProperty('publish', null);
  });
});
