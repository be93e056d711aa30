/** A place from which something runs later, and when. */
interface LaterPlace {
  /** Held against a whole absolute path. */
  readonly pattern: RegExp;
  /** Completes "Changes PATH, which …". */
  readonly when: string;
}

const start = 'runs at each start of a shell';
const login = 'runs when you log in';
const gate = 'changes the rules of Interlock';
const agent = 'changes what an agent may do or runs by itself';
const setting = 'can name programs that others start';

/** Files that run, name what runs, or let somebody in later. A folder stands for all that is in it. */
const places: readonly LaterPlace[] = [
  {
    pattern:
      /\/\.(?:bash_profile|bash_login|bash_logout|bashrc|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|mkshrc|cshrc|tcshrc|login|logout|inputrc|envrc|direnvrc)$/,
    when: start,
  },
  { pattern: /\/\.(?:xinitrc|xsession|xsessionrc|xprofile|pam_environment)$/, when: login },
  {
    pattern:
      /\/\.config\/(?:fish|zsh|nushell|autostart|systemd|environment\.d|direnv|plasma-workspace)(?:\/|$)/,
    when: login,
  },
  { pattern: /\/\.(?:zsh|oh-my-zsh|bashrc\.d|bash\.d)(?:\/|$)/, when: start },
  {
    pattern: /\/\.ssh$|\/\.ssh\/(?!known_hosts|[^/]+\.pub$)/,
    when: 'decides who gets in over SSH',
  },
  { pattern: /\/Library\/(?:LaunchAgents|LaunchDaemons|StartupItems)(?:\/|$)/, when: login },
  {
    pattern:
      /^(?:\/private)?\/etc\/(?:cron[^/]*|anacrontab|systemd|init\.d|profile\.d|profile|bash\.bashrc|zsh[^/]*|environment|ld\.so[^/]*|rc\.local|pam\.d|sudoers[^/]*|passwd|shadow|group|gitconfig|ssh|xdg|udev|apt|inputrc|vim|npmrc|pip\.conf|paths[^/]*|launchd\.conf|periodic|newsyslog[^/]*)(?:\/|$)/,
    when: 'runs for every user of this machine',
  },
  { pattern: /^\/var\/(?:spool\/(?:cron|at)|at)(?:\/|$)/, when: 'runs again and again' },
  {
    pattern:
      /^\/(?:usr\/(?:local\/)?)?(?:s?bin|lib(?:exec|32|64)?)(?:\/|$)|^\/usr\/local\/(?:share\/)?(?:man|zsh|bash-completion)|^\/opt\/(?:homebrew|local)\/(?:s?bin|lib(?:exec)?|Cellar|opt|etc)(?:\/|$)|^\/(?:boot|lib\/modules)(?:\/|$)/,
    when: 'is found by its name when commands run',
  },
  {
    pattern:
      /\/\.(?:local|cargo|deno|bun|rbenv|pyenv|nodenv|asdf|volta|npm-global|npm-packages|dotnet\/tools|krew|rd|nix-profile|poetry|rye|composer\/vendor|config\/composer\/vendor|yarn|sdkman\/candidates)\/(?:bin|shims)(?:\/|$)|^\/(?:home|Users)\/[^/]+\/(?:bin|sbin|go\/bin)(?:\/|$)|^\/root\/(?:bin|go\/bin)(?:\/|$)/,
    when: 'is found by its name when commands run',
  },
  {
    pattern: /\/\.local\/(?:lib|share)\/(?:python|applications|dbus-1|systemd|bash-completion|zsh)/,
    when: 'is loaded when programs start',
  },
  {
    pattern: /\/\.local\/lib\/python[^/]*(?:\/|$)|\/(?:site|dist)-packages\/[^/]+\.pth$/,
    when: 'is loaded when programs start',
  },
  // All of it: settings, hooks, attributes, the folders of submodules and worktrees.
  { pattern: /\/\.git(?:\/|$)/, when: 'holds the settings and hooks of Git' },
  { pattern: /\/\.gitconfig$|\/\.config\/git(?:\/|$)/, when: setting },
  { pattern: /\/\.(?:husky|githooks)(?:\/|$)/, when: 'runs at the next Git command' },
  { pattern: /\/\.(?:hg|svn|jj)(?:\/|$)|\/\.hgrc$/, when: setting },
  {
    pattern:
      /\/\.(?:claude|codex|cursor|gemini|windsurf|continue|aider[^/]*|copilot|openclaw|clawdbot|roo|kilocode)(?!\/worktrees\/)(?:\/|$)|\/\.(?:claude|mcp|aider\.conf)\.(?:json|ya?ml)$|\/\.config\/(?:claude|opencode|goose|zed)(?:\/|$)/,
    when: agent,
  },
  { pattern: /\/\.interlock(?:\/|$)|\/exec-approvals\.json$/, when: gate },
  {
    pattern: /\/\.(?:vscode(?:-server)?|idea|fleet|devcontainer|zed)(?:\/|$)|\.code-workspace$/,
    when: 'runs when an editor opens the folder',
  },
  {
    pattern:
      /\/\.(?:vimrc|gvimrc|exrc|ideavimrc|nanorc|emacs|spacemacs|gdbinit|lldbinit|lesskey|lessfilter|psqlrc|sqliterc|my\.cnf|screenrc|tmux\.conf|irbrc|pryrc|rspec|Rprofile|Renviron|ghci|pythonrc|pystartup|pdbrc|perltidyrc|perldb|wgetrc|curlrc|mailrc|muttrc|netrc|Xresources|octaverc|juliarc|bazelrc|condarc|nvim\.lua|nvimrc|vim\.lua)$|\/\.(?:vim|emacs\.d|tmux|ipython|julia|gnupg)(?:\/|$)|\/\.config\/(?:nvim|vim|emacs|tmux|pip|yarn|pnpm|npm|git|gh|helix|kitty|alacritty|wezterm|uv|mise|containers|bat|ripgrep|lf|ranger)(?:\/|$)|\/(?:\.pip\/|)pip\.conf$/,
    when: setting,
  },
  {
    pattern:
      /\/\.(?:npmrc|yarnrc(?:\.yml)?|pnpmfile\.cjs|pnp\.c?js|bunfig\.toml|tool-versions|mise\.toml|mise\.local\.toml|rtx\.toml|bundle\/config|gemrc|pypirc|condarc|sbtopts|mavenrc|pre-commit-config\.yaml|lefthook[^/]*|lintstagedrc[^/]*|overcommit\.yml)$|\/\.(?:yarn\/(?:releases|plugins)|mvn|cargo\/config|gradle\/(?:init|gradle\.properties)|m2\/settings|docker\/(?:config\.json|cli-plugins)|kube\/config|aws\/(?:config|cli|credentials)|terraformrc|terraform\.d)/,
    when: setting,
  },
  {
    pattern: /^\/proc\/(?:sys|[^/]+\/(?:mem|fd|attr|root|cwd))/,
    when: 'changes a running program',
  },
  { pattern: /^\/sys(?:\/|$)/, when: 'changes the running system' },
];

