/**
 * Commands that print what lets somebody in, or that hand it on: what was printed cannot be taken
 * back. Each is held against the words of a command, joined by blanks; in doubt it fits.
 */

/** Words, joined by blanks, that print what completes "Prints …". In doubt they fit. */
export type Shows = readonly [fits: RegExp | ((words: readonly string[]) => boolean), what: string];

const tokens = 'a token';
const secrets = 'secrets';

/** By the name of the program, where its record does not say it. */
const shown: Readonly<Record<string, readonly Shows[]>> = {
  terraform: [
    [/(?:^| )output\b(?=.* (?:--?(?:json|raw)\b|[A-Za-z_]))/, 'results, secret ones too'],
    [/(?:^| )show\b.* --?json\b/, 'results, secret ones too'],
    [/(?:^| )state pull\b/, 'the whole state, secrets too'],
  ],
  aws: [
    [
      /(?:^| )(?:\S*-)?(?:token|tokens|password|secret-value|credentials?|login|session)(?:-\S+)?(?: |$)/,
      tokens,
    ],
    [
      /(?:^| )\S*-with-(?:saml|web-identity)\b|(?:^| )assume-role\b|(?:^| )create-access-key\b/,
      tokens,
    ],
    [/(?:^| )configure (?:get|export)\b/, 'AWS credentials'],
    [
      /(?:^| )get-api-keys?\b|(?:^| )describe-user-pool-client\b|-key-pair\b|(?:^| )s3 presign\b/,
      secrets,
    ],
    [/(?:^| )lambda get-function(?:-configuration)?(?: |$)/, 'variables of a function'],
    [/--with-decryption\b|(?:^| )kms decrypt\b/, secrets],
  ],
  gcloud: [
    [/(?:^| )(?:print-\S*token|config-helper|access(?: |$)|create-signed|sign-)/, tokens],
    [/--show-log\b/, 'the record of commands'],
  ],
  az: [
    [
      /(?:^| )(?:get-access-token|keys?|credentials?|secret|connection-string|list-publishing-\S+|generate-sas|password)(?: |$)/,
      secrets,
    ],
  ],
  gh: [
    [/(?:^| )auth (?:token|status .*(?:-t\b|--show-token))/, tokens],
    [
      /(?:^| )api\b.*(?: https?:\/\/(?!api\.github\.com\/)|--hostname)/,
      'the login to another address',
    ],
  ],
  gpg: [
    [/(?:^| )(?:-\w*d\w*|--decrypt\S*)(?: |$)|(?:^| )--export-s/, 'what was encrypted, or keys'],
  ],
  age: [[/(?:^| )(?:-\w*d\w*|--decrypt)(?: |$)/, 'what was encrypted']],
  openssl: [
    [/(?:^| )pkcs12\b(?=.* -in\b)(?!.* -nokeys\b)/, 'keys'],
    [/(?:^| )-d(?: |$)|(?:^| )(?:rsautl|pkeyutl|cms|smime)\b.*-decrypt\b/, 'what was encrypted'],
  ],
  systemctl: [[/(?:^| )show\b.*Environment|(?:^| )show-environment\b/i, 'variables of services']],
  getent: [[/(?:^| )g?shadow(?: |$)/, 'passwords of this machine']],
  psql: [[/\bpg_(?:shadow|authid|user_mapping)\b/i, 'passwords of a database']],
  mysql: [[/\bmysql\s*\.\s*`?user\b|authentication_string/i, 'passwords of a database']],
  'redis-cli': [[/(?:^| )(?:config get|acl )/i, 'passwords of a database']],
  vercel: [[/(?:^| )env\b/, secrets]],
  netlify: [[/(?:^| )env\b/, secrets]],
  railway: [[/(?:^| )(?:variables|run)\b/, secrets]],
  pulumi: [[/(?:^| )--show-secrets(?: |=|$)/, secrets]],
  supabase: [[/(?:^| )(?:status|secrets|projects api-keys)\b/, secrets]],
  stripe: [[/(?:^| )config\b/, secrets]],
  heroku: [[/(?:^| )(?:config|auth)(?::\S*)?(?: |$)|-credentials\b|:credentials\b/, secrets]],
  crane: [[/(?:^| )auth (?:get|token)\b/, tokens]],
  keyring: [[/(?:^| )get\b/, secrets]],
  // Letters without a dash are options of BSD, and `e` shows variables; not where a value is due.
  ps: [
    [
      /(?:^| )(?<!(?:^| )(?:-[A-Za-z]*[CFGNOUgkopqstu]|--[a-z-]+|[A-Za-z]*[OUkopt]) )[A-Za-z]*e[A-Za-z]*(?= |$)/,
      'variables of programs',
    ],
    [/(?:^| )-[A-Za-z]*E|\benviron/, 'variables of programs'],
  ],
  printenv: [[printsVariables, 'variables']],
  infisical: [[/./, secrets]],
  doppler: [[/./, secrets]],
  chamber: [[/./, secrets]],
  op: [[/./, secrets]],
  'aws-vault': [[/./, secrets]],
};

const aliases: Readonly<Record<string, string>> = {
  tofu: 'terraform',
  gpg2: 'gpg',
  rage: 'age',
  mariadb: 'mysql',
  pgcli: 'psql',
  'valkey-cli': 'redis-cli',
};

/** Commands that say so themselves, of programs of which nothing else is known. */
const telling =
  /^(?:(?:\S+[-:])?(?:tokens?|passwords?|passphrase|credentials?|secrets?|access-?keys?|api-?keys?|private-?keys?|decrypt|unseal|print-\S*token)|\S+:(?:env|config)|generate-token|show-secret\S*)$/i;

/** What these words print or hand on, to complete "Prints …"; null where they do not. */
export function disclosed(
  name: string,
  words: readonly string[],
  own?: readonly Shows[],
): string | null {
  const one = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  const rows = own ?? (Object.hasOwn(shown, one) ? shown[one] : undefined);
  if (rows === undefined) return null;
  const line = words.join(' ');
  const fitting = rows.find(([fits]) => (fits instanceof RegExp ? fits.test(line) : fits(words)));
  return fitting?.[1] ?? null;
}

function printsVariables(words: readonly string[]): boolean {
  const named = words.filter((word) => !word.startsWith('-'));
  if (words.includes('--help') || words.includes('--version')) return false;
  return named.length === 0 || named.some((name) => mayBeSecret(name));
}

/** Names of variables that tell nobody's secret. */
const plainVariable =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|OLDPWD|TERM|COLORTERM|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|EDITOR|VISUAL|PAGER|DISPLAY|HOSTNAME|SHLVL|CI|DEBUG|NO_COLOR|FORCE_COLOR|NODE_ENV|NODE_VERSION|RAILS_ENV|GO\w+|RUST\w*|CARGO_\w*|JAVA_HOME|VIRTUAL_ENV|CONDA_\w+|PYTHON\w*|MANPATH|XDG_\w+|COLUMNS|LINES|ENV|VERSION|\w*PATH|\w*_(?:HOME|DIR|ENV|VERSION|PORT|REGION|MODE|LEVEL))$/;

/** Whether a variable may hold what lets somebody in: one is, until its name is known to be plain. */
export function mayBeSecret(variable: string): boolean {
  return (
    !plainVariable.test(variable) ||
    /KEY|TOKEN|SECRET|PASS|CRED|AUTH|COOKIE|SESSION/i.test(variable)
  );
}

/** The same for a program without a record: one of its first words says it. */
export function saysItDiscloses(words: readonly string[]): boolean {
  return words
    .filter((word) => !word.startsWith('-'))
    .slice(0, 3)
    .some((word) => word.length < 64 && telling.test(word));
}
