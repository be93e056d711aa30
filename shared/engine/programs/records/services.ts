import { doubt, flag, path, projectFile, risk } from '../forms.ts';
import { getoptCommand } from '../syntax.ts';
import type { Argument, CustomReading, ProgramRecord, Reading, RiskOf } from '../types.ts';
import { chooses, lineOf } from './findings.ts';
import { commandTool } from './command-tool.ts';
import { readLoosely } from './shapes.ts';

/** A program of many commands, of which some only look. The others are pinned. */
interface Service {
  readonly name: string;
  readonly does: string;
  /** The words that only look, joined by blanks. */
  readonly looks: RegExp;
  readonly risky?: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  /** Options without a value, which may stand in front of the command. */
  readonly flags?: RegExp;
  readonly why: string;
  /** As in a record. */
  readonly calledAs?: readonly string[];
  /** Commands whose words name nothing on this machine. */
  readonly named?: RegExp;
  readonly finds?: (line: string, args: readonly Argument[]) => readonly RiskOf[];
  /** As in a record. */
  readonly elsewhere?: true;
  /** What it allows without only looking. */
  readonly moves?: RegExp;
  /** A word behind its commands is a file that it writes. */
  readonly outfile?: true;
  /** All words where the last operand is a folder, into which the service puts files. */
  readonly brings?: RegExp;
  readonly environment?: Readonly<Record<string, string>>;
  readonly chooses?: readonly string[];
}

/** Options whose value is a name at the service, which may look like a path. */
const elsewhere = /^--(?:[a-z-]*-)?(?:name|names|prefix|arn|path-prefix|group|stream|id|ids)$/;

function readService(service: Service, args: readonly Argument[]): CustomReading {
  const { looks, risky, valued, flags, why, moves, named } = service;
  const loose = readLoosely(args, { use: 'edits' }, service.name);
  const words = args.filter(
    ({ text }, at) => !text.startsWith('-') && valued?.test(args[at - 1]?.text ?? '') !== true,
  );
  const line = lineOf(args, valued);
  const asks =
    words.length === 0 && args.every(({ text }) => /^--?(?:version|help|h|v)$/i.test(text));
  const looking = words.length === 0 ? asks : looks.test(line) || moves?.test(line) === true;
  const chosen = args.findIndex(({ text }) => risky?.test(text) === true);
  // An option that is not known may take a word that seems to be the command.
  const hidden = args.findIndex(
    ({ text }, at) =>
      text.startsWith('-') &&
      !text.includes('=') &&
      valued?.test(text) !== true &&
      flags?.test(text) !== true &&
      at < args.indexOf(words[0] ?? args[0] ?? { text: '', live: null }),
  );
  const all = args.map(({ text }) => text).join(' ');
  const whole = service.brings?.test(all) === true;
  const target =
    service.brings !== undefined && moves?.test(line) === true ? words.at(-1) : undefined;
  const name = words.at(-2)?.text.replace(/^.*[/:]/s, '') ?? '';
  const landed =
    target === undefined || name === '' ? [] : [path('writes', name, -1, { base: target.text })];
  const brought =
    target === undefined || /^[\w.-]+:/.test(target.text)
      ? []
      : [path(whole ? 'into' : 'writes', target.text, args.indexOf(target)), ...landed];
  const isOutfile = (word: number): boolean =>
    service.outfile === true &&
    word === args.length - 1 &&
    words.findIndex((one) => one === args[word]) > 1;
  return {
    options: loose.options,
    operands: loose.operands,
    effects: (loose.effects ?? [])
      .filter(
        (effect) =>
          effect.kind === 'path' &&
          (/[/.~]/.test(effect.path) || isOutfile(effect.word)) &&
          named?.test(line) !== true &&
          !elsewhere.test(args[effect.word - 1]?.text ?? ''),
      )
      .concat(brought),
    doubts: [
      ...(loose.doubts ?? []),
      ...(looking ? [] : [doubt(why)]),
      ...(chosen === -1 ? [] : [doubt(why, chosen)]),
      ...(hidden === -1 || asks ? [] : [doubt(why, hidden)]),
    ],
  };
}

