import { doubt, executing, merge, path } from '../forms.ts';
import { byHand } from '../syntax.ts';
import type { Argument, CustomReading, PathUse, ProgramRecord } from '../types.ts';
import { readLoosely } from './shapes.ts';

/** Which options of a program can run other programs, or turn it into something else. */
interface Watched {
  readonly names: string;
  readonly does: string;
  /** A clause that begins behind the name of the program. */
  readonly why: string;
  /** How its operands are used. */
  readonly use: PathUse;
  /** It does what the files of a project say. */
  readonly project?: true;
  /** Long options without their dashes. Any shortening of one counts too. */
  readonly long?: readonly string[];
  /** Options that are harmless although they look like a shortening of one in `long`. */
  readonly fine?: readonly string[];
  readonly short?: string;
  /** Short options that take an argument: what follows in the same word is no option. */
  readonly valued?: string;
  readonly environment?: ProgramRecord['environment'];
  /** To run what it is told is what it is for. */
  readonly usual?: true;
  /** What unpacks, by its words, and the option for the folder. */
  readonly unpacks?: { readonly words: RegExp; readonly folder: RegExp };
  /** Any argument of this form, and the first one. */
  readonly word?: RegExp;
  readonly first?: RegExp;
}

/** Programs that are what their name says, but for some of their options. */
const watched: readonly Watched[] = [
  {
    names: 'bsdtar',
    does: 'Packs and unpacks archives.',
    why: 'starts programs that its options name',
    use: 'edits',
    long: [
      'checkpoint-action',
      'use-compress-program',
      'to-command',
      'rsh-command',
      'rmt-command',
      'info-script',
      'new-volume-script',
      'absolute-names',
      'files-from',
    ],
    fine: [
      'checkpoint',
      'absolute-names',
      'file',
      'files',
      'f',
      'a',
      'to',
      'no',
      'n',
      'c',
      'u',
      'i',
      'r',
    ],
    short: 'IF',
    valued: 'fbCTXgHKLNV',
    unpacks: {
      words: /^[A-Za-z0-9]*x|^-[A-Za-z]*x|^--(?:ext|ge)/,
      folder: /^(?:-[A-Za-z]*C|--di[a-z]*|--cd)(?:=(.*))?$/,
    },
    // An archive on another machine.
    word: /^(?:-?[A-Za-z]*f|--file=)?[\w.@-]+:/,
    first: /^[A-Za-z0-9]*[IF][A-Za-z0-9]*$/,
  },
  {
    names: 'ag',
    does: 'Searches the text of files.',
    why: 'starts the program in --pager',
    use: 'reads',
    long: ['pager'],
    fine: ['parallel'],
  },
  {
    names: 'ack',
    does: 'Searches the text of files.',
    why: 'starts the program in --pager and reads --ackrc',
    use: 'reads',
    long: ['pager', 'ackrc', 'output'],
  },
  {
    names: 'bat batcat',
    environment: {
      BAT_CONFIG_PATH: 'names options of bat, which can start a pager of its own',
      BAT_PAGER: 'names a program that bat starts',
    },
    does: 'Prints files in colour.',
    why: 'starts the program in --pager',
    use: 'reads',
    long: ['pager', 'config-file', 'diff-command'],
    fine: ['paging'],
    word: /^cache$/,
  },
  {
    names: 'delta',
    environment: { DELTA_PAGER: 'names a program that delta starts' },
    does: 'Shows differences in colour.',
    why: 'starts the program in --pager',
    use: 'reads',
    long: ['pager'],
    fine: ['paging'],
  },
  {
    names: 'tcpdump',
    does: 'Records what goes over the network.',
    why: 'starts the program in -z',
    use: 'edits',
    long: ['postrotate-command'],
    short: 'z',
  },
  {
    names: 'nmap',
    does: 'Looks for machines and services in a network.',
    why: 'runs the scripts in --script',
    use: 'edits',
    long: ['script', 'script-args', 'script-args-file', 'datadir'],
    word: /^-(?:sC|A)/,
  },
  {
    names: 'pandoc',
    does: 'Turns documents into others.',
    why: 'runs the filters, writers and programs in its options',
    use: 'edits',
    long: ['filter', 'lua-filter', 'pdf-engine', 'defaults', 'data-dir', 'template'],
    short: 'FLd',
    valued: 'ftorV',
    word: /\.lua(?:[+-]|$)/,
  },
  {
    names: 'virtualenv',
    does: 'Makes a folder for packages of Python.',
    why: 'starts the program in --python',
    use: 'edits',
    long: ['python'],
    short: 'p',
  },
  {
    names: 'rspec',
    does: 'Tests a project.',
    why: 'loads the code in -r',
    use: 'edits',
    project: true,
    long: ['require'],
    short: 'r',
    valued: 'Ietf',
  },
  {
    names: 'rubocop',
    does: 'Checks or lays out the source text of a project.',
    why: 'loads the code in -r',
    use: 'edits',
    project: true,
    long: ['require', 'plugin'],
    short: 'r',
  },
  {
    names: 'groff',
    does: 'Sets documents.',
    why: 'runs the commands of a document with -U',
    use: 'reads',
    short: 'US',
    valued: 'dDfFIKLmMnoPrTwWE',
  },
  {
    names: 'coverage',
    does: 'Shows which code tests have run.',
    why: 'runs a script or module with run',
    usual: true,
    use: 'edits',
    project: true,
    word: /^run$/,
  },
  {
    names: 'hg',
    environment: {
      HGEDITOR: 'names a program that hg starts',
      HGRCPATH: 'names settings of hg, which can run programs',
      HGPLAIN: 'changes what hg does with its settings',
    },
    does: 'Keeps the history of a project.',
    why: 'starts the programs and takes the settings in its options',
    use: 'edits',
    project: true,
    long: ['config', 'ssh', 'remotecmd', 'command', 'tool', 'cwd', 'repository', 'editor', 'edit'],
    short: 'eR',
    word: /^(?:extdiff|histedit|serve)$/,
  },
  {
    names: 'jj',
    does: 'Keeps the history of a project.',
    why: 'starts the programs in its settings',
    use: 'edits',
    project: true,
    long: ['config', 'tool', 'repository'],
    short: 'R',
    word: /^(?:util|config)$/,
  },
  {
    names: 'svn',
    environment: {
      SVN_SSH: 'names a program that svn starts',
      SVN_EDITOR: 'names a program that svn starts',
    },
    does: 'Keeps the history of a project.',
    why: 'starts the programs in its options',
    use: 'edits',
    project: true,
    long: ['editor-cmd', 'diff-cmd', 'diff3-cmd', 'config-dir', 'config-option'],
    word: /^svn\+/,
  },
  {
    names: 'convert magick identify mogrify',
    does: 'Shows pictures or turns them into others.',
    why: 'runs scripts and programs that names of files stand for',
    use: 'edits',
    word: /^(?:[|@]|-(?:script|process|write)(?:=|$)|(?:msl|mvg|ephemeral|url|https?|ftp|text|caption|label|inline|pango|x|show|win):)/i,
  },
  {
    names: 'ctags',
    does: 'Lists the names that source text defines.',
    why: 'reads options from files',
    use: 'edits',
    long: ['options', 'options-maybe', '_run'],
    word: /^@/,
  },
  {
    names: 'ffmpeg',
    does: 'Turns sound and films into others.',
    why: 'loads filters and reads other files',
    use: 'edits',
    word: /^(?:concat|subfile|data|http):/,
  },
];

