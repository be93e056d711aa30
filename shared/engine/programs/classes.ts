import { executing, risk } from './forms.ts';
import type { Argument, Doubt, ProgramRecord, Reading, RiskOf, Taken } from './types.ts';

/**
 * What is the same in many programs and has the same names in most: options that weaken a check,
 * commands that change who one is logged in as, commands that throw work away. Records need not say
 * these again.
 */

/** Options without a value, without their dashes and in small letters. */
const weakens = new RegExp(
  `^(?:${`insecure (?:proxy|doh|allow)-insecure allow-insecure-\\w+ (?:kube-)?insecure-skip-tls-verify(?:-backend)?
  insecure-(?:ignore-\\w+|policy|http-parser|registry) tls-skip-verify skip-(?:tls-)?verify skip-verification
  no-verify no-verify-(?:ssl|tls|signatures?|hashes|store-integrity|checksums?) no-check-certificates? no-check-sigs
  no-require-sigs no-?gpg-?checks? no-gpg-verify no-gpg-sign no-verify-host allow-unauthenticated
  allow-downgrades allow-change-held-packages trust-server-cert always-trust nosignature nodigest
  disable-content-trust no-hsts ssl-no-revoke ssl-revoke-best-effort (?:proxy-)?ssl-allow-beast
  (?:tls|ssl)allowinvalid(?:certificates|hostnames) tlsinsecure skip-ssl plaintext plain-http no-secure-http
  ignore-cert(?:s|ificate-errors)? unsafely-ignore-certificate-errors no-quarantine dangerous dangerously-[\\w-]+
  yolo force-(?:all|bad-verify|confmiss) disable-openapi-validation break-system-packages tlsv1(?:\\.[01])? sslv[23]
  tls-min-v1\\.[01] no-sandbox disable-web-security no-strict-ssl no-strict-host-key-checking no-certificate-check`
    .split(/\s+/)
    .join('|')})$`,
);

/** The same with a value that turns a check off. */
const turnedOff: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [
    /^(?:(?:src-|dest-)?tls-?verify|verify(?:-ssl|-tls|-plugins)?|ssl-?verify|check-certificates?|strict-ssl|validate|host-key-checking|lock)$/,
    /^(?:no|false|0|off|none|ignore)$/i,
  ],
  [/^ssl-?mode$/, /^(?:disabled?|preferred|allow)$/i],
  [/^trust-model$/, /^always$/],
  [/^(?:trust-policy|p)$/, /^(?:No|Low)Security$/],
  [/^secure-protocol$/, /^(?:SSLv\d|TLSv1(?:_[01])?)$/i],
  [/^(?:proxy-)?tls-max$/, /^1\.[01]$/],
  [/^trust-server-cert-failures$/, /./],
];

/** Letters that say it in one program, and options that name who else is to be believed. */
const ofProgram: Readonly<Record<string, RegExp>> = {
  curl: /^-[k123]$|^--(?:proxy-)?(?:cacert|capath)$/,
  wget: /^--ca-(?:certificate|directory)$/,
  file: /^-S$/,
  conda: /^-k$/,
  mamba: /^-k$/,
  'ansible-galaxy': /^-c$/,
};

function isWeakening({ program, command }: Reading, { name, value, negated }: Given): boolean {
  const plain = name.replace(/^--?/, '').toLowerCase();
  const called = negated && !plain.startsWith('no-') ? `no-${plain}` : plain;
  if (negated && turnedOff.some(([option]) => option.test(plain))) return true;
  if (/^(?:commit|am)$/.test(command[0] ?? '') && program === 'git' && name === '-n') return true;
  if (Object.hasOwn(ofProgram, program) && ofProgram[program]?.test(name) === true) return true;
  if (value !== null)
    return turnedOff.some(([option, given]) => option.test(plain) && given.test(value));
  return weakens.test(called);
}

type Given = Pick<Taken, 'name' | 'value' | 'negated' | 'word'>;

/** Options as they were taken, and words that look like one where the record takes none. */
function givenOf({ options }: Reading, args: readonly Argument[]): readonly Given[] {
  const taken = new Set(options.flatMap(({ word, valueWord }) => [word, valueWord]));
  const end = args.findIndex(({ text }) => text === '--');
  const loose = args.slice(0, end === -1 ? undefined : end).flatMap(({ text }, word): Given[] => {
    const [, name, value = null] = /^(--?[a-zA-Z][\w.-]*)(?:=(.*))?$/s.exec(text) ?? [];
    return name === undefined || taken.has(word) ? [] : [{ name, value, negated: false, word }];
  });
  return [...options.map((one) => withValue(one, args[one.word]?.text ?? '')), ...loose];
}

