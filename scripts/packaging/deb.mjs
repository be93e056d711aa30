// @ts-check
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../lib/root.mjs';
import { layTree, manifest, sourceDate } from './tree.mjs';

/**
 * Makes `interlock_VERSION_ARCH.deb`: runner, command line, console and terminal for the Node of the
 * distribution, without the menu-bar app. What was built is packed; nothing is compiled.
 */

/** What only the menu-bar app has a use for. */
const onlyApp = [
  'README.md',
  'assets/bin',
  'assets/icons',
  'assets/linux',
  'assets/lockout',
  'assets/tray',
  'assets/update',
  'dist/app/electron',
];
const natives = ['interlock-launcher', 'interlock-client'];
const maintainer = 'The Interlock team <maintainers@interlock.invalid>';
const place = mkdtempSync(join(tmpdir(), 'interlock-deb-'));
const tree = join(place, 'tree');
const product = join(tree, 'usr/lib/interlock');
const output = resolve(process.argv[2] ?? join(root, 'release'));
const { version } = manifest();
const debVersion = `${version}-1`;
const date = sourceDate();
const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();

try {
  for (const file of ['runner/cli/main.js', ...natives.map((name) => `native/${name}`)])
    if (!existsSync(join(root, 'dist', file)))
      throw new Error(`dist/${file} is missing: run "npm run build" first, with a C compiler.`);
  layTree(product);
  for (const path of onlyApp) rmSync(join(product, path), { recursive: true, force: true });
  execFileSync(
    'strip',
    natives.map((name) => join(product, 'dist/native', name)),
  );
  layCommand();
  layUnits();
  layShells();
  layDocuments();
  layControl();
  settle(tree);
  mkdirSync(output, { recursive: true });
  const file = join(output, `interlock_${debVersion}_${architecture}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', tree, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(date) },
  });
  console.log(file);
} finally {
  rmSync(place, { recursive: true, force: true });
}

function layCommand() {
  const main = join(product, 'dist/runner/cli/main.js');
  for (const script of scriptsBelow(product)) {
    const text = readFileSync(script, 'latin1');
    // The Node of the distribution, whatever a person has in their PATH.
    writeFileSync(script, text.replace(/^#!\/usr\/bin\/env node/u, '#!/usr/bin/node'), 'latin1');
  }
  chmodSync(main, 0o755);
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  symlinkSync('../lib/interlock/dist/runner/cli/main.js', join(tree, 'usr/bin/interlock'));
}

/** @param {string} folder @returns {string[]} */
function scriptsBelow(folder) {
  return filesBelow(folder).filter((path) => /\.(?:c|m)?js$/u.test(path));
}

/** For `systemctl --user enable`; `interlock service install` writes one with the paths of a home. */
function layUnits() {
  const folder = join(tree, 'usr/lib/systemd/user');
  mkdirSync(folder, { recursive: true });
  const unit = readFileSync(join(root, 'assets/service/interlock-runner.service'), 'utf8');
  writeFileSync(
    join(folder, 'interlock-runner.service'),
    unit.replace('/usr/bin/env interlock', '/usr/bin/interlock'),
  );
}

function layShells() {
  /** @param {string} path @param {string} what */
  const write = (path, what) => {
    mkdirSync(join(tree, path, '..'), { recursive: true });
    const script = join(product, 'dist/runner/cli/main.js');
    const args = [script, 'completion', what];
    const made = execFileSync(process.execPath, args, { encoding: 'utf8' });
    writeFileSync(join(tree, path), what === 'man' ? gzip(made) : made);
  };
  write('usr/share/bash-completion/completions/interlock', 'bash');
  write('usr/share/zsh/vendor-completions/_interlock', 'zsh');
  write('usr/share/fish/vendor_completions.d/interlock.fish', 'fish');
  write('usr/share/man/man1/interlock.1.gz', 'man');
  rmSync(join(product, 'man'), { recursive: true });
}

function layDocuments() {
  const folder = join(tree, 'usr/share/doc/interlock');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'changelog.gz'), gzip(readFileSync(join(root, 'CHANGELOG.md'))));
  const day = new Date(date * 1_000).toUTCString().replace('GMT', '+0000');
  const entry = `interlock (${debVersion}) unstable; urgency=medium\n\n  * Version ${version}; changelog.gz says what is new.\n\n -- ${maintainer}  ${day}\n`;
  writeFileSync(join(folder, 'changelog.Debian.gz'), gzip(entry));
  rmSync(join(product, 'CHANGELOG.md'));
  const licence = readFileSync(join(root, 'LICENSE'), 'utf8').trim();
  const indented = licence
    .split('\n')
    .slice(2)
    .map((line) => (line === '' ? ' .' : ` ${line}`));
  const head = [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: Interlock',
    `Upstream-Contact: ${maintainer}`,
    'Source: https://github.com/interlock-gate/interlock',
    'Comment: The licences of the packages that are part of the programs are in',
    ' /usr/lib/interlock/dist/chunks/licenses.txt, those of node_modules in their folders.',
    '',
    'Files: *',
    `Copyright: ${
      licence
        .split('\n')
        .find((line) => line.startsWith('Copyright'))
        ?.replace(/^Copyright (?:\(c\) )?/u, '') ?? ''
    }`,
    'License: Expat',
    ...indented,
    '',
  ];
  writeFileSync(join(folder, 'copyright'), head.join('\n'));
  rmSync(join(product, 'LICENSE'), { force: true });
  const overrides = join(tree, 'usr/share/lintian/overrides');
  mkdirSync(overrides, { recursive: true });
  cpSync(join(root, 'scripts/packaging/debian/lintian-overrides'), join(overrides, 'interlock'));
  mkdirSync(join(folder, 'examples'));
  cpSync(join(root, 'assets/lockout'), join(folder, 'examples/lockout'), { recursive: true });
}

function layControl() {
  const folder = join(tree, 'DEBIAN');
  mkdirSync(folder);
  const size = filesBelow(tree).reduce((sum, path) => sum + lstatSync(path).size, 0);
  const control = [
    'Package: interlock',
    `Version: ${debVersion}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${Math.ceil(size / 1_024)}`,
    'Depends: nodejs (>= 20.19), libc6 (>= 2.31)',
    'Recommends: bubblewrap',
    'Section: admin',
    'Priority: optional',
    'Homepage: https://github.com/interlock-gate/interlock',
    'Description: gate between AI agents and the shell',
    ' Every command that an agent wants to run passes a policy; where that does',
    ' not decide, a person is asked, in a browser or a terminal. What ran is',
    ' recorded, and one command stops everything. With a sandbox by the kernel',
    ' where it has one.',
    ' .',
    ' This package has the runner, the command line, the console for browsers',
    ' and the one for terminals. Each user sets it up: interlock init.',
    '',
  ];
  writeFileSync(join(folder, 'control'), control.join('\n'));
  for (const name of ['postinst', 'postrm', 'prerm']) {
    cpSync(join(root, 'scripts/packaging/debian', name), join(folder, name));
    chmodSync(join(folder, name), 0o755);
  }
  const sums = filesBelow(tree)
    .filter((path) => !path.startsWith(`${folder}/`) && lstatSync(path).isFile())
    .map((path) => {
      const sum = createHash('md5').update(readFileSync(path)).digest('hex');
      return `${sum}  ${relative(tree, path)}\n`;
    });
  writeFileSync(join(folder, 'md5sums'), sums.join(''));
}

/**
 * Modes and times that do not depend on who builds.
 *
 * @param {string} folder
 */
function settle(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) continue;
    if (stats.isDirectory()) settle(path);
    const runs = stats.isDirectory() || ((stats.mode & 0o111) !== 0 && isProgram(path));
    chmodSync(path, runs ? 0o755 : 0o644);
    utimesSync(path, date, date);
  }
  chmodSync(folder, 0o755);
}

/** @param {string} path */
function isProgram(path) {
  const start = readFileSync(path).subarray(0, 4).toString('latin1');
  return start.startsWith('#!') || start === '\x7fELF';
}

/** @param {string} folder @returns {string[]} */
function filesBelow(folder) {
  return readdirSync(folder)
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      return lstatSync(path).isDirectory() ? filesBelow(path) : [path];
    });
}

/** As `gzip -9n`: without name and time. @param {string | Uint8Array} text */
function gzip(text) {
  return gzipSync(text, { level: 9 });
}
