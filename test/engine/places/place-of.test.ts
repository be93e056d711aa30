import { describe, expect, it } from 'vitest';
import { placeOf } from '../../../shared/engine/places/place-of.ts';
import { fileIdentity } from '../../../shared/engine/places/types.ts';
import type { Place } from '../../../shared/engine/places/types.ts';
import { contextWith, fakeFiles, project } from './support.ts';

const table: Readonly<Record<Place, string>> = {
  own: `~/.interlock/exec-approvals.json ~/.interlock /elsewhere/exec-approvals.json`,
  steers: `.claude/settings.json .claude/settings.local.json .claude/commands/x.md .claude/hooks/a.sh
    .claude/agents/a.md .claude ~/.claude/settings.json ~/.claude.json .mcp.json .codex/hooks.json
    .codex/config.toml ~/.codex/rules/default.rules .gemini/settings.json .gemini/extensions/x/e.json
    .cursor/hooks.json .cursor/mcp.json .opencode/plugins/x.js .opencode/plugin/x.ts opencode.json
    sub/opencode.jsonc ~/.config/opencode/opencode.json .github/hooks/x.json .github/copilot/settings.json
    ~/.copilot/hooks/x.json .pi/extensions/x.ts .factory/hooks.json .kilo/plugin/x.js .kilocode/mcp.json
    .cline/hooks/PreToolUse .clinerules/hooks/PreToolUse .roo/mcp.json .roomodes .qwen/settings.json
    ~/.config/goose/config.yaml .agents/plugins/x/hooks/hooks.json crush.json .crush.json
    .amp/plugins/x.ts .augment/settings.local.json .kiro/agents/a.json .continue/config.yaml
    .aider.conf.yml .windsurf/hooks.json .zed/settings.json /etc/claude-code/managed-settings.json
    /etc/codex/requirements.toml /etc/gemini-cli/settings.json .git/hooks/pre-commit .git/config .git
    .git/info/attributes .git/info/exclude .git/modules/x/config .git/worktrees/x/gitdir
    .git/objects/info/alternates .gitmodules .gitattributes ~/.gitconfig ~/.config/git/config
    .husky/pre-commit .githooks/x .pre-commit-config.yaml lefthook.yml lefthook-local.yml .lintstagedrc.json
    .vscode/tasks.json .vscode/settings.json .idea/workspace.xml .devcontainer/devcontainer.json
    .devcontainer.json app.code-workspace .exrc .nvim.lua .dir-locals.el .envrc mise.toml .mise.local.toml
    .tool-versions .nvmrc .yarnrc .pnpmfile.cjs .yarn/releases/yarn.cjs .cargo/config.toml
    .mvn/wrapper/x .bazelrc .github/workflows/ci.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile
    azure-pipelines.yml lib/site-packages/x.pth sub/.git/hooks/x sub/deep/.claude/settings.json`,
  'runs-later': `~/.bashrc ~/.zshenv ~/.profile ~/.config/fish/config.fish ~/.config/autostart/x.desktop
    ~/.config/systemd/user/x.service ~/bin/x ~/.local/bin/x ~/.cargo/env ~/.cargo/bin/x ~/.nvm/nvm.sh
    ~/.rbenv/version ~/.ssh/config ~/.ssh/authorized_keys ~/tools/git /usr/bin/git /usr/local/bin/x
    /etc/cron.d/x /etc/profile.d/x.sh /etc/ld.so.preload /var/spool/cron/u ~/Library/LaunchAgents/x.plist
    /Library/LaunchDaemons/x.plist ~/.unheard-of/rc ~/.unheardofrc ~/.config/unheard/x ~/.tmux.conf
    /opt/homebrew/bin/x ~/.cache/p10k-instant-prompt-u.zsh /root/bin/x /proc/sys/kernel/core_pattern`,
  secret: `~/.ssh/id_ed25519 ~/.ssh ~/.aws/credentials ~/.config/gcloud/x.db .env .env.local
    .env.production .npmrc config/prod.env server.pem tls.key id_rsa ~/.netrc ~/.pypirc ~/.kube/config
    ~/.docker/config.json ~/.bash_history ~/.local/share/fish/fish_history ~/.gnupg/x /etc/shadow
    /etc/shadow- /etc/sudoers.d/x /proc/1/root/etc/hostname /proc/1/cwd/x /proc/7/fd/3 /dev/input/event0
    /dev/hidraw0 /dev/snd/x /dev/video0 /dev/pts/3 /dev/tty1 /dev/ttyUSB0 /dev/vcs1 /dev/kmsg /dev/usbmon0 /proc/keys /proc/1/environ /proc/self/mem /proc/123/environ
    ~/.config/google-chrome/Default/Cookies ~/.mozilla/firefox/x ~/Library/Keychains/x
    ~/.local/share/keyrings/login.keyring ~/.config/gh/hosts.yml ~/.git-credentials ~/.claude/.credentials.json
    ~/.codex/auth.json ~/.openclaw/openclaw.json /home/other/.ssh/id_rsa /root/.aws/credentials
    /etc/ssh/ssh_host_ed25519_key /run/secrets/x /dev/sda secrets.yaml terraform.tfstate`,
  metadata: `.git/index .git/index.lock .git/HEAD .git/refs/heads/main .git/objects/ab/cd .git/COMMIT_EDITMSG
    .git/logs/HEAD`,
  project: `src/main.ts README.md package.json Makefile AGENTS.md CLAUDE.md .gitignore .editorconfig
    .prettierrc .eslintrc.json .env.example .env.sample .env.template docs/x.md a.b/c...d .github/CODEOWNERS
    .cursor/rules/x.mdc .claude/worktrees/w/src/x.ts id_rsa.pub src/environment.ts src/gitconfig.ts`,
  temporary: `/tmp/x /var/tmp/x /dev/shm/x /private/tmp/x`,
  home: `~/notes.txt ~/src/other/x.ts ~/.cache/pip/x ~/.npm/_cacache/x ~/.ssh/known_hosts ~/.claude/plans/x.md`,
  system: `/etc/hostname /dev/tty /var/log/syslog /dev/null /dev/stderr /proc/self/fd/1 /proc/cpuinfo`,
  outside: `/srv/x /mnt/data/x /home/other/x /data`,
};