/** Some records take a word whole, and leave its value in it. */
function withValue(one: Given, text: string): Given {
  const [, name, value] = /^(--?[a-zA-Z][\w.-]*)=(.*)$/s.exec(text) ?? [];
  return one.value !== null || name === undefined || value === undefined
    ? one
    : { ...one, name, value };
}

function weakening(reading: Reading, args: readonly Argument[]): readonly RiskOf[] {
  const given = givenOf(reading, args).filter((one) => isWeakening(reading, one));
  const local = /localhost|127\.0\.0\.1|\/var\/run/;
  const open = args.flatMap(({ text }, word) =>
    /\bsslmode=(?:disable|allow|prefer)\b/.test(text) && !local.test(text) ? [word] : [],
  );
  const words = [...given.map(({ word }) => word), ...open];
  return words.length === 0
    ? []
    : [risk('weakened-check', 'low', 'Turns off or weakens a check that protects you.', words)];
}

const login =
  /^(?:(?:auth|account|registry|npm|user|session|sso|cloud)[ :])?(?:log-?in|log-?out|sign-?in|sign-?out|add-?user)(?: |$)/;
const switching =
  /^(?:auth (?:switch|refresh|setup-git|init|revoke|add|remove|delete|set|activate\S*)|config (?:set-credentials|set-context|use-context|delete-context|delete-user)|context use)(?: |$)/;

/** Project tools that also have an account somewhere; others take such a word for a task. */
const withAccount: ReadonlySet<string> = new Set(
  `wrangler expo eas nx turbo sam cdk amplify serverless sls vercel netlify storybook`.split(' '),
);

function loggingIn({ program, command, operands, commandWords }: Reading): readonly RiskOf[] {
  const loose = command.length === 0 && withAccount.has(program);
  if (command.length === 0 && !loose) return [];
  const texts = operands.map(({ text }) => text);
  const line = [...command, ...texts].slice(0, 3).join(' ');
  if (!login.test(line) && !switching.test(line)) return [];
  const words = loose ? operands.slice(0, 1).map(({ word }) => word) : commandWords;
  return [risk('login-change', 'low', 'Changes who you are logged in as.', words)];
}

const work = 'Throws away changes that are not committed, or commits.';
const data = 'Deletes what a database holds.';

/** By the words of the line, for programs whose records do not part their commands. */
const byWords: Readonly<Record<string, readonly (readonly [RegExp, string, string])[]>> = {
  hg: [
    [/(?:^| )(?:update|up|checkout|co)(?= .*(?:-\w*C\b|--clean))/, 'history-rewrite', work],
    [/(?:^| )(?:revert|purge|clean|strip|rollback|prune|histedit)(?: |$)/, 'history-rewrite', work],
  ],
  svn: [
    [/(?:^| )revert(?: |$)|--remove-(?:unversioned|ignored)/, 'history-rewrite', work],
    [/--accept[ =](?:t|theirs)|(?:^| )switch .*--force/, 'history-rewrite', work],
  ],
  jj: [[/(?:^| )(?:abandon|restore|undo|op(?:eration)? restore)(?: |$)/, 'history-rewrite', work]],
  rake: [[/(?:^| )db:(?:drop|reset|purge|migrate:reset|truncate)\S*/, 'data-loss', data]],
  rails: [[/(?:^| )db:(?:drop|reset|purge|migrate:reset|truncate)\S*/, 'data-loss', data]],
  gpg: [[/(?:^| )--delete-\S*key/, 'data-loss', 'Deletes keys.']],
  gpg2: [[/(?:^| )--delete-\S*key/, 'data-loss', 'Deletes keys.']],
  'ssh-keygen': [[/(?:^| )-R(?: |$)/, 'weakened-check', 'Forgets the key of a machine.']],
  'ssh-add': [[/^(?!.*-[lLTh])/, 'login-change', 'Changes the keys that log you in elsewhere.']],
};

function discarding({ program }: Reading, args: readonly Argument[]): readonly RiskOf[] {
  const found = Object.hasOwn(byWords, program) ? (byWords[program] ?? []) : [];
  const line = args.map(({ text }) => text).join(' ');
  return found
    .filter(([pattern]) => pattern.test(line))
    .map(([pattern, code, text]) => {
      const [match = ''] = pattern.exec(line) ?? [];
      const words = match
        .trim()
        .split(' ')
        .filter((one) => one !== '');
      const at = args.flatMap(({ text: one }, word) => (words.includes(one) ? [word] : []));
      return risk(code, 'low', text, at.length > 0 ? at : args.map((_, word) => word));
    });
}

