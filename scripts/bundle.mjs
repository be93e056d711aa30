// @ts-check
import * as childProcess from 'node:child_process';
import * as crypto from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { asciiOf } from './lib/ascii.mjs';
import { root } from './lib/root.mjs';
import { builtinsAtFirstUse, checksAhead, recordsAtFirstUse } from './packaging/at-first-use.mjs';
import { everySchema } from './packaging/every-schema.mjs';

/**
 * Bundles every program that is started by its path, from the sources (decision 17). Types are
 * checked elsewhere. What package.json calls a dependency is loaded from node_modules when the
 * product runs; every other package becomes a part of the bundles.
 */

/** @typedef {Readonly<Record<string, string>>} Entries path of the output, below dist and without its ending, to the source */

/** @type {Entries} */
const product = {
  // The whole command line; what `runner/cli/main` starts for all but `run`, version and help.
  'chunks/cli': 'runner/cli/program.ts',
  // What is known of programs, see below.
  'chunks/records': 'shared/engine/programs/records/all.ts',
  'runner/main': 'runner/main.ts',
  // A thread of the runner.
  'runner/undo/worker': 'runner/undo/worker.ts',
  'app/console/main': 'app/console/main.ts',
  'app/terminal/main': 'app/terminal/main.ts',
  'app/electron/main': 'app/electron/main.ts',
};

/**
 * tsyringe looks for its polyfill as it is read. Where several programs share the chunk that it is in,
 * an import by whoever uses it comes too late, so it brings the polyfill along itself.
 *
 * @type {import('vite').Plugin}
 */
const polyfillFirst = {
  name: 'polyfill-first',
  transform(code, id) {
    if (!id.endsWith('/tsyringe/dist/esm5/index.js')) return null;
    return { code: `import 'reflect-metadata';\n${code}`, map: null };
  },
};

/** What only tests, the benchmarks and the demonstration start. @type {Entries} */
const development = {
  'demo/main': 'demo/main.ts',
  'test/bench/main': 'test/bench/main.ts',
  'test/bench/egress-part': 'test/bench/egress-part.ts',
  'test/vm/main': 'test/vm/main.ts',
  'test/packaging/checks': 'scripts/packaging/checks.mjs',
  'test/packaging/schemas': 'scripts/packaging/schemas.mjs',
  'test/fixtures/audit/writer': 'test/fixtures/audit/writer.mjs',
  'test/fixtures/home/keychain': 'test/fixtures/home/keychain.mjs',
  'test/fixtures/runner/approver': 'test/fixtures/runner/approver.mjs',
  'test/fixtures/runner/dying-runner': 'test/fixtures/runner/dying-runner.mjs',
  'test/fixtures/runner/self-approve': 'test/fixtures/runner/self-approve.mjs',
  'test/fixtures/runner/ui-host': 'test/fixtures/runner/ui-host.mjs',
};

const { dependencies, optionalDependencies, version } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const external = [
  ...builtinModules,
  // The others are left to a plugin where there is one, see below.
  /^node:(?!(?:crypto|child_process|net|timers\/promises)$)/,
  'electron',
  ...Object.keys({ ...dependencies, ...optionalDependencies }).map(
    (name) => new RegExp(`^${name}(?:/|$)`),
  ),
];

const records = 'chunks/records';

/**
 * Puts in front of each program what loads the rest of it with the code that V8 made of it (decision 95).
 *
 * @type {import('vite').Plugin}
 */
const codeAhead = {
  name: 'code-ahead',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk' || !file.isEntry || file.name === records) continue;
      const loader = posix.relative(posix.dirname(file.fileName), 'chunks/ahead.cjs');
      const path = loader.startsWith('.') ? loader : `./${loader}`;
      const codes = file.fileName.startsWith('runner/') ? ['runner'] : ['programs', 'runner'];
      const names = codes.map((name) => `"${name}.code"`).join(', ');
      file.code = `require("${path}").loadWithCode([${names}]);\n${file.code}`;
    }
  },
};

/** @type {import('vite').Plugin} */
const asAscii = {
  name: 'as-ascii',
  generateBundle(_, files) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk') continue;
      const raw = /String\.raw`[^`]*[^\0-\x7f]/u.exec(file.code);
      if (raw !== null) throw new Error(`${file.fileName} would say something else: ${raw[0]}`);
      file.code = asciiOf(file.code);
    }
  },
};

/** What Node 18 lacks of what is used. */
const forNode18 =
  "Array.prototype.toSorted ?? Object.defineProperty(Array.prototype, 'toSorted', { value(compare) { return [...this].sort(compare); } });";

for (const folder of ['app', 'chunks', 'demo', 'rpc', 'runner', 'shared', 'test'])
  rmSync(join(root, 'dist', folder), { recursive: true, force: true });