const prints = (what: string): readonly RiskOf[] => [
  risk('credential-path', 'high', `Prints ${what}.`),
];
const destroys = (text: string): readonly RiskOf[] => [risk('data-loss', 'high', text)];
/** From here to a store. */
const copies = (line: string, program: string): readonly RiskOf[] =>
  /(?:^| )(?:cp|mv|sync|copy|put|rsync|mirror) (?!s3:|gs:|az:|[\w-]+:)\S+(?: \S+)* (?:(?:s3|gs|az):\/\/|[\w-]+:)\S*$/.test(
    line,
  )
    ? [risk('data-leaving', 'high', `Copies files to a store with ${program}.`)]
    : [];

const services: readonly Service[] = [
  {
    name: 'aws',
    does: 'Works on services of Amazon.',
    looks:
      /^(?:s3 (?:ls|presign)|sts|\S+ (?:describe|list|get|head|lookup|search|filter|batch-get)-|logs tail|help|configure list)/,
    moves: /^s3 (?:cp|sync|mv)/,
    brings: /^s3 (?:sync|(?:cp|mv)(?=.* --recursive))/,
    elsewhere: true,
    outfile: true,
    named: /^logs (?:tail|get-|describe-|filter-)/,
    risky: /^(?:--(?:endpoint|profile=.*\/|ca-bundle|cli-input|no-verify|query-file)|fileb?:\/\/)/,
    valued: /^--(?:region|profile|output|query|color|cli-read-timeout|cli-connect-timeout)$/,
    why: 'aws changes services and starts programs on other machines',
    environment: {
      AWS_CONFIG_FILE: 'names settings of aws, which can run a program for its credentials',
      AWS_SHARED_CREDENTIALS_FILE: 'names settings of aws, which can run a program',
      AWS_PAGER: 'names a program that aws starts',
      'AWS_ENDPOINT_*': 'decides which machine aws talks to',
      AWS_ENDPOINT_URL: 'decides which machine aws talks to',
      AWS_CA_BUNDLE: 'makes aws trust other certificates',
      'AWS_CONTAINER_*': 'decides from where aws takes credentials',
      'AWS_EC2_METADATA_*': 'decides from where aws takes credentials',
      AWS_WEB_IDENTITY_TOKEN_FILE: 'names a file that aws sends away',
      AWS_DATA_PATH: 'decides from where aws loads what it knows of services',
    },
    chooses:
      `AWS_PROFILE AWS_DEFAULT_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_DEFAULT_OUTPUT AWS_MAX_ATTEMPTS
      AWS_RETRY_MODE`.split(/\s+/),
    finds: (line, args) => [
      ...(/^(?:secretsmanager (?:get|batch-get)-secret|ssm get-parameters?|sts get-session-token|configure (?:get|export-credentials)|ecr get-login)/.test(
        line,
      ) && !(line.startsWith('ssm') && !args.some(({ text }) => text === '--with-decryption'))
        ? prints('AWS credentials')
        : []),
      ...(/^s3 (?:rm|rb)\b/.test(line) ||
      /^\S+ (?:delete|terminate|destroy|purge|remove)-/.test(line)
        ? destroys('Deletes what a service keeps.')
        : []),
      ...(/^s3 (?:sync|mv)\b/.test(line) && args.some(({ text }) => text === '--delete')
        ? destroys('Deletes what a service keeps.')
        : []),
      ...copies(line, 'aws'),
    ],
  },
  {
    name: 'gcloud',
    does: 'Works on services of Google.',
    looks:
      /^(?:(?:(?:alpha|beta) )?(?:\S+ ){0,3}(?:list|describe|get-value|read|get-iam-policy|tail)(?: |$)|info|version|help)/,
    risky: /^--(?:ssh|scp|flags-file|configuration|impersonate|command)/,
    valued: /^--(?:project|region|zone|format|filter|limit|account)$/,
    elsewhere: true,
    why: 'gcloud changes services and starts programs on other machines',
    environment: {
      'CLOUDSDK_*': 'holds settings of gcloud, which can name programs',
      CLOUDSDK_PYTHON: 'names a program that gcloud starts',
      CLOUDSDK_CONFIG: 'names settings of gcloud',
    },
    finds: (line) => [
      ...(/^auth (?:print-|application-default print-)/.test(line)
        ? prints('Google Cloud credentials')
        : []),
      ...(/\b(?:delete|destroy|remove)\b|\brm -r/.test(line)
        ? destroys('Deletes what a service keeps.')
        : []),
      ...copies(line, 'gcloud'),
    ],
  },
  {
    name: 'az',
    does: 'Works on services of Microsoft.',
    looks: /^(?:\S+ ){0,3}(?:list|show|version|help)(?: |$)/,
    valued: /^(?:-o|--output|--query|--subscription|-g|--resource-group)$/,
    elsewhere: true,
    why: 'az changes services and starts programs on other machines',
    finds: (line) => [
      ...(/^(?:account get-access-token|keyvault secret (?:show|download))/.test(line)
        ? prints('Azure credentials')
        : []),
      ...(/^storage \S+ upload/.test(line)
        ? [risk('data-leaving', 'high', 'Copies files to a store with az.')]
        : []),
      ...(/\b(?:delete|destroy|remove)\b/.test(line)
        ? destroys('Deletes what a service keeps.')
        : []),
    ],
  },
  {
    name: 'firebase',
    does: 'Works on services of Firebase.',
    looks:
      /^(?:projects:list|apps:list|functions:(?:list|log)|hosting:\S*list|help|--version)(?: |$)/,
    why: 'firebase runs commands and hooks of the project',
  },
  {
    name: 'ip',
    does: 'Shows and changes the network.',
    looks:
      /^(?:a|addr|address|l|link|r|ro|route|n|neigh|rule|maddr)(?: (?:show|list|ls|get)\b.*)?$/,
    risky: /^-(?:b|ba|n|net)/,
    valued: /^-(?:f|family)$/,
    why: 'ip runs commands in other namespaces and changes the network',
  },
  {
    name: 'rustup',
    does: 'Chooses and updates the tools of Rust.',
    looks:
      /^(?:show(?: (?:active-toolchain|home|profile))?|check|which (?:rustc|cargo|rustfmt)|(?:toolchain|target|component|override) list)$/,
    flags: /^-(?:v|-verbose|q|-quiet)$/,
    risky: /^-(?!(?:v|q|h|-verbose|-quiet|-installed|-help|V|-version)$)/,
    why: 'rustup installs and starts programs',
    // A link to it hands all words to the tool of that name; a project chooses its version.
    calledAs: ['cargo', 'rustc'],
  },
  {
    name: 'launchctl',
    does: 'Shows, starts and stops services.',
    looks: /^(?:list|print|print-disabled|blame|version|help)(?: |$)/,
    why: 'launchctl starts services',
    finds: (line) =>
      /^(?:load|bootstrap|enable|submit)\b/.test(line)
        ? [risk('persistence', 'high', 'Has a service start by itself.')]
        : [],
  },
  {
    name: 'gsutil',
    does: 'Works on stores of Google.',
    looks: /^(?:ls|cat|stat|du|version|help)(?: |$)/,
    why: 'gsutil changes what a store keeps',
    finds: (line) => [
      ...(/^(?:rm|rb)\b/.test(line) ? destroys('Deletes what a service keeps.') : []),
      ...copies(line, 'gsutil'),
    ],
  },
  {
    name: 'rclone',
    does: 'Copies to and from stores.',
    looks: /^(?:ls|lsd|lsl|lsf|lsjson|size|version|help|about|tree)(?: |$)/,
    risky: /^--(?:config|password-command|rc|metadata-mapper|sftp-ssh|header)/,
    why: 'rclone copies and deletes files, and starts the programs in its settings',
    finds: (line) =>
      /^(?:copy|copyto|sync|move|moveto|bisync)\b/.test(line)
        ? [risk('data-leaving', 'high', 'Copies files with rclone.')]
        : /^(?:delete|purge|deletefile)\b/.test(line)
          ? destroys('Deletes what a service keeps.')
          : [],
  },
];

