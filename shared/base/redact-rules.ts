/** One rule of redaction: what it finds, and what stands in its place. */
interface RedactionRule {
  readonly name: string;
  /** Global; a group named `keep` stays in front of the mark, `rest` behind it. */
  readonly pattern: RegExp;
  /** Why values of this shape are secrets. */
  readonly why: string;
}

/** What stands where a secret stood. */
export const redactionMark = '[redacted]';

/** One shell word: quoted parts and plain characters up to a blank or an operator. A quote that a cut left open runs to the end. */
export const word = String.raw`(?:'[^']*(?:'|$)|"(?:[^"\\]|\\[^])*(?:"|\\?$)|\\[^]|[^\s'"\\;&|<>()])+`;

/** What an earlier rule has taken care of; the quote behind it must not be taken for a new one. */
export const notDone = String.raw`(?!\[redacted\])`;

/** The rest of a word in single quotes; `'\\''` is how a shell writes a quote in it. */
export const singleQuoted = String.raw`(?!')(?:[^']|'\\'')+`;
export const doubleQuoted = String.raw`(?!")(?:[^"\\]|\\[^])+`;

export interface ValueAfterOptions {
  /** What stands in front of the prefix, and of a quote before it. */
  readonly before?: string;
  readonly flags?: string;
}

/**
 * The value right behind `prefix`: to the end of the quote that was opened before it, else to the end
 * of the shell word.
 */
function valueAfter(prefix: string, options: ValueAfterOptions = {}): readonly RegExp[] {
  const { before = '', flags = 'g' } = options;
  const bare = String.raw`(?<![\w.-])`;
  return [
    new RegExp(`(?<keep>${before}(?<=')${prefix})${singleQuoted}(?<rest>'|$)`, flags),
    new RegExp(`(?<keep>${before}(?<=")${prefix})${doubleQuoted}(?<rest>"|\\\\?$)`, flags),
    new RegExp(`(?<keep>${before}${bare}${prefix})${notDone}${word}`, flags),
  ];
}

/** Before the first character of a word, quoted or not. */
const wordStart = String.raw`(?<![^\s'"=(;&|])`;

/** What announces a secret, at the end of a name. */
const secretName = String.raw`(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|secret[-_]?key|credentials?|auth(?:orization)?|bearer|session[-_]?id|cookie|sas|dsn|connection[-_]?string)`;

/** Further parts that such a name may end with: `SECRET_KEY_BASE`, `API_TOKEN_2`. */
const nameTail = String.raw`(?:[-_][A-Z0-9]{1,20}){0,2}`;

const assigned = String.raw`[\w.-]{0,60}?(?:${secretName}${nameTail})`;

const keyVariable = '(?!PUBLIC|[A-Z0-9_]{1,60}_PUBLIC)[A-Z0-9_]{1,60}_KEY=';

