import { risk } from '../forms.ts';
import type { Argument, CustomReading, Effect, Grammar, ProgramRecord } from '../types.ts';
import { fixed, plainly } from './shapes.ts';
import { projectTools } from './project-tools.ts';

const own =
  /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|[\w-]+\.localhost)?(?::(?![^/]*@)|[/?#]|$)/i;
const target = (args: readonly Argument[]): string => {
  const words = args.map(({ text }) => text).filter((text) => !text.startsWith('-'));
  const at = /^[A-Z]+$/.test(words[0] ?? '') ? 1 : 0;
  return words.find((text) => /^[a-z]+:\/\//i.test(text)) ?? words[at] ?? '';
};

/** A file behind `@` is sent. */
const sent: ProgramRecord['finds'] = (_reading, args) => {
  const files = args.flatMap(({ text }, word) => (/^@|^[\w-]+:?=?@/.test(text) ? [word] : []));
  const address = target(args);
  if (own.test(address)) return [];
  if (files.length > 0) return [risk('data-leaving', 'high', `Sends data to ${address}.`, files)];
  const changing = args.flatMap(({ text }, word) =>
    /^(?:POST|PUT|PATCH|DELETE)$/i.test(text) || /^[\w.[\]-]+:?=(?!=)/.test(text) ? [word] : [],
  );
  return changing.length === 0
    ? []
    : [risk('data-leaving', 'low', `Has ${address} change something.`, changing.slice(0, 8))];
};

/** So is what comes as input. */
function called(grammar: Grammar): Grammar {
  return {
    ...grammar,
    read: (args) => {
      const found = grammar.read?.(args) ?? { options: [], operands: [] };
      const address = target(args);
      if (address === '' || own.test(address)) return found;
      const away: Effect = { kind: 'reaches', address, direction: 'sends', input: true, word: -1 };
      return { ...found, effects: [...(found.effects ?? []), away] };
    },
  };
}

/** They turn the files that they are given into others, or lay them out. */
/** Of these it is sure that no word is more than read, where nothing of their words is in doubt. */
function onlyReading(record: ProgramRecord): ProgramRecord {
  const { read } = record.grammar;
  if (read === undefined) return record;
  const surely = (args: readonly Argument[]): CustomReading => {
    const found = read(args);
    if ((found.doubts ?? []).length > 0) return found;
    const effects = (found.effects ?? []).map((one) =>
      one.kind === 'path' && one.use === 'reads' ? { ...one, only: true as const } : one,
    );
    return { ...found, effects };
  };
  return { ...record, grammar: { ...record.grammar, read: surely } };
}

const changers: readonly ProgramRecord[] = [
  ...plainly(
    'Turns files into others.',
    `bc col colrm dos2unix unix2dos mac2unix iconv recode nkf lz4c uuencode unix2mac fx gron xsv csvjson
    csvkit dasel jo xxd fallocate xattr ditto trash ts`,
    { use: 'edits', pins: /^(?:-f$|from|put|tee|split|system|exec)/ },
    'exact',
  ),
  ...plainly(
    'Turns tables into others.',
    'miller mlr',
    {
      use: 'edits',
      pins: /^(?:-[fs]$|--?(?:prepipex?|m?load)(?:=|$)|from|put|filter|tee|split|case|system|exec)/,
    },
    'exact',
  ),
  ...plainly(
    'Changes who may use files.',
    'setfacl chattr',
    { use: 'edits', pins: /^--rest/, why: 'setfacl takes names of files from another' },
    'exact',
  ).map((record): ProgramRecord => ({
    ...record,
    keepsContent: true,
    finds: (_reading, args) =>
      args.some(({ text }) => /^-[A-Za-z]*R|^--recursive/.test(text))
        ? [risk('mass-permissions', 'high', 'Changes who may use everything below a folder.')]
        : [],
  })),
  ...plainly(
    'Checks source text.',
    'cppcheck brakeman erblint erb_lint haml-lint slim-lint reek i18n-tasks',
    {
      use: 'edits',
      runs: true,
      pins: /^(?:--?(?:r|require|c|config|options?|o|output|addon|project|library|plist|dump|rule-file|cppcheck-build-dir|clang|add-engines|ruby)(?:[=-]|$)|-[rco])/,
    },
    'exact',
  ),
  ...[
    ...plainly(
      'Checks source text.',
      'shellcheck hadolint yamllint',
      { use: 'reads', runs: true },
      'files',
    ),
    ...plainly(
      'Checks workflows of GitHub.',
      'actionlint',
      {
        use: 'reads',
        pins: /^--?(?:shellcheck|pyflakes|config-file|init-config|format)/,
        why: 'actionlint starts programs that its options name',
      },
      'files',
    ),
  ].map(onlyReading),
  ...plainly(
    'Checks or lays out source text.',
    `astyle clang-format codespell dprint shfmt markdownlint markdownlint-cli2 misspell rustfmt ktfmt swiftformat
    swiftlint taplo tflint typos uncrustify yamlfmt google-java-format jsonlint stylua nixfmt alejandra buildifier cspell write-good proselint
    licensecheck`,
    {
      use: 'edits',
      runs: true,
      pins: /^(?:--?(?:files|init)(?:=|$)|-F)/,
      why: 'an option names what is started, or a list of files',
    },
    'files',
  ),
  ...plainly(
    'Checks C and its like.',
    'clang-check',
    {
      use: 'edits',
      runs: true,
      pins: /^(?:--?(?:extra-arg(?:-before)?|load|vfsoverlay|config-file)(?:=|$)|--$)/,
      why: 'an option is handed to the compiler, which loads plug-ins',
    },
    'files',
  ),
  ...plainly(
    'Packs or unpacks files.',
    'lzop',
    { use: 'edits', pins: /^(?:-[a-zA-Z]*[NPp]|--na|--pa)/, why: 'the archive names its files' },
    'exact',
  ),
  ...plainly(
    'Checks, lays out or turns definitions of messages into code.',
    'buf',
    {
      use: 'edits',
      runs: true,
      pins: /^(?:generate|push|registry|plugin|beta|alpha|curl)$/,
      why: 'buf starts plug-ins, or changes what others use',
    },
    'files',
  ),
  ...plainly(
    'Turns pictures and documents into others.',
    `dot neato cwebp dwebp gifsicle jpegoptim jpegtran optipng oxipng pngquant pngcrush qpdf pdftoppm pdftotext pdfunite pdfseparate rsvg-convert svgo typst
    xmlstarlet wkhtmltoimage lame flac opusenc plutil`,
    { use: 'edits', pins: /^(?:--?(?:enable-local-file-access|shell)|-l$|tr$|transform$)/ },
    'exact',
  ),
  ...plainly(
    'Answers, waits or prints.',
    'pbcopy pbpaste usleep xclip xsel',
    { use: 'reads' },
    'exact',
  ),
  ...plainly(
    'Calls addresses.',
    'http https xh httpie grpcurl',
    {
      use: 'edits',
      // What it downloads, it names as the other side says.
      pins: /^(?:--?(?:session|download|continue|plugins|cert|proxy|verify)|-[a-zA-Z]*d|plugins|cli)/,
    },
    'exact',
  ).map((record): ProgramRecord => ({ ...record, finds: sent, grammar: called(record.grammar) })),
];

/** Commands by which some of these publish, or build on other machines. */
const lasting: Readonly<Record<string, RegExp>> = {
  goreleaser: /^(?:release|publish|announce|continue)(?: |$)/,
  packer: /^(?:build|hcp-sbom-provisioner|plugins|init)(?: |$)/,
  terragrunt: /(?:^| )(?:apply|destroy|import|taint|untaint|force-unlock|run-all|run|stack)(?: |$)/,
};

const checkers = projectTools(
  'Builds, checks or tests a project.',
  `pylint flake8 isort yapf bandit pre-commit sphinx-build mkdocs phpunit phpstan psalm pest pint rector cucumber standardrb
  terragrunt helmfile uvicorn gunicorn hypercorn flask django-admin celery rq honcho foreman overmind streamlit chalice zappa amplify packer
  invoke doit dagger garden devspace atlantis golangci-lint staticcheck goreleaser ansible-lint`,
  {
    pins: /^--?(?:ini[\w-]*|lo[\w-]*|pythonpath|exec|app|factory|reload)(?:=|$)|^(?:inspect|console|shell|custom)$/,
    why: 'an option loads code from elsewhere',
  },
).map((record): ProgramRecord => {
  const beyond = Object.hasOwn(lasting, record.names[0] ?? '')
    ? lasting[record.names[0] ?? '']
    : undefined;
  return beyond === undefined ? record : { ...record, beyond };
});

const kustomizes = projectTools('Puts manifests together.', 'kustomize', {
  pins: /^(?:fn|edit|localize|--?(?:enable-[\w-]+|helm-command|load-restrictor|network|mount|env|as-current-user)(?:=.*)?|-e)$/,
  why: 'kustomize starts programs, or changes what it puts together',
});

export const changerPrograms: readonly ProgramRecord[] = [
  ...changers,
  ...checkers,
  ...kustomizes,
  ...fixed('pinned', 'publishes the project', 'np release-it semantic-release jreleaser'),
  ...fixed('pinned', 'changes the services of a cluster', 'istioctl linkerd'),
  ...fixed('pinned', 'writes the file that its input names', 'uudecode'),
  ...fixed('pinned', 'reads and writes what a stylesheet says', 'xsltproc'),
  ...fixed('pinned', 'reads and writes what a script says', 'conjure'),
  ...fixed('pinned', 'runs commands that a document holds', 'dvips'),
];
