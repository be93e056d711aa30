import type { ProgramRecord } from '../types.ts';
import { plainly, projectTools } from './shapes.ts';

/** They turn the files that they are given into others, or lay them out. */
const changers: readonly ProgramRecord[] = [
  ...plainly(
    'Turns files into others.',
    `bc col colrm dos2unix unix2dos mac2unix iconv recode nkf lz4c uudecode uuencode unix2mac fx gron xsv csvcut csvlook csvgrep csvjson
    csvkit miller mlr dasel jo xxd fallocate setfacl chattr xattr ditto trash ts`,
    { use: 'edits', pins: /^(?:-f$|from|put|tee|split|system|exec)/ },
    'exact',
  ),
  ...plainly(
    'Checks or lays out source text.',
    `actionlint astyle buf clang-format codespell dprint shellcheck shfmt markdownlint markdownlint-cli2 misspell rustfmt hadolint ktfmt swiftformat
    swiftlint taplo tflint typos uncrustify yamlfmt yamllint google-java-format jsonlint stylua nixfmt alejandra buildifier cspell write-good proselint
    licensecheck`,
    { use: 'edits', runs: true },
    'files',
  ),
  ...plainly(
    'Turns pictures and documents into others.',
    `dot neato cwebp dwebp gifsicle jpegoptim jpegtran optipng oxipng pngquant pngcrush qpdf pdftoppm pdftotext pdfunite pdfseparate rsvg-convert svgo typst
    xmlstarlet xsltproc wkhtmltoimage lame flac opusenc xmllint plutil`,
    { use: 'edits', pins: /^(?:--?(?:enable-local-file-access|shell)|-l$)/ },
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
    { use: 'edits', pins: /^(?:--?(?:session|download-as|plugins|cert|proxy|verify)|plugins|cli)/ },
    'exact',
  ),
];

const checkers = projectTools(
  'Builds, checks or tests a project.',
  `pylint flake8 isort yapf bandit pre-commit sphinx-build mkdocs phpunit phpstan psalm pest pint rector cucumber standardrb
  terragrunt helmfile kustomize uvicorn gunicorn hypercorn flask django-admin celery rq honcho foreman overmind streamlit chalice zappa amplify packer
  invoke doit dagger garden devspace atlantis golangci-lint goreleaser`,
  {
    pins: /^--?(?:ini[\w-]*|lo[\w-]*|pythonpath|exec|app|factory|reload)(?:=|$)|^(?:inspect|console|shell)$/,
    why: 'an option loads code from elsewhere',
  },
);

export const changerPrograms: readonly ProgramRecord[] = [...changers, ...checkers];
