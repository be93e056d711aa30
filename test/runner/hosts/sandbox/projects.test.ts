import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../support.ts';
import { box, command, whyNot } from './support.ts';

/** Projects as agents work on them, begun unasked, with the programs that this machine has. */
const has = (program: string, ...words: readonly string[]): boolean =>
  spawnSync(program, words, { stdio: 'ignore' }).status === 0;

/** These take many seconds of the machine. */
const isLong = process.env['INTERLOCK_LONG'] === '1';

/** Where the headers for native modules are; null where a build would fetch them. */
const headers = ['/usr', '/usr/local', join(process.execPath, '../..')].find((folder) =>
  existsSync(join(folder, 'include/node/node_api.h')),
);

function project(files: Readonly<Record<string, string>>) {
  const { workspace, host } = box();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(workspace, path, '..'), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  const does = async (text: string) => {
    const task = { ...command(text, workspace), unasked: true as const, session: 'one' };
    const running = run(host, task, { timeoutMs: 120_000, killAfterMs: 500 });
    return { ...(await running.ended), ...running.output() };
  };
  return { workspace, does };
}

const native = {
  'package.json': '{"name":"fast","version":"1.0.0","main":"index.js","gypfile":true}',
  'binding.gyp': '{"targets":[{"target_name":"fast","sources":["fast.c"]}]}',
  'index.js': 'module.exports = require("./build/Release/fast.node");',
  'fast.c': `#include <node_api.h>
static napi_value sum(napi_env env, napi_callback_info info) {
  size_t count = 2; napi_value words[2], result; double a, b;
  napi_get_cb_info(env, info, &count, words, NULL, NULL);
  napi_get_value_double(env, words[0], &a); napi_get_value_double(env, words[1], &b);
  napi_create_double(env, a + b, &result); return result;
}
NAPI_MODULE_INIT() {
  napi_value made; napi_create_function(env, "sum", NAPI_AUTO_LENGTH, sum, NULL, &made);
  napi_set_named_property(env, exports, "sum", made); return exports;
}
`,
};

describe.skipIf(whyNot !== null)('a project in the sandbox', () => {
  test.skipIf(headers === undefined || !has('make', '--version') || !has('cc', '--version'))(
    'is installed by npm ci from what stands beside it, a native module is built, and its tests pass',
    async () => {
      const { workspace, does } = project({
        'package.json': JSON.stringify({
          name: 'app',
          version: '1.0.0',
          scripts: { test: 'node --test' },
          dependencies: { fast: 'file:vendor/fast-1.0.0.tgz' },
        }),
        'sum.test.js': `const { test } = require('node:test');
          test('adds', () => require('node:assert').strictEqual(require('fast').sum(2, 3), 5));`,
        ...Object.fromEntries(
          Object.entries(native).map(([path, text]) => [`vendor/package/${path}`, text]),
        ),
      });
      const vendor = join(workspace, 'vendor');
      execFileSync('tar', ['-czf', 'fast-1.0.0.tgz', 'package'], { cwd: vendor });
      const npm = `export npm_config_nodedir=${headers ?? ''} npm_config_offline=true;`;
      const locked = await does(`${npm} npm install --package-lock-only --ignore-scripts`);
      expect(locked).toMatchObject({ exitCode: 0 });
      const installed = await does(`${npm} npm ci`);
      expect(installed).toMatchObject({ exitCode: 0 });
      expect(existsSync(join(workspace, 'node_modules/fast/build/Release/fast.node'))).toBe(true);
      const tested = await does('npm test');
      expect(tested).toMatchObject({ exitCode: 0 });
      expect(tested.stdout).toMatch(/pass 1/);
    },
    180_000,
  );

  test.skipIf(!isLong || !has('/usr/bin/python3', '-c', 'import venv, ensurepip'))(
    'has an environment of Python of its own, into which pip installs a package of the project',
    async () => {
      const { does } = project({
        'lib/setup.py':
          'from setuptools import setup; setup(name="lib", version="1", py_modules=["lib"])',
        'lib/lib.py': 'def double(x): return 2 * x',
        'check.py':
          'import unittest, lib\nclass T(unittest.TestCase):\n  def test(self): self.assertEqual(lib.double(2), 4)\n',
      });
      const pip = '.venv/bin/pip install --no-index --no-build-isolation ./lib';
      const made = await does(`/usr/bin/python3 -m venv .venv && ${pip}`);
      expect(made).toMatchObject({ exitCode: 0 });
      const tested = await does('.venv/bin/python -m unittest check');
      expect(tested).toMatchObject({ exitCode: 0 });
    },
    120_000,
  );

  test.skipIf(!has('uv', '--version'))('is run by uv', async () => {
    const { does } = project({ 'one.py': 'print("by uv")' });
    const ran = await does('uv run --offline --no-project --python /usr/bin/python3 one.py');
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'by uv\n' });
  });

  test.skipIf(!has('cargo', '--version'))(
    'is built and tested by cargo',
    async () => {
      const { workspace, does } = project({
        'Cargo.toml': '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
        'src/main.rs':
          'fn main() { println!("built"); }\n#[test]\nfn adds() { assert_eq!(2 + 2, 4); }\n',
      });
      const tested = await does('cargo test --offline');
      expect(tested).toMatchObject({ exitCode: 0 });
      expect(tested.stdout).toContain('1 passed');
      expect(await does('cargo run --offline -q')).toMatchObject({ stdout: 'built\n' });
      expect(readFileSync(join(workspace, 'Cargo.lock'), 'utf8')).toContain('name = "app"');
    },
    180_000,
  );

  test.skipIf(!isLong || !has('go', 'version'))(
    'is built and tested by go',
    async () => {
      const { does } = project({
        'go.mod': 'module app\n\ngo 1.19\n',
        'main.go':
          'package main\nimport "fmt"\nfunc Two() int { return 2 }\nfunc main() { fmt.Println("built", Two()) }\n',
        'main_test.go':
          'package main\nimport "testing"\nfunc TestTwo(t *testing.T) { if Two() != 2 { t.Fatal() } }\n',
      });
      expect(await does('go test ./... && go run .')).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/ok[^]*built 2/) as string,
      });
    },
    180_000,
  );
});