const serviceRecords: readonly ProgramRecord[] = services.map((service) => ({
  names: [service.name],
  does: service.does,
  ...(service.elsewhere === undefined ? {} : { elsewhere: service.elsewhere }),
  // All that neither looks nor copies is a doubt.
  beyond: /^s3 mv\b/,
  ...(service.finds === undefined
    ? {}
    : {
        finds: (_reading: Reading, args: readonly Argument[]) =>
          service.finds?.(lineOf(args, service.valued), args) ?? [],
      }),
  ...(service.environment === undefined ? {} : { environment: service.environment }),
  ...(service.chooses === undefined ? {} : { chooses: service.chooses }),
  ...(service.calledAs === undefined ? {} : { calledAs: service.calledAs }),
  grammar: {
    syntax: getoptCommand,
    read: (args) => readService(service, args),
    offers: ({ doubts, operands }) => {
      const line = operands.map(({ text }) => text).join(' ');
      return doubts.length === 0 && service.moves?.test(line) !== true ? 'reads' : 'exact';
    },
  },
}));

/** A saved plan is carried out without a question, and so is what changes the state itself. */
const unasked =
  /^(?:destroy\b|apply \S|state (?:push|rm|mv|replace-provider)\b|workspace delete\b|force-unlock\b|import\b|taint\b|test\b)/;
