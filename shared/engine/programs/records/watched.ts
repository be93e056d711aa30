import { executing, merge, path } from '../forms.ts';
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
  /** Short options that take an argument: what follows in the same word is not an option. */
  readonly valued?: string;
  readonly environment?: ProgramRecord['environment'];
  /** What unpacks, by its words, and the option for the folder. */
  readonly unpacks?: { readonly words: RegExp; readonly folder: RegExp };
  /** Options that are known to do no more than the program is for; any other pins. */
  readonly known?: RegExp;
  /** Any argument of this form, and the first one. */
  readonly word?: Pick<RegExp, 'test'>;
  readonly first?: RegExp;
}

/** Names behind one dash or two, or a plus, and letters of such words alone. */
function option(names: string): RegExp {
  return new RegExp(`^(?:[-+]{1,2}(?:${names.trim().split(/\s+/).join('|')})(?:=.*)?|\\+.*)$`);
}

/** Filters that only change the sound and pictures that they are given. */
const filter =
  `scale|fps|crop|pad|transpose|setpts|asetpts|atempo|volume|format|aformat|hflip|vflip|rotate|trim|atrim|concat|overlay|fade|afade|aresample|pan|amix
  |amerge|loudnorm|eq|hue|unsharp|null|anull|split|asplit|palettegen|paletteuse|thumbnail|tile|drawbox|reverse|areverse|yadif|setsar|setdar|select|aselect
  |silencedetect|blackdetect|cropdetect|showwavespic|showspectrumpic|hstack|vstack|xfade|acrossfade|minterpolate|boxblur|gblur|colorkey|chromakey
  |highpass|lowpass|equalizer|dynaudnorm|compand|silenceremove|adelay|zoompan|loop|tpad|apad|deshake|vignette|curves|framestep`.replaceAll(
    /\s/g,
    '',
  );

/**
 * What an argument of ffmpeg may not be: a protocol, a list of further files, or a graph with a filter
 * that reads, writes, loads or listens.
 */
