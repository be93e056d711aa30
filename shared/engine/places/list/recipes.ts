import { foldedFolder, foldedSegments } from '../names.ts';
import type { PlaceEntry } from '../types.ts';

const recipe = 'names what later commands of the project run';
const code = 'holds code that later commands of the project run';
const instructions = 'tells agents what to do';

/**
 * Files of the project that decide what runs when its own commands do, or what an agent does next.
 * They are the project's code: a rule for edits of the project covers them, and prompts say so. A rule
 * for a program with any arguments (`cp`, `tee`, `curl`) was not made for them.
 */
export const recipePlaces: readonly PlaceEntry[] = [
  project(recipe, 'package.json', 'composer.json', 'deno.json*', 'cargo.toml', 'pyproject.toml'),
  project(recipe, 'setup.py', 'setup.cfg', 'tox.ini', 'noxfile.py', 'conftest.py', 'pytest.ini'),
  project(
    recipe,
    'makefile',
    'gnumakefile',
    'makefile.*',
    'justfile',
    '.justfile',
    'taskfile.y*ml',
  ),
  project(recipe, 'rakefile', 'gemfile', 'build.rs', 'go.mod', 'pom.xml', 'build.gradle*', 'mvnw*'),
  project(
    recipe,
    'settings.gradle*',
    'gradlew*',
    'build.xml',
    'build.sbt',
    'mix.exs',
    'rebar.config',
  ),
  project(recipe, 'cmakelists.txt', 'configure', 'configure.ac', 'meson.build', 'sconstruct'),
  project(recipe, 'wscript', 'build.bazel', 'workspace.bazel', 'module.bazel', 'build.ninja'),
  project(recipe, 'dockerfile*', 'containerfile*', 'compose.y*ml', 'docker-compose*.y*ml'),
  project(recipe, 'procfile*', 'vagrantfile', 'tiltfile', 'skaffold.y*ml', 'docker-bake.*'),
  project(recipe, 'flake.nix', 'shell.nix', 'default.nix', 'devbox.json', 'dodo.py', 'fabfile.py'),
  project(
    recipe,
    'gulpfile.*',
    'gruntfile.*',
    'karma.conf.*',
    'lerna.json',
    'nx.json',
    'turbo.json',
  ),
  project(recipe, 'pnpm-workspace.y*ml', 'tsconfig*.json', 'jsconfig.json', '.babelrc*', '.nycrc*'),
  project(
    recipe,
    '.eslintrc*',
    '.prettierrc*',
    '.mocharc*',
    '.stylelintrc*',
    '.swcrc',
    '.lintstagedrc*',
  ),
  project(recipe, '*.config.js', '*.config.cjs', '*.config.mjs', '*.config.ts', '*.config.mts'),
  project(
    recipe,
    '*.config.cts',
    '.rspec',
    '.rubocop.yml',
    'phpunit.xml*',
    'mkdocs.yml',
    'conf.py',
  ),
  // Builds, packages and services that have a file of their own for what they run.
  ...recipes(`guardfile capfile berksfile brewfile podfile fastfile appfile matchfile cartfile earthfile
    jenkinsfile steepfile thorfile cheffile puppetfile snapfile bakefile mintfile caddyfile pipfile buckfile
    cakefile jakefile sakefile slugfile steepfile dangerfile batchfile gymfile scanfile pluginfile nanofile
    jakefile.* cakefile.* dangerfile.* podfile.* magefile.* pavement.py wafile tupfile premake*.lua xmake.lua
    *.gradle *.gradle.kts gradle.properties gradle-wrapper.properties *.csproj *.fsproj *.vbproj *.vcxproj
    *.proj *.sln *.slnx *.props *.targets nuget.config global.json web.config *.cabal cabal.project* stack.yaml
    dune dune-project dune-workspace *.opam *.gemspec *.podspec *.nimble *.rockspec *.rake *.cmake *.mk *.mak
    *.am *.bzl *.bazel *.nix *.sbt *.pth *.neon *.tf *.tfvars *.hcl *.service *.timer *.desktop
    *.conf.js *.conf.ts *.conf.cjs *.conf.mjs *.setup.js *.setup.ts *.setup.mjs *.setup.cjs setuptests.*
    setup-tests.* setup-jest.* global-setup.* globalsetup.* *.workspace.ts *.workspace.js *.workspace.json
    package.swift project.clj deps.edn shadow-cljs.edn bb.edn build.boot build.zig* angular.json nest-cli.json
    elm.json dagger.json cdk.json rush.json serverless.* samconfig.toml wrangler.* netlify.toml vercel.json
    fly.toml firebase.json render.yaml railway.json railway.toml project.json helmfile.* chart.y*ml
    kustomization.y*ml werf.y*ml cloudbuild.* buildspec.* appveyor.y*ml action.y*ml codemagic.y*ml
    renovate.json* dependabot.y*ml ansible.cfg bower.json cypress.json jupyter_*.py ipython_*.py psalm.xml
    phpstan.* _config.yml book.toml hugo.toml manage.py artisan wp-config.php launch.json tasks.json devenv.*
    process-compose.* requirements*.txt constraints*.txt environment.y*ml pixi.toml go.work configure.in`),
  project(
    instructions,
    'conventions.md',
    'skill.md',
    'codex.md',
    'warp.md',
    'crush.md',
    'replit.md',
  ),
  project(code, 'node_modules', '.venv', 'venv', 'sitecustomize.py', 'usercustomize.py', 'vendor'),
  project(
    instructions,
    'claude.md',
    'claude.local.md',
    'agents.md',
    'agents.override.md',
    'gemini.md',
  ),
  project(
    instructions,
    'qwen.md',
    'copilot-instructions.md',
    '.github/instructions',
    '.github/prompts',
  ),
  project(instructions, '.cursorrules', '.cursor/rules', '.claude/rules', '.windsurfrules'),
  project(
    instructions,
    '.windsurf/rules',
    '.clinerules',
    '.roo/rules',
    '.kilocode/rules',
    '.goosehints',
  ),
  project(instructions, '.augment/rules', '.kiro/steering', '.continue/rules'),
];