/** What is to be said of a reading whatever its record is. */
export function inEveryRecord(reading: Reading, args: readonly Argument[]): readonly RiskOf[] {
  return [...weakening(reading, args), ...loggingIn(reading), ...discarding(reading, args)];
}

/**
 * Words by which a tool does more than the project says, where its record does not part its commands:
 * code stands in them, or they have something run later or elsewhere. Each is held against the line,
 * with a blank on both sides of every word.
 */
const further: Readonly<Record<string, readonly (readonly [line: RegExp, why: string])[]>> = {
  ansible: [[inventory(), 'ansible runs an inventory that is a program']],
  'ansible-playbook': [[inventory(), 'ansible runs an inventory that is a program']],
  'ansible-inventory': [[inventory(), 'ansible runs an inventory that is a program']],
  cspell: [[/ (?:link|init) | --?(?:reporter|plugin)/, 'cspell loads code, or changes settings']],
  'golangci-lint': [
    [
      / --out-format[= ]\S*:(?!std)| --output\.\S+\.path[= ]|-profile-path|--trace-path| custom /,
      'golangci-lint writes the file in an option',
    ],
  ],
  gradle: [[/ --scan /, 'gradle sends what it did to a service']],
  markdownlint: [[/ (?:-r|--rules?)/, 'markdownlint loads the rules that its arguments name']],
  meson: [[/ runpython /, 'meson runs code of its arguments']],
  mkdocs: [[/ gh-deploy /, 'mkdocs pushes what it made']],
  pdm: [[/ use (?!(?:python@?)?[\d.]+ )/, 'pdm starts the python that its arguments name']],
  playwright: [[/ (?:--with-deps|install-deps|uninstall) /, 'playwright changes this machine']],
  'pre-commit': [
    [
      / (?:install|uninstall|init-templatedir|hook-impl) /,
      'pre-commit changes what Git runs later',
    ],
  ],
  sbt: [
    [
      / (?:\S*[;<>~"'(){}]\S*|eval|set|apply|project|alias|onFailure|-?-sbt-\S+|-J\S*|\S* := \S*) /,
      'sbt takes its arguments for commands',
    ],
  ],
  terragrunt: [
    [
      / (?:run(?:-all)?|stack|apply\S*|destroy\S*|import|state|taint|untaint|force-unlock|exec|login|console|backend|scaffold|catalog) /,
      'terragrunt changes real services',
    ],
  ],
  helmfile: [[/ (?:apply|sync|destroy|delete|charts|test) /, 'helmfile changes real services']],
  yamllint: [[/ -\S*d\s?\S*[{:]| --config-data/, 'yamllint takes settings from its arguments']],
  uv: [
    [
      / python (?:\S+ )*?find (?:\S+ )*?\S*\/\S* /,
      'uv starts the interpreter that its arguments name',
    ],
    [
      / python (?:\S+ )*?(?:install|uninstall|upgrade|update-shell|pin) /,
      'uv changes which programs are found',
    ],
  ],
  wrangler: [[/ -- | --path-to-docker/, 'wrangler starts what its arguments name']],
};

/** An inventory that is no data of a known form, nor a list of names. */
function inventory(): RegExp {
  return / (?:-i ?|--inventory(?:-file)?[ =])(?! |[\w./-]+\.(?:ya?ml|ini|json|toml) |[\w.,-]*, )/;
}

/**
 * A value that begins as an option does. Tools that ask Git what has changed (`--changed`, `--since`,
 * `--only-changed`) hand it on, and there it writes a file: `--changed=--output=../x`.
 */
const optionWithin = /^--?[\w.-]+=\[?--[a-z]/;
const handsOn = /^--?[\w.-]*(?:args?|opts?|options?|flags?)=/i;

/** What has to be asked about whatever the record says. */
export function doubtsInEveryRecord(
  { program }: Reading,
  args: readonly Argument[],
  { project }: ProgramRecord,
): readonly Doubt[] {
  const own = Object.hasOwn(further, program) ? (further[program] ?? []) : [];
  const line = own.length === 0 ? '' : ` ${args.map(({ text }) => text).join(' ')} `;
  const found = own.filter(([pattern]) => pattern.test(line)).map(([, why]) => executing(why));
  const within =
    project === undefined
      ? -1
      : args.findIndex(({ text }) => optionWithin.test(text) && !handsOn.test(text));
  return within === -1
    ? found
    : [...found, executing(`${program} may hand on the option in a value of its own`, within)];
}