const mediaWord = {
  test(text: string): boolean {
    if (/^[a-z][a-z0-9+]*:/i.test(text) && !/^[vas]:\d+$/.test(text)) return !isGraph(text);
    if (/\.(?:m3u8?|ffconcat|sdp|pls|xspf|mpd|ffmeta|txt)$/i.test(text) || text.startsWith('@'))
      return true;
    if (
      /^(?:concat|tee|segment|stream_segment|hls|dash|lavfi|ssegment|sap|rtp|rtsp|fifo|ffmetadata|sdp|xcbgrab|x11grab|alsa|pulse|v4l2|avfoundation|gdigrab|dshow|kmsgrab|fbdev)$/.test(
        text,
      )
    )
      return true;
    // It listens for commands.
    if (/(?:^|[,;\]])a?zmq(?:[=,;@[]|$)/.test(text)) return true;
    return /[=;[]/.test(text) && !labelled.test(text) && !isGraph(text);
  },
};

/** `-metadata title=x`. */
const labelled =
  /^(?:title|artist|album|album_artist|comment|date|genre|track|year|description|language|rotate|encoder|creation_time|handler_name|copyright|composer|show|episode_id|synopsis)=[^;[]*$/;

function isGraph(text: string): boolean {
  const bare = text.replaceAll(/\[[\w:]*\]/g, '').replaceAll(/'[^']*'|\([^()]*\)/g, '');
  const one = new RegExp(`^(?:${filter})(?:=[^\\s@/~]*)?$`);
  return bare
    .split(/[,;]/)
    .every(
      (part) => one.test(part.trim()) || (/^[\w.:=*/+-]*$/.test(part) && !/^[a-z]/.test(part)),
    );
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
    why: 'starts the program in --pager, and gives git the options in --diff-args',
    use: 'reads',
    long: ['pager', 'diff-args', 'config'],
    fine: ['paging'],
    short: '@',
  },
  {
    names: 'ugrep',
    environment: { GREP_PAGER: 'names a program that ugrep starts' },
    does: 'Searches the text of files.',
    why: 'starts the programs in --pager, --filter, --view and its settings',
    use: 'reads',
    long: ['pager', 'filter', 'view', 'config', 'save-config', 'from'],
    short: 'QK',
    valued: 'ABCDdefgJMmNOtX',
    word: /^---/,
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
    long: ['script', 'script-args', 'script-args-file', 'datadir', 'resume'],
    word: /^-(?:sC|A)/,
  },
  {
    names: 'pandoc',
    does: 'Turns documents into others.',
    why: 'runs the filters, writers and programs in its options',
    use: 'edits',
    long: `filter lua-filter pdf-engine defaults data-dir template self-contained embed-resources extract-media log
      request-header csl citation-abbreviations syntax-definition highlight-style epub-embed-font reference-doc
      resource-path`.split(/\s+/),
    short: 'FLd',
    valued: 'ftorV',
    word: /\.lua(?:[+-]|$)|^(?:https?|ftp|data):/,
    first: /^(?:server|lua)$/,
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
    why: 'runs the commands of a document, or of a device, by its options',
    use: 'reads',
    short: 'USFPlLX',
    valued: 'dDfIKmMnorTwWE',
    // The description of a device names programs.
    word: /^-[a-zA-Z]*T(?!(?:ascii|utf8|latin1|cp1047|ps|pdf|x?html|dvi|lj4|lbp)$)/,
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
    why: 'runs scripts and programs that names of files and options stand for',
    use: 'edits',
    known:
      option(`resize thumbnail scale sample crop trim rotate flip flop strip quality density depth colorspace
      type alpha background fill stroke gravity extent append border bordercolor blur sharpen unsharp negate
      normalize auto-orient auto-level auto-gamma level contrast brightness-contrast modulate gamma colors
      monochrome grayscale interlace compress delay loop layers coalesce flatten mosaic geometry composite
      compose repage format verbose ping quiet version list resample filter distort shave chop roll transpose
      transverse threshold posterize sepia-tone shadow tint transparent fuzz channel separate combine dither
      units page size pointsize weight adjoin clone delete swap reverse sigmoidal-contrast evaluate metric`),
    // What stands in front of a colon is a format, and most of them are not pictures.
    word: /^(?:[|@]|(?:info|json|histogram|mpc):(?!-?$)|(?!(?:info|json|histogram|mpc|png\d*|jpe?g|gif|webp|tiff?|bmp|ico|avif|heic|p[abgnp]m|gray|rgba?|xc|canvas|gradient|null):)[a-z][\w-]*:)|\.(?:msl|mvg)(?:\[|$)/i,
    first: /^(?:script|display|import|animate|stream|conjure)$|^-(?:script)$/,
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
    why: 'loads filters, and reads and writes other files, by some of its words',
    use: 'edits',
    known: new RegExp(
      `^-(?:${`i|y|n|c|codec|b|r|s|ss|sseof|t|to|an|vn|sn|dn|map|map_metadata|map_chapters|crf|preset|tune|profile|level|pix_fmt|ar|ac|vol
      |aspect|loglevel|v|hide_banner|nostdin|stats|nostats|threads|movflags|g|bf|qscale|q|frames|vframes|aframes|shortest|vsync|fps_mode
      |itsoffset|itsscale|loop|stream_loop|copyts|avoid_negative_ts|strict|h|help|version|formats|codecs|encoders|decoders|filters|pix_fmts
      |L|vcodec|acodec|scodec|framerate|re|fs|maxrate|minrate|bufsize|sample_fmt|channel_layout|metadata|disposition|vtag|tag|compression_level
      |update|start_number|vbr|lossless|pass|ab|vb|async|bsf|sws_flags|x264-params|x265-params|max_muxing_queue_size|f|vf|af|filter|filter_complex|lavfi`.replaceAll(
        /\s/g,
        '',
      )})(?::[\\w:]+)?$`,
    ),
    word: mediaWord,
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
      ((end === -1 || index < end) && (isRisky(text, one) || isStrange(text, one))),
  );
  return at === -1
    ? found
    : {
        ...found,
        ...merge([found, { doubts: [executing(why, at)] }]),
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

function isStrange(text: string, { known }: Watched): boolean {
  return known !== undefined && /^[-+][^\d.-]|^--/.test(text) && !known.test(text);
}

function isRisky(text: string, { long = [], fine = [], short = '', valued = '' }: Watched) {
  if (text.startsWith('--')) {
    const [name = ''] = text.slice(2).split('=', 1);
    return name !== '' && !fine.includes(name) && long.some((each) => each.startsWith(name));
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