function readWatched(args: readonly Argument[], one: Watched, name: string): CustomReading {
  const why = `${name} ${one.why}`;
  const loose = { use: one.use, why, ...(one.project === true ? { runs: true as const } : {}) };
  const found = unpacked(readLoosely(args, loose, name), args, one.unpacks);
  const end = args.findIndex(({ text }) => text === '--');
  const at = args.findIndex(
    ({ text }, index) =>
      one.word?.test(text) === true ||
      (index === 0 && one.first?.test(text) === true) ||
      ((end === -1 || index < end) && isRisky(text, one)),
  );
  return at === -1
    ? found
    : {
        ...found,
        ...merge([found, { doubts: [one.usual === true ? doubt(why, at) : executing(why, at)] }]),
      };
}

function unpacked(
  found: CustomReading,
  args: readonly Argument[],
  unpacks: Watched['unpacks'],
): CustomReading {
  const words = args.map(({ text }) => text);
  const does = words.some(
    (word, at) => (at === 0 || word.startsWith('-')) && unpacks?.words.test(word),
  );
  if (!does) return found;
  const at = words.findIndex((word) => unpacks?.folder.test(word));
  const named = unpacks?.folder.exec(words[at] ?? '')?.[1] ?? words[at + 1] ?? '.';
  const effect = path('into', at === -1 ? '.' : named, at);
  return { ...found, ...merge([found, { effects: [effect] }]) };
}

function isRisky(text: string, { long = [], fine = [], short = '', valued = '' }: Watched) {
  if (text.startsWith('--')) {
    const [name = ''] = text.slice(2).split('=', 1);
    return name !== '' && !fine.includes(name) && long.some((option) => option.startsWith(name));
  }
  if (!text.startsWith('-')) return false;
  for (const letter of text.slice(1)) {
    if (short.includes(letter)) return true;
    if (valued.includes(letter)) return false;
  }
  return false;
}

export const watchedPrograms: readonly ProgramRecord[] = watched.flatMap((one) =>
  one.names.split(' ').map((name) => ({
    names: [name],
    does: one.does,
    ...(one.environment === undefined ? {} : { environment: one.environment }),
    ...(one.project === true ? { project: { caches: [], network: true as const } } : {}),
    grammar: {
      syntax: byHand,
      read: (args) => readWatched(args, one, name),
      offers: 'exact',
    },
  })),
);
