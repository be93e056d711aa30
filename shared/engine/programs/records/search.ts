import {
  chosenFiles,
  executes,
  flag,
  has,
  inert,
  merge,
  optional,
  path,
  reads,
  starts,
} from '../forms.ts';
import { clap, gnu } from '../syntax.ts';
import type { Options, ProgramRecord, Reading, Yield } from '../types.ts';

const word = optional(inert);

/** The first operand is the pattern, unless options gave one; the others are files or folders. */
function searched(reading: Reading, given: readonly string[], tree: boolean, some = false): Yield {
  const files = has(reading, ...given) ? reading.operands : reading.operands.slice(1);
  const named = files.map(({ text, live, word: at }) =>
    text === '-' ? {} : { effects: [path('reads', text, at, { tree, some, live: live !== null })] },
  );
  const here =
    tree && files.length === 0 ? [{ effects: [path('reads', '.', -1, { tree, some })] }] : [];
  return merge([...named, ...here]);
}

const grep: ProgramRecord = {
  names: ['grep', 'ggrep', 'egrep', 'fgrep', 'rgrep'],
  does: 'Searches files for lines that match.',
  held: {},
  environment: {
    GREP_OPTIONS: 'holds options of old versions',
  },
  grammar: {
    syntax: gnu,
    numeric: /^-[0-9]+$/,
    options: {
      '-E --extended-regexp': flag,
      '-F --fixed-strings --fixed-regexp': flag,
      '-G --basic-regexp': flag,
      '-P --perl-regexp': flag,
      '-X': inert,
      '-e --regexp': inert,
      '-f --file': reads,
      '-i -y --ignore-case': flag,
      '--no-ignore-case': flag,
      '-w --word-regexp': flag,
      '-x --line-regexp': flag,
      '-z --null-data': flag,
      '-s --no-messages': flag,
      '-v --invert-match': flag,
      '-V --version': flag,
      '--help': flag,
      '-m --max-count': inert,
      '-b --byte-offset': flag,
      '-n --line-number': flag,
      '--line-buffered': flag,
      '-H --with-filename': flag,
      '-h --no-filename': flag,
      '--label': inert,
      '-o --only-matching': flag,
      '-q --quiet --silent': flag,
      '--binary-files': inert,
      '-a --text': flag,
      '-I': flag,
      '-d --directories': inert,
      '-D --devices': inert,
      '-r --recursive': flag,
      '-R --dereference-recursive': flag,
      '--include': chosenFiles,
      '--exclude': inert,
      '--exclude-from': reads,
      '--exclude-dir': inert,
      '-L --files-without-match': flag,
      '-l --files-with-matches': flag,
      '-c --count': flag,
      '-T --initial-tab': flag,
      '-Z --null': flag,
      '-u --unix-byte-offsets': flag,
      '-B --before-context': inert,
      '-A --after-context': inert,
      '-C --context': inert,
      '--group-separator': inert,
      '--no-group-separator': flag,
      '--color --colour': word,
      '-U --binary': flag,
    },
    operands: { rest: inert },
    finish: (reading) => {
      const directories = reading.options.findLast(
        ({ name }) => name === '-d' || name === '--directories',
      );
      const tree =
        has(reading, '-r', '-R', '--recursive', '--dereference-recursive') ||
        directories?.value?.startsWith('rec') === true;
      return searched(reading, ['-e', '-f', '--regexp', '--file'], tree);
    },
    offers: 'reads',
  },
};