const reasons: ReadonlySet<string> = new Set([recipe, code, instructions]);

/** Whether a file of the project is one of these, by what was said of it. */
export function isRecipe({ place, reason }: { place: string; reason: string }): boolean {
  return place === 'project' && reasons.has(reason);
}

/** Hidden names that hold what tools made for themselves, or texts in which no command can stand. */
const inert = new RegExp(
  `^\\.(?:${`\\w*ignore|git(?:keep|-blame-ignore-revs)|keep|mailmap|editorconfig|ds_store|well-known|cache|tmp|temp
  pytest_cache|mypy_cache|ruff_cache|hypothesis|coverage(?:\\..*)?|nyc_output|next|nuxt|output|svelte-kit|turbo|parcel-cache
  eslintcache|stylelintcache|tsbuildinfo|sass-cache|angular|dart_tool|ipynb_checkpoints|nojekyll|changes|changeset`
    .split(/\||\s+/)
    .join('|')})$`,
);

/**
 * Whether a path below a folder has a hidden name on its way of which it is not known that nothing
 * reads commands or settings there: tools invent such names every week.
 */
export function isHiddenSetting(path: string, folder: string): boolean {
  const [segments, above] = [foldedSegments(path), foldedFolder(folder)];
  if (above.some((name, at) => segments[at] !== name)) return false;
  // A working tree that stands inside of the project is a project of its own.
  const tree = segments.findLastIndex((name) => /^\.?worktrees$/.test(name));
  const own = segments.slice(Math.max(above.length, tree === -1 ? 0 : tree + 2));
  const hidden = own.find((name) => name.startsWith('.') && name.length > 1);
  return hidden !== undefined && !inert.test(hidden);
}

/** Words that complete "…, which …". */
export const hiddenReason = 'has a hidden name, from which programs take their settings';

function recipes(names: string): readonly PlaceEntry[] {
  return [project(recipe, ...names.split(/\s+/))];
}

function project(reason: string, ...at: readonly string[]): PlaceEntry {
  return { place: 'project', reason, at };
}
