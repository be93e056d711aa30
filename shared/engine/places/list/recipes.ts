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

function project(reason: string, ...at: readonly string[]): PlaceEntry {
  return { place: 'project', reason, at };
}