/** Secrets that the name before them announces. */
const nameRules: readonly RedactionRule[] = [
  ...valueAfter(`${assigned}=`, { flags: 'gi' }).map((pattern) => ({
    name: 'assignment',
    pattern,
    why: 'NAME=value and --name=value where the name says that the value is secret.',
  })),
  ...valueAfter(keyVariable).map((pattern) => ({
    name: 'key-variable',
    pattern,
    why: 'SIGNING_KEY and its like in the environment; not those that are public.',
  })),
  {
    name: 'option',
    pattern: new RegExp(
      String.raw`(?<keep>${wordStart}--?(?:[a-z][\w-]{0,60}?)?${secretName}['"]?\s{1,8})(?!-|['"]-)${word}`,
      'gi',
    ),
    why: '--password VALUE, --api-key VALUE and their like.',
  },
  {
    name: 'json-member',
    pattern: new RegExp(
      String.raw`(?<keep>\\{0,3}["'][\w-]{0,60}?${secretName}\\{0,3}["']\s{0,8}:\s{0,8}\\{0,3}(?<quote>["']))(?:(?!\k<quote>)[^\\]|\\(?!\k<quote>)[^])+`,
      'gi',
    ),
    why: 'Secrets in inline JSON bodies, escaped or not.',
  },
  {
    name: 'yaml-member',
    pattern:
      /(?<keep>(?<![\w-])(?:password|passwd|passphrase|secret|api[-_]?key|access[-_]?token|client[-_]?secret)\s{0,4}:\s{1,8})[^\s'",;]{1,400}/gi,
    why: 'password: value, as files and messages have it.',
  },
];

/** An option whose name says nothing, and the programs that it tells a secret to. */
export interface ProgramOption {
  /** Alternatives of a regular expression. */
  readonly programs: string;
  readonly option: string;
  readonly takes: 'same-word' | 'either';
  readonly why: string;
}

/** Found command by command, by `redactOptions`. */
export const programOptions: readonly ProgramOption[] = [
  {
    programs: 'mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|mariadb-admin',
    option: '-p',
    takes: 'same-word',
    why: 'mysql -pPASSWORD takes the password without a blank.',
  },
  { programs: '7z|7za|7zr', option: '-p', takes: 'same-word', why: '7z -pPASSWORD.' },
  { programs: 'sshpass', option: '-p', takes: 'either', why: 'sshpass -p PASSWORD.' },
  {
    programs: '(?:docker|podman|helm|oc|skopeo|buildah|az|registry)\\b[^;&|\\n]{0,60}?\\blogin',
    option: '-p',
    takes: 'either',
    why: 'docker login -p PASSWORD.',
  },
  { programs: 'redis-cli', option: '-a', takes: 'either', why: 'redis-cli -a PASSWORD.' },
  { programs: 'zip|unzip', option: '-P', takes: 'either', why: 'zip -P PASSWORD.' },
  { programs: 'ssh-keygen', option: '-[NP]', takes: 'either', why: 'ssh-keygen -N PASSPHRASE.' },
  { programs: 'mongo|mongosh|mongodump', option: '-p', takes: 'either', why: 'mongo -p PASSWORD.' },
];

/** `user:password` after these is split at the colon; only the password is secret. */
const userOption = String.raw`(?<![^\s'"])(?:-u|--user|--proxy-user)['"]?\s{0,8}`;

/** Secrets at places that only the program knows. */
const programRules: readonly RedactionRule[] = [
  ...[
    ...valueAfter(String.raw`(?:--user|--proxy-user)=[^\s:'"]{1,200}:`),
    ...valueAfter(String.raw`[^\s:'"]{1,200}:`, { before: `${userOption}['"]?` }),
  ].map((pattern) => ({ name: 'user-password', pattern, why: 'curl -u user:password.' })),
  ...valueAfter('pass:').map((pattern) => ({
    name: 'openssl-password',
    pattern,
    why: 'openssl -passin pass:PASSWORD.',
  })),
];

/** Secrets that tell themselves by how they look. */
const tokenRules: readonly RedactionRule[] = [
  {
    name: 'private-key-block',
    pattern: /(?<keep>-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)[^]*?(?<rest>-----END|$)/g,
    why: 'PEM blocks carry the key itself.',
  },
  {
    name: 'known-token',
    pattern:
      /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl(?:pat|ptt|dt|rt)-[\w-]{16,}|sk-[\w-]{16,}|[rs]k_(?:live|test)_\w{16,}|whsec_\w{16,}|xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|hf_[A-Za-z0-9]{20,}|dop_v1_[a-f0-9]{40,}|dckr_pat_[\w-]{16,}|shp(?:at|ss)_[a-f0-9]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}|SG\.[\w-]{16,}\.[\w-]{16,})/g,
    why: 'Tokens of well-known services tell themselves by their prefix.',
  },
  {
    name: 'json-web-token',
    // Looked for once in each run of its letters: a start at every "eyJ" would read the run each time.
    pattern:
      /(?<![\w-])(?=[\w-]{13,}\.eyJ[\w-]{10,}\.[\w-]{10,})(?<keep>[\w-]*?)\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g,
    why: 'A signed token opens what it is for; its first two parts are JSON, which begins alike.',
  },
];

const header = String.raw`(?:(?:proxy-)?authorization|x-[a-z-]{0,40}(?:key|token|secret)|api-?key|cookie|set-cookie|private-token)`;

/** Secrets in addresses and headers. */
const webRules: readonly RedactionRule[] = [
  {
    name: 'url-password',
    pattern: /(?<keep>\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/:@'"]{0,200}:)[^\s/@'"]{1,400}(?<rest>@)/gi,
    why: 'A password before the host of a URL.',
  },
  {
    name: 'url-token',
    pattern: /(?<keep>\bhttps?:\/\/)[\w.+~-]{20,400}(?<rest>@)/gi,
    why: 'A token in place of the user of a URL.',
  },
  {
    name: 'signed-url',
    pattern:
      /(?<keep>[?&](?:X-Amz-(?:Signature|Credential|Security-Token)|X-Goog-(?:Signature|Credential)|sig|signature|key|code)=)[^&\s'"#]{1,4000}/gi,
    why: 'Whoever has a signed address has what it opens.',
  },
  {
    name: 'quoted-header',
    pattern: new RegExp(
      String.raw`(?<keep>(?<=(?<quote>['"])(?:-H|--header[= ])?)${header}:\s{0,8})(?:'\\''|\\[^]|(?!\k<quote>)[^\\\n])+`,
      'gi',
    ),
    why: 'Credentials, keys and sessions in HTTP headers.',
  },
  {
    name: 'header',
    pattern: new RegExp(
      String.raw`(?<keep>(?<![\w-])${header}:(?:\s|\\\s){0,8}(?:(?:bearer|basic|token|digest)(?:\s|\\\s){1,8})?)${notDone}${word}`,
      'gi',
    ),
    why: 'The same without quotes.',
  },
];

/**
 * What never reaches a log. Patterns are linear: what one look has read in vain no other reads again,
 * but for a bounded stretch. Order matters: shapes that tell where a secret ends come before names
 * that only announce one.
 */
export const redactionRules: readonly RedactionRule[] = [
  ...tokenRules,
  ...webRules,
  ...nameRules,
  ...programRules,
];