await Promise.all([
  bundle(product, {
    plugins: [checksAhead, recordsAtFirstUse, codeAhead],
    output: {
      format: 'cjs',
      // Code that was made ahead knows no way back to a loader of ES modules.
      dynamicImportInCjs: false,
      entryFileNames: nameOfEntry,
      chunkFileNames: 'chunks/[name].cjs',
      // A running program keeps its text: a sixth of it would be for who reads the sources.
      comments: { jsdoc: false },
    },
    license: 'chunks/licenses.txt',
  }),
  bundle(
    { 'chunks/ahead': 'shared/home/code-ahead.ts' },
    { output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false } },
  ),
  bundle(
    { 'chunks/ajv': 'node_modules/ajv/dist/2020.js' },
    { output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false } },
  ),
  bundle(
    { 'test/packaging/every-schema': 'every-schema' },
    {
      packages: 'external',
      plugins: [everySchema],
      output: { entryFileNames: '[name].js', codeSplitting: false },
    },
  ),
  bundle(development, {
    // It runs in a checkout, where all of them are.
    packages: 'external',
    output: { entryFileNames: '[name].js', chunkFileNames: 'test/chunks/[name].js' },
  }),
  // CommonJS in one file each: Node finds and loads that fastest, and agents wait for these two.
  bundle(
    { 'runner/cli/light': 'runner/cli/light-main.ts' },
    {
      output: { format: 'cjs', entryFileNames: '[name].js', codeSplitting: false },
      plugins: [builtinsAtFirstUse],
    },
  ),
  bundle(
    { 'runner/hook/main': 'runner/hook/main.ts' },
    {
      output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      plugins: [builtinsAtFirstUse],
    },
  ),
  // In a sandbox there is no node_modules, and the Node that happens to be there.
  bundle(
    { 'rpc/interlock': 'runner/rpc/main.ts' },
    {
      output: {
        format: 'cjs',
        entryFileNames: '[name].cjs',
        codeSplitting: false,
        banner: `#!/usr/bin/env node\n${forNode18}`,
      },
      define: { clientVersion: JSON.stringify(version) },
      target: 'node18',
    },
  ),
  bundle(
    { 'app/electron/preload': 'app/electron/preload.cts' },
    { output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false } },
  ),
]);

const { checksOf } = await import(pathToFileURL(join(root, 'dist/test/packaging/checks.js')).href);
const { schemas } = await import(
  pathToFileURL(join(root, 'dist/test/packaging/every-schema.js')).href
);
const checks = join(root, 'dist/chunks/checks');
mkdirSync(checks);
for (const [digest, text] of checksOf(schemas)) writeFileSync(join(checks, `${digest}.cjs`), text);

const { writeSchemas } = await import(
  pathToFileURL(join(root, 'dist/test/packaging/schemas.js')).href
);
writeSchemas(join(root, 'dist/schemas'), join(root, 'docs'));

// The package is one of ES modules; these folders are not.
for (const folder of ['runner', 'app/console', 'app/electron', 'app/terminal'])
  writeFileSync(join(root, 'dist', folder, 'package.json'), '{ "type": "commonjs" }\n');
const commandLine = join(root, 'dist/runner/cli');
chmodSync(join(root, 'dist/rpc/interlock.cjs'), 0o755);
const lightDigest = digestOf(join(commandLine, 'light.js'));
await bundle(
  { 'runner/cli/main': 'runner/cli/start.ts' },
  {
    output: { format: 'cjs', entryFileNames: '[name].js', codeSplitting: false },
    define: { lightDigest: JSON.stringify(lightDigest) },
  },
);
compileAhead('code-cache.mjs', [
  join(commandLine, 'light.js'),
  join(commandLine, `light-${lightDigest}.code`),
]);
// In this order: the programs are played with a runner beside them.
for (const play of ['runner', 'programs']) compileAhead('code-of-programs.mjs', [play]);

/** @param {{ readonly name: string }} entry */
function nameOfEntry({ name }) {
  return name.startsWith('chunks/') ? '[name].cjs' : '[name].js';
}

/**
 * Of a text: V8 tells by its length alone whether code was made from it.
 *
 * @param {string} file
 */
function digestOf(file) {
  return crypto.createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16);
}

/**
 * Keeps the code that V8 makes of bundles, of the functions too that a run goes through. Where this
 * fails there is none, and each start compiles the text.
 *
 * @param {string} script below scripts/lib
 * @param {readonly string[]} args
 */
function compileAhead(script, args) {
  // The seed makes two builds the same; without one V8 lays its tables out by chance.
  childProcess.spawnSync(
    process.execPath,
    ['--random-seed=42', join(root, 'scripts/lib', script), ...args],
    {
      stdio: 'ignore',
      // No variable of who builds: what is compiled depends on the way that the run takes.
      env: { PATH: process.env.PATH, INTERLOCK_HOME: join(root, 'dist', 'no-such-home') },
      timeout: 30_000,
    },
  );
}

/**
 * @typedef {object} BundleOptions
 * @property {import('vite').Rolldown.OutputOptions} output
 * @property {import('vite').Plugin[]} [plugins]
 * @property {'external'} [packages] nothing of node_modules becomes a part of it
 * @property {Record<string, string>} [define] names that stand for values of the build
 * @property {string} [target] the oldest Node that starts it
 * @property {string} [license] the file with the licences of what did
 */

/**
 * @param {Entries} entries
 * @param {BundleOptions} options
 */
async function bundle(entries, options) {
  const { output, plugins = [], packages, define = {}, license, target = 'node20' } = options;
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    plugins: [...plugins, polyfillFirst, asAscii],
    define,
    build: {
      outDir: join(root, 'dist'),
      emptyOutDir: false,
      target,
      ssr: true,
      minify: false,
      reportCompressedSize: false,
      license: license === undefined ? false : { fileName: license },
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(entries).map(([name, source]) => [name, join(root, source)]),
        ),
        external: [
          ...external,
          ...(packages === 'external' ? [/^[@a-z]/] : []),
          ...(plugins.includes(builtinsAtFirstUse) ? [] : [/^node:/]),
        ],
        output,
      },
    },
    ssr: { noExternal: true, target: 'node' },
  });
}