const ripgrepFlags: Options = {
  '--auto-hybrid-regex --no-auto-hybrid-regex': flag,
  '--binary --no-binary': flag,
  '--block-buffered --no-block-buffered': flag,
  '-b --byte-offset --no-byte-offset': flag,
  '-s --case-sensitive': flag,
  '--column --no-column': flag,
  '--no-context-separator': flag,
  '-c --count': flag,
  '--count-matches': flag,
  '--crlf --no-crlf': flag,
  '--debug --trace': flag,
  '--files': flag,
  '-l --files-with-matches': flag,
  '--files-without-match': flag,
  '-F --fixed-strings --no-fixed-strings': flag,
  '-L --follow --no-follow': flag,
  '--glob-case-insensitive --no-glob-case-insensitive': flag,
  '-h --help': flag,
  '--heading --no-heading': flag,
  '-. --hidden --no-hidden': flag,
  '-i --ignore-case': flag,
  '--ignore-file-case-insensitive --no-ignore-file-case-insensitive': flag,
  '--include-zero --no-include-zero': flag,
  '-v --invert-match --no-invert-match': flag,
  '--json --no-json': flag,
  '--line-buffered --no-line-buffered': flag,
  '-n --line-number': flag,
  '-N --no-line-number': flag,
  '-x --line-regexp': flag,
  '--max-columns-preview --no-max-columns-preview': flag,
  '--mmap --no-mmap': flag,
  '-U --multiline --no-multiline': flag,
  '--multiline-dotall --no-multiline-dotall': flag,
  '--no-config': flag,
  '-I --no-filename': flag,
  '--no-ignore --ignore': flag,
  '--no-ignore-dot --ignore-dot': flag,
  '--no-ignore-exclude --ignore-exclude': flag,
  '--no-ignore-files --ignore-files': flag,
  '--no-ignore-global --ignore-global': flag,
  '--no-ignore-messages --ignore-messages': flag,
  '--no-ignore-parent --ignore-parent': flag,
  '--no-ignore-vcs --ignore-vcs': flag,
  '--no-messages --messages': flag,
  '--no-pcre2-unicode --pcre2-unicode': flag,
  '--no-require-git --require-git': flag,
  '--no-unicode --unicode': flag,
  '-0 --null': flag,
  '--null-data': flag,
  '--one-file-system --no-one-file-system': flag,
  '-o --only-matching': flag,
  '--passthru --passthrough': flag,
  '-P --pcre2 --no-pcre2': flag,
  '--pcre2-version': flag,
  '--no-pre': flag,
  '-p --pretty': flag,
  '-q --quiet': flag,
  '-z --search-zip': executes('rg -z starts a program for each kind of archive'),
  '--no-search-zip': flag,
  '-S --smart-case': flag,
  '--sort-files --no-sort-files': flag,
  '--stats --no-stats': flag,
  '--stop-on-nonmatch': flag,
  '-a --text --no-text': flag,
  '--trim --no-trim': flag,
  '--type-list': flag,
  '-u --unrestricted': flag,
  '-V --version': flag,
  '--vimgrep': flag,
  '-H --with-filename': flag,
  '-w --word-regexp': flag,
  '--no-encoding --no-hostname-bin': flag,
};

const rg: ProgramRecord = {
  names: ['rg', 'ripgrep'],
  does: 'Searches files for lines that match.',
  held: {
    settings: ['.config/ripgrep', '.ripgreprc'],
    // For `-z`, each by its name.
    starts: ['gzip', 'bzip2', 'xz', 'lz4', 'brotli', 'zstd', 'uncompress'],
  },
  readsPipe: ({ options, effects }) =>
    effects.some((one) => one.kind === 'path' && one.word === -1) &&
    !options.some(
      ({ name, value }) =>
        name === '--files' ||
        name === '--type-list' ||
        (/^(?:-f|--file)$/.test(name) && value === '-'),
    ),
  environment: { RIPGREP_CONFIG_PATH: 'names options of rg, which can name programs' },
  grammar: {
    syntax: clap,
    options: {
      ...ripgrepFlags,
      '-A --after-context': inert,
      '-B --before-context': inert,
      '-C --context': inert,
      '--color': inert,
      '--colors': inert,
      '--context-separator': inert,
      '-d --max-depth --maxdepth': inert,
      '--dfa-size-limit': inert,
      '-E --encoding': inert,
      '--engine': inert,
      '--field-context-separator': inert,
      '--field-match-separator': inert,
      '-f --file': reads,
      '-g --glob': chosenFiles,
      '--generate': inert,
      '--hostname-bin': starts,
      '--hyperlink-format': inert,
      '--iglob': chosenFiles,
      '--ignore-file': reads,
      '-M --max-columns': inert,
      '-m --max-count': inert,
      '--max-filesize': inert,
      '--path-separator': inert,
      '--pre': starts,
      '--pre-glob': inert,
      '--regex-size-limit': inert,
      '-e --regexp': inert,
      '-r --replace': inert,
      '--sort': inert,
      '--sortr': inert,
      '-j --threads': inert,
      '-t --type': inert,
      '--type-add': inert,
      '--type-clear': inert,
      '-T --type-not': inert,
    },
    operands: { rest: inert },
    finish: (reading) =>
      searched(
        reading,
        ['-e', '-f', '--regexp', '--file', '--files', '--type-list'],
        true,
        !has(reading, '-.', '--hidden', '-u', '--unrestricted', '--no-ignore'),
      ),
    offers: 'files',
  },
};

export const searchPrograms: readonly ProgramRecord[] = [grep, rg];