describe('placeOf', () => {
  for (const [place, paths] of Object.entries(table))
    it.each(paths.trim().split(/\s+/))(`says ${place} of %s`, (path) => {
      expect(placeOf(path, contextWith()).place).toBe(place);
    });

  it.each([
    '.GIT/hooks/pre-commit',
    '.Git/Config',
    '.git./config',
    '.git /hooks/x',
    'GIT~1/config',
    '.git::$INDEX_ALLOCATION/config',
    '.git//hooks/./x',
    '.git/../.git/config',
    'src/../.claude/settings.json/',
    '.claude/./settings.local.json',
    '.CLAUDE/Settings.Local.Json',
    '.g\u200cit/config',
    '.clau\u00adde/settings.json',
    '.clau\uff44e/settings.json',
    '.vscode/ta\u017fks.json',
  ])('is not misled by the spelling of %j', (path) => {
    expect(placeOf(path, contextWith()).place).toBe('steers');
  });

  it('says which file can disarm the gate, and that only its whole path names it', () => {
    const found = placeOf('.claude/settings.local.json', contextWith());
    expect(found).toMatchObject({
      disarms: true,
      reason: 'holds the hooks that ask Interlock',
      reach: 6,
    });
    expect(placeOf('.git/hooks/pre-commit', contextWith())).toMatchObject({
      disarms: false,
      reason: 'runs at the next Git command',
      reach: 6,
    });
    expect(placeOf('.claude/commands/x.md', contextWith())).toMatchObject({
      disarms: false,
      reach: 5,
    });
  });

  it('says of recipes that they name what runs, and leaves them to the project', () => {
    expect(placeOf('package.json', contextWith())).toMatchObject({
      place: 'project',
      reason: 'names what later commands of the project run',
    });
  });

  it('judges a name in a folder that is not known by itself', () => {
    const context = contextWith({}, { cwd: null });
    expect(placeOf('.claude/settings.json', context).place).toBe('steers');
    expect(placeOf('src/x.ts', context).place).toBe('project');
    expect(placeOf('~/.bashrc', context).place).toBe('runs-later');
  });

  it('lets only folders that a person gave excuse a dot path under home', () => {
    const cwd = '/home/u/.dotfiles';
    expect(placeOf('x', contextWith({}, { cwd })).place).toBe('runs-later');
    expect(placeOf('x', contextWith({}, { cwd, projects: [cwd] })).place).toBe('project');
    expect(placeOf('.git/config', contextWith({}, { cwd, projects: [cwd] })).place).toBe('steers');
    const whole = contextWith({}, { cwd: '/home/u', projects: ['/home/u'] });
    expect(placeOf('.unheardofrc', whole).place).toBe('runs-later');
  });

  it('does not take a home folder or the root for a project because a request starts there', () => {
    expect(placeOf('x.txt', contextWith({}, { cwd: '/home/u' })).place).toBe('home');
    expect(placeOf('srv/x', contextWith({}, { cwd: '/' })).place).toBe('outside');
  });
});

