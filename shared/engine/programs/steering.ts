import { joinPath, parentOf } from '../plan/paths.ts';
import type { FileView } from '../plan/types.ts';
import { offerOf } from './forms.ts';
import { open, pinnedHere, type Finding } from './finding.ts';
import { recordOf } from './list.ts';
import { readText } from './repository/find.ts';
import type { Argument, Reading } from './types.ts';

/** A file by which a program starts code, whatever its words say. */
interface Steering {
  /** Relative to the folder, or to one above it. */
  readonly name: string;
  /** A text of this form starts something. Absent: any does. */
  readonly when?: RegExp;
}

const there = (names: string): readonly Steering[] => names.split(' ').map((name) => ({ name }));
const where = (names: string, when: RegExp): readonly Steering[] =>
  names.split(' ').map((name) => ({ name, when }));
/** A program that hands over to the package of this name which the project has. */
const own = (name: string): readonly Steering[] => there(`node_modules/${name}/package.json`);

/** Escapes could spell a key otherwise. */
const toolchain = where('rust-toolchain.toml rust-toolchain', /path|\\/);

/**
 * By program; each was tried with the real one, or stands in its source. Not here: Git, whose
 * settings are read one by one, and what only runs the code of a project (a test, a build).
 */
const steering: Readonly<Record<string, readonly Steering[]>> = {
  pnpm: [
    ...there('.pnpmfile.cjs .pnpmfile.mjs .pnpmfile.js pnpmfile.js'),
    ...where('.npmrc', /pnpmfile|\\|^[^=\n]*\$\{/im),
    ...where('pnpm-workspace.yaml', /pnpmfile|configDependencies|\\/i),
  ],
  yarn: [...where('.yarnrc', /path|["']?--|\\/im), ...where('.yarnrc.yml', /yarnPath|plugins|\\/)],
  cargo: toolchain,
  rustc: toolchain,
  rustdoc: toolchain,
  rustfmt: toolchain,
  // Whatever is not a plain size or switch: agents, logs, commands at an error.
  mvn: where('.mvn/jvm.config', /(?:^|\s)(?!-Xm[snx]\w+(?:\s|$)|-Xss\w+(?:\s|$)|-ea(?:\s|$))\S/),
  sbt: there('.sbtopts .jvmopts'),
  bazel: [...there('tools/bazel .bazeliskrc .bazelrc'), ...where('.bazelversion', /\//)],
  dotnet: where('global.json', /"paths"|\\/),
  pytest: [
    ...there('conftest.py test/conftest.py tests/conftest.py'),
    ...where(
      'pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini setup.cfg pyproject.toml',
      /addopts|testpaths|\\/,
    ),
  ],
  flake8: where('.flake8 setup.cfg tox.ini', /local-plugins/),
  tox: [...there('toxfile.py'), ...where('tox.ini tox.toml pyproject.toml setup.cfg', /requires/)],
  poetry: there('.poetry'),
  pdm: there('.pdm-plugins'),
  bundle: where('.bundle/config', /path|gemfile/i),
  rails: there('bin/rails script/rails'),
  rspec: there('.rspec .rspec-local'),
  jekyll: there('Gemfile'),
  rebar3: [...there('rebar.config.script'), ...where('rebar.config', /plugins/)],
  prisma: there('prisma.config.ts prisma.config.js prisma.config.mjs prisma.config.cjs .config'),
  hg: where('.hg/hgrc', /\[(?!paths\])|%/),
  jj: there('.jj/repo/config.toml'),
  ng: own('@angular/cli'),
  webpack: own('webpack-cli'),
  jest: own('jest'),
  nx: own('nx'),
  turbo: own('turbo'),
  lerna: own('lerna'),
  gatsby: own('gatsby'),
  knex: own('knex'),
};

/** Names by which the same programs go, too. */
const also: Readonly<Record<string, string>> = {
  yarnpkg: 'yarn',
  'yarn.js': 'yarn',
  'pnpm.cjs': 'pnpm',
  'py.test': 'pytest',
  bazelisk: 'bazel',
  bundler: 'bundle',
};

const tells = /^(?:-v|-V|-h|-version|-help|--version|--help|version|help)$/;

/**
 * Pinned where a program that is asked to show something would first start what lies in its folder:
 * who allows `yarn list` or `cargo --version` does not mean that. What runs the code of the project
 * in any case is not pinned for it. The person's own settings, in the home folder, are trusted.
 */
export function judgeSteering(
  name: string,
  args: readonly Argument[],
  reading: Reading | null,
  { cwd, home, files }: { cwd: string | null; home: string; files: FileView },
): Finding {
  const called = also[name] ?? name;
  const looked = Object.hasOwn(steering, called) ? steering[called] : undefined;
  if (looked === undefined) return open;
  const runsProject = recordOf(name)?.project !== undefined;
  const isTold = args.some(({ text, live }) => live === null && tells.test(text));
  if (runsProject && !isTold && reading !== null && offerOf(reading) !== 'reads') return open;
  if (cwd === null) return pinnedHere(`${name} goes by files of a folder that is not known`);
  for (let folder = cwd; ; folder = parentOf(folder)) {
    if (folder !== home)
      for (const one of looked)
        if (starts(joinPath(folder, one.name), one, files))
          return pinnedHere(`${name} starts what ${one.name} says, which lies in the project`);
    if (folder === '/') return open;
  }
}

function starts(path: string, { when }: Steering, files: FileView): boolean {
  if (files.facts(path) === null) return false;
  if (when === undefined) return true;
  const text = readText(files, path);
  return text === null || when.test(text);
}
