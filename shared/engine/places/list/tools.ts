import type { PlaceEntry } from '../types.ts';

const hook = 'runs at the next Git command';
const git = 'can name programs that Git runs';
const editor = 'can run commands when an editor opens the folder';
const environment = 'decides what runs, and with which variables, in this folder';
const names = 'can name programs that other programs start';
const ci = 'runs on the build machines, with their keys';
const repository = 'is kept by the version control itself';

/** What Git writes at every step and starts nothing from. */
const kept =
  `objects refs logs index packed-refs *_head head *_msg *_editmsg description shallow rr-cache
  lfs *.lock`.split(/\s+/);

/** What steers Git, editors, environment tools, package managers and CI. */
export const toolPlaces: readonly PlaceEntry[] = [
  // Git. `git~1` is the short name of `.git` on volumes that have such names.
  steers(hook, '.git/hooks', '.githooks', '.husky', '.git-hooks'),
  { ...steers(git, '.git'), below: kept },
  steers(git, 'git~1', '.gitmodules', '.gitattributes', '.gitconfig', '.config/git', '.gitalias'),
  steers(git, '.git/config', '.git/config.worktree', '.git/info', '.git/modules', '.git/worktrees'),
  steers(
    git,
    '.git/objects/info/alternates',
    '.git/objects/info/http-alternates',
    '.git/commondir',
  ),
  { place: 'metadata', reason: repository, at: kept.map((name) => `.git/${name}`) },
  steers(
    git,
    '.hg',
    '.hgrc',
    '.svn',
    '.jj',
    '.bzr',
    '.config/jj',
    '.config/hg',
    '.sl',
    '.subversion',
  ),
  steers(hook, '.pre-commit-config.yaml', '.pre-commit-config.yml', '.pre-commit-hooks.yaml'),
  steers(hook, 'lefthook*.yml', 'lefthook*.yaml', 'lefthook*.toml', 'lefthook*.json', '.lefthook*'),
  steers(hook, '.lintstagedrc*', 'lint-staged.config.*', '.overcommit.yml', '.huskyrc*'),
  steers(hook, '.simple-git-hooks.*', 'simple-git-hooks.*', 'prek.toml'),
  // Editors. `.editorconfig` is not here: it sets widths.
  steers(editor, '.vscode', '.vscode-server', '.vscode-insiders', '.idea', '.fleet', '.nova'),
  steers(editor, '.devcontainer', '.devcontainer.json', '*.code-workspace', '*.sublime-project'),
  steers(
    editor,
    '.exrc',
    '.nvimrc',
    '.nvim.lua',
    '.vimrc',
    '.gvimrc',
    '.lvimrc',
    '.vim',
    '.vim.lua',
  ),
  steers(
    editor,
    '.dir-locals.el',
    '.dir-locals-2.el',
    '.emacs',
    '.emacs.d',
    '.spacemacs',
    '.doom.d',
  ),
  steers(editor, '.config/nvim', '.config/vim', '.config/emacs', '.config/doom', '.config/helix'),
  steers(
    editor,
    '.config/code',
    '.config/cursor',
    '.config/vscodium',
    '.helix',
    '.kakrc',
    '.nanorc',
  ),
  steers(editor, '~/library/application support/code', '~/library/application support/cursor'),
  steers(editor, '.ideavimrc', '.config/jetbrains', '~/library/application support/jetbrains'),
  steers(names, '.gdbinit', '.lldbinit', '.config/gdb'),
  // Environment tools.
  steers(
    environment,
    '.envrc',
    '.rvmrc',
    '.direnvrc',
    'direnvrc',
    '.config/direnv',
    '.shadowenv.d',
    '.autoenv*',
  ),
  steers(
    environment,
    'mise.toml',
    'mise.*.toml',
    '.mise.toml',
    '.mise.*.toml',
    '.mise',
    'mise/config*',
  ),
  steers(environment, '.config/mise', '.rtx.toml', '.tool-versions', '.asdfrc', '.flox'),
  steers(
    environment,
    '.nvmrc',
    '.node-version',
    '.python-version',
    '.ruby-version',
    '.java-version',
  ),
  steers(environment, '.go-version', '.terraform-version', '.sdkmanrc', 'rust-toolchain*'),
  // Package managers, compilers and interpreters.
  steers(names, '.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', '.pnpmfile.mjs', '.pnp.js'),
  steers(names, '.pnp.cjs', '.pnp.loader.mjs', 'bunfig.toml', '.bunfig.toml', '.yarn/releases'),
  steers(
    names,
    '.yarn/plugins',
    '.cargo/config',
    '.cargo/config.toml',
    '.mvn',
    '.mavenrc',
    '.sbtopts',
  ),
  steers(
    names,
    '.gemrc',
    '.bundle/config',
    '.bundle/plugin',
    'pip.conf',
    'pip.ini',
    '.pip',
    '.condarc',
  ),
  steers(
    names,
    '.bazelrc',
    '.gradle/init*',
    'gradle/wrapper/gradle-wrapper.*',
    '.gradle/gradle.properties',
    '.m2/settings*',
    '.jvmopts',
  ),
  steers(
    names,
    '.terraformrc',
    '.terraform.d',
    '.psqlrc',
    '.sqliterc',
    '.curlrc',
    '.wgetrc',
    '_curlrc',
  ),
  steers(
    names,
    '.irbrc',
    '.pryrc',
    '.rspec',
    '.rprofile',
    '.renviron',
    '.ghci',
    '.pythonrc',
    '.pdbrc',
  ),
  steers(
    names,
    '.pystartup',
    '.perldb',
    '.perltidyrc',
    '.octaverc',
    '.juliarc',
    '.ipython',
    '.julia',
  ),
  steers(names, 'sitecustomize.py', 'usercustomize.py', '.lesskey', '.lessfilter', '.ripgreprc'),
  steers(names, '*.pth'),
  // CI.
  steers(
    ci,
    '.github/workflows',
    '.github/actions',
    '.gitlab-ci.yml',
    '.gitlab-ci.yaml',
    '.gitlab/ci',
  ),
  steers(ci, '.gitlab-ci', '.circleci', '.travis.yml', 'jenkinsfile', 'jenkinsfile.*', '.jenkins'),
  steers(ci, 'azure-pipelines*.yml', 'azure-pipelines*.yaml', '.azure-pipelines', '.azuredevops'),
  steers(ci, '.buildkite', '.drone.yml', '.drone.star', '.woodpecker*', 'bitbucket-pipelines.yml'),
  steers(
    ci,
    'appveyor.yml',
    '.appveyor.yml',
    '.cirrus.yml',
    '.cirrus.star',
    '.semaphore',
    '.teamcity',
  ),
  steers(
    ci,
    'cloudbuild.yaml',
    'cloudbuild.yml',
    '.forgejo/workflows',
    '.gitea/workflows',
    '.tekton',
  ),
  steers(ci, '.builds', '.build.yml', '.forgejo/actions', '.gitea/actions', '.ci', 'codefresh.yml'),
];

function steers(reason: string, ...at: readonly string[]): PlaceEntry {
  return { place: 'steers', reason, at };
}
