/** An absolute path without `.` and `..`, or the word itself where the folder is not known. */
export function absolute(
  word: string,
  { cwd, home }: { readonly cwd: string | null; readonly home: string },
): string {
  const expanded = word.replace(/^~(?=\/|$)/, home).replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, home);
  if (!expanded.startsWith('/') && cwd === null) return expanded;
  const full = expanded.startsWith('/') ? expanded : `${cwd}/${expanded}`;
  const parts: string[] = [];
  for (const part of full.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Holds a variable or substitution whose value nobody knows. */
export function isUnknown(word: string): boolean {
  return /[$`]/.test(word.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, ''));
}

const temporary = /^(?:\/private)?\/(?:tmp|var\/tmp|dev\/shm)\/[^*?/][^/]*/;

/** Below a directory for temporary files, at a place of its own. */
export function isTemporary(path: string): boolean {
  return temporary.test(path);
}

/** A place where secrets are kept, and what for. Held against absolute or `~` paths. */
interface CredentialPlace {
  readonly pattern: RegExp;
  readonly what: string;
}

// A segment boundary on the left keeps `my.ssh-notes/` and `src/.envoy` out.
const places: readonly CredentialPlace[] = [
  { pattern: /(?:^|\/)\.ssh(?:\/(?!known_hosts$|config$|[^/]+\.pub$)|$)/, what: 'SSH keys' },
  { pattern: /(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/, what: 'an SSH key' },
  { pattern: /(?:^|\/)\.gnupg(?:\/|$)/, what: 'GnuPG keys' },
  { pattern: /(?:^|\/)\.aws\/(?:credentials|sso|cli)/, what: 'AWS credentials' },
  { pattern: /(?:^|\/)\.aws\/?$/, what: 'AWS credentials' },
  { pattern: /(?:^|\/)\.azure(?:\/|$)/, what: 'Azure credentials' },
  { pattern: /(?:^|\/)\.config\/gcloud(?:\/|$)/, what: 'Google Cloud credentials' },
  { pattern: /(?:^|\/)application_default_credentials\.json$/, what: 'Google Cloud credentials' },
  { pattern: /(?:^|\/)\.kube\/(?:config|cache)/, what: 'Kubernetes credentials' },
  { pattern: /(?:^|\/)\.docker\/config\.json$/, what: 'registry logins of docker' },
  { pattern: /(?:^|\/)\.config\/gh\/hosts\.yml$/, what: 'the GitHub login' },
  { pattern: /(?:^|\/)\.git-credentials$/, what: 'Git passwords' },
  { pattern: /(?:^|\/)\.netrc$/, what: 'passwords in .netrc' },
  { pattern: /(?:^|\/)\.npmrc$/, what: 'npm tokens' },
  { pattern: /(?:^|\/)\.pypirc$/, what: 'PyPI tokens' },
  { pattern: /(?:^|\/)\.cargo\/credentials(?:\.toml)?$/, what: 'crates.io tokens' },
  { pattern: /(?:^|\/)\.(?:pgpass|my\.cnf|mylogin\.cnf)$/, what: 'database passwords' },
  { pattern: /(?:^|\/)\.vault-token$/, what: 'a Vault token' },
  { pattern: /(?:^|\/)\.password-store(?:\/|$)/, what: 'the password store' },
  { pattern: /(?:^|\/)\.local\/share\/keyrings(?:\/|$)/, what: 'the keyring' },
  { pattern: /(?:^|\/)Library\/Keychains(?:\/|$)/, what: 'the keychain' },
  {
    pattern: /(?:^|\/)\.(?:mozilla\/firefox|config\/(?:google-chrome|chromium))(?:\/|$)/,
    what: 'browser passwords and sessions',
  },
  { pattern: /(?:^|\/)\.interlock(?:\/|$)/, what: 'the token and policy of Interlock' },
  { pattern: /(?:^|\/)\.(?:openclaw|clawdbot)(?:\/|$)/, what: 'tokens of another agent gateway' },
  { pattern: /(?:^|\/)\.claude\/\.credentials\.json$/, what: 'the login of Claude Code' },
  { pattern: /(?:^|\/)\.codex\/auth\.json$/, what: 'the login of Codex' },
  {
    pattern: /^\/etc\/(?:shadow|gshadow|sudoers(?:\.d)?|master\.passwd)(?:-|\/|$)/,
    what: 'system passwords',
  },
  { pattern: /^\/etc\/ssl\/private(?:\/|$)/, what: 'private keys of this machine' },
  { pattern: /^\/etc\/ssh\/ssh_host_[a-z0-9]+_key$/, what: 'private keys of this machine' },
  {
    pattern: /^\/proc\/(?:self|\d+)\/environ$/,
    what: 'the environment of a process, which may hold secrets',
  },
  {
    pattern: /(?:^|\/)\.(?:bash|zsh|psql|mysql|python|node_repl)_history$/,
    what: 'what was typed before',
  },
  {
    pattern:
      /(?:^|\/)\.env(?:\.(?!example$|sample$|template$|dist$|test$|defaults$)[A-Za-z0-9_-]+)*$/,
    what: 'settings that usually hold secrets',
  },
  {
    pattern: /(?:^|\/)(?:secrets?|credentials)\.(?:json|ya?ml|toml|txt|env|xml|ini)$/i,
    what: 'secrets',
  },
  {
    pattern: /\.(?:pem|p12|pfx|keystore|jks|kdbx|ppk)$/i,
    what: 'a private key or certificate store',
  },
];

/** What secrets a path leads to, in words ("SSH keys"), or null. */
export function credentialPath(path: string): string | null {
  return places.find((place) => place.pattern.test(path))?.what ?? null;
}