describe('what the system keeps from ordinary users', () => {
  const files = fakeFiles({
    '/etc/ppp/secrets-of-any-name': { inode: 1, mode: 0o600 },
    '/etc/services': { inode: 2, mode: 0o644 },
    '/var/lib/engine': { inode: 3, mode: 0o710 },
    '/var/lib/engine/volumes/data/x': { inode: 4, mode: 0o644 },
    '/var/lib/shared': { inode: 5, mode: 0o755 },
    '/var/lib/shared/x': { inode: 6, mode: 0o644 },
    '/var/log/auth.log': { inode: 7, mode: 0o640 },
    [`${project}/leads`]: { inode: 8, link: '/etc/ppp/secrets-of-any-name' },
  });

  it.each([
    ['/etc/ppp/secrets-of-any-name', 'secret'],
    ['leads', 'secret'],
    ['/var/lib/engine', 'secret'],
    ['/var/lib/engine/volumes/data/x', 'secret'],
    ['/var/lib/engine/not/there', 'secret'],
    ['/etc/services', 'system'],
    ['/var/lib/shared/x', 'system'],
    ['/var/log/auth.log', 'system'],
  ])('is secret whatever it is called: %s is %s', (path, place) => {
    expect(placeOf(path, contextWith({ files })).place).toBe(place);
  });
});

describe('placeOf with the file system', () => {
  const files = fakeFiles({
    [`${project}/src/main.ts`]: { inode: 1 },
    [`${project}/.git/hooks/x.sample`]: { inode: 2 },
    [`${project}/docs`]: { inode: 3, link: '.git' },
    [`${project}/dangling`]: { inode: 4, link: '.claude/settings.local.json' },
    [`${project}/far`]: { inode: 5, link: '/home/u/.config' },
    [`${project}/plain.npmrc`]: { inode: 6 },
    [`${project}/.npmrc`]: { inode: 7, text: 'save-exact=true\n' },
    [`${project}/sub/.npmrc`]: { inode: 8, text: '//registry/:_authToken=abc\n' },
    [`${project}/.vscode`]: { inode: 9, link: 'editor' },
    [`${project}/editor/x`]: { inode: 10 },
    '/home/u/.config/x/y': { inode: 11 },
    [`${project}/bare/HEAD`]: { inode: 12 },
    [`${project}/bare/objects/x`]: { inode: 13 },
    [`${project}/bare/refs/x`]: { inode: 14 },
    '/data/interlock/config.json': { inode: 70, device: 3 },
    [`${project}/innocent.txt`]: { inode: 70, device: 3 },
    '/mnt/bound/state/lockout.json': { inode: 72, device: 3 },
    '/mnt/bound/state': { inode: 71, device: 3 },
  });
  const context = contextWith({
    files,
    known: [
      {
        path: '/data/interlock',
        place: 'own',
        reason: 'belongs to Interlock itself',
        identities: [70, 71].map((inode) => fileIdentity({ inode, device: 3 })),
      },
    ],
  });

  it.each([
    ['docs/hooks/pre-commit', 'steers'],
    ['docs/config', 'steers'],
    ['dangling', 'steers'],
    ['far/autostart/x.desktop', 'runs-later'],
    ['far/new/deep/x', 'runs-later'],
    ['src/new/deep/x', 'project'],
    ['.vscode/x', 'steers'],
    ['bare/hooks/post-commit', 'steers'],
    ['bare/config', 'steers'],
    ['src/config', 'project'],
    ['/data/interlock/new/x', 'own'],
  ])('follows links: %s is %s', (path, place) => {
    expect(placeOf(path, context).place).toBe(place);
  });

  it('takes a registry file without tokens for settings, one with tokens for a secret', () => {
    expect(placeOf('.npmrc', context).place).toBe('steers');
    expect(placeOf('sub/.npmrc', context).place).toBe('secret');
  });

  it("finds Interlock's own files by device and inode, whatever they are called", () => {
    expect(placeOf('innocent.txt', context)).toMatchObject({ place: 'own' });
    expect(placeOf('/mnt/bound/state/lockout.json', context).place).toBe('own');
    expect(placeOf('/mnt/bound/state/new.json', context).place).toBe('own');
    expect(placeOf('src/main.ts', context).place).toBe('project');
  });

  it('lets no pattern name a file that goes by another name', () => {
    expect(placeOf('innocent.txt', context).reach).toBeGreaterThan(1000);
  });
});