/** One look that nearly every path fails, before the table is gone through. */
const worthALook =
  /\/\.|pip\.conf$|\.pth$|\.code-workspace$|approvals\.json$|^\/(?:private\/)?(?:etc|s?bin|lib|usr|opt|var|boot|proc|sys|root|home|Users)(?:\/|$)|\/Library\//i;

/**
 * When something runs, or is let in, because of what lies at an absolute path: words that complete
 * "Changes PATH, which …"; null for a path that decides nothing later. What a project itself holds
 * is not here, recipes (`package.json`, a Makefile) as little as its code: who allows the tools of a
 * project trusts the project.
 */
export function runsLater(path: string, ignoreCase = false): string | null {
  const text = ignoreCase ? lowered(path) : path;
  if (!worthALook.test(text)) return null;
  return places.find(({ pattern }) => pattern.test(text))?.when ?? null;
}

/** As volumes that ignore case see it; the few patterns with capitals are kept as they are written. */
function lowered(path: string): string {
  return path
    .toLowerCase()
    .replaceAll('/library/', '/Library/')
    .replaceAll(/\/launch(agents|daemons)/g, (_, what: string) =>
      what === 'agents' ? '/LaunchAgents' : '/LaunchDaemons',
    )
    .replace(/^\/users\//, '/Users/');
}

/** Interlock's own files: whoever reads the token or writes the rules needs no approval any more. */
export function isInterlocks(path: string): boolean {
  return /\/\.interlock(?:\/|$)|\/exec-approvals\.(?:json|sock)$/i.test(path);
}

/** Folders that hold places of the kind above: a tree that is unpacked here may bring any of them. */
export function holdsLater(directory: string, home: string): boolean {
  const path = directory === '/' ? '' : directory;
  return (
    path === '' ||
    path === home ||
    home.startsWith(`${path}/`) ||
    /^\/(?:etc|usr|usr\/local|opt|opt\/homebrew|var|var\/spool)$/.test(path) ||
    /^(?:\/home|\/Users)\/[^/]+$/.test(path) ||
    /\/\.(?:config|local|local\/share|cargo|yarn|docker)$/.test(path)
  );
}