const terraformTool = commandTool({
  names: ['terraform', 'tofu'],
  does: 'Changes services to what files of a project say.',
  front: {
    '-version -help -v -h': flag,
    '-chdir': projectFile,
  },
  plain:
    'apply destroy fmt get import init refresh state taint untaint test workspace force-unlock',
  looks: 'graph output plan providers show validate version metadata',
  looksWith:
    /^--?(?:out|var|var-file|target|exclude|input|lock|lock-timeout|refresh|refresh-only|detailed-exitcode|parallelism|compact-warnings|destroy|replace|no-color|json|raw|generate-config-out|test-directory|no-tests|type|draw-cycles|module-depth|plan|fs-mirror|net-mirror|platform|enable-plugin-cache)(?:=.*)?$/,
  runs: 'console login',
  pins: /^--?(?:chdir|plugin-dir|from-module|backend-config|migrate-state|force-copy|backup|state)/,
  why: chooses('terraform'),
  environment: {
    'TF_CLI_*': 'holds options of terraform, which can name programs',
    'TF_PLUGIN_*': 'names plug-ins of terraform',
    TF_CLI_CONFIG_FILE: 'names settings of terraform',
    TF_PLUGIN_CACHE_DIR: 'names plug-ins of terraform',
    TF_CLI_ARGS: 'holds options of terraform',
    TF_REATTACH_PROVIDERS: 'names programs that terraform talks to',
    TF_DATA_DIR: 'names plug-ins of terraform',
    TF_LOG_PATH: 'names a file that terraform writes',
  },
  chooses:
    `TF_VAR_* TF_IN_AUTOMATION TF_INPUT TF_LOG TF_WORKSPACE AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION`.split(
      /\s+/,
    ),
});
const terraform: ProgramRecord = {
  ...terraformTool,
  grammar: {
    ...terraformTool.grammar,
    syntax: { ...getoptCommand, singleDash: true, clusters: false },
  },
  elsewhere: true,
  beyond: /^(?:apply|destroy|import|refresh|taint|untaint|force-unlock|test)$/,
  finds: (_reading, args) =>
    unasked.test(lineOf(args)) || args.some(({ text }) => /^-?-(?:auto-approve|yes)$/.test(text))
      ? [risk('production-target', 'high', 'Changes real services without asking again.')]
      : [],
};

export const servicePrograms: readonly ProgramRecord[] = [...serviceRecords, terraform];
