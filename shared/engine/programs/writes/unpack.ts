import type { Argument } from '../types.ts';

interface Unpacker {
  /** Whether these arguments make it write files whose names others chose. */
  readonly unpacks: (words: readonly string[]) => boolean;
  /** Options that name the folder; without one it is the working directory. */
  readonly folder: RegExp;
  /** The last operand is the folder, or the one before it where that is an option. */
  readonly last?: true;
}

const always = (): boolean => true;
const has =
  (option: RegExp) =>
  (words: readonly string[]): boolean =>
    words.some((word) => option.test(word));

const tar: Unpacker = {
  // `--ex` alone is not taken: it could be `--exclude`.
  unpacks: (words) =>
    !/^-?x[vzjJ]*O[vzjJ]*f?$/.test(words[0] ?? '') &&
    (/^[A-Za-z]*x/.test(words[0] ?? '') || has(/^-[A-Za-z]*x|^--(?:ext|ge)/)(words)),
  folder: /^(?:-[A-Za-z]*C|--di[a-z]*|--cd)(?:=(.*))?$/,
};

/** A whole tree, not a file of a known name. */
const tree = has(/^-[A-Za-z]*[rRa]|^--(?:recursive|archive)$/);

/** Some source stands for what is in it: `a/.`, `a/`, `.`, another machine, or a target of its own name. */
function contents(words: readonly string[]): boolean {
  const operands = words.filter((word) => !word.startsWith('-'));
  const sources = operands.slice(0, -1).some((word) => /(?:^|\/)\.{0,2}$|:/.test(word));
  return sources || words.some((word) => /^-[A-Za-z]*[Tt]|^--(?:no-target|target)/.test(word));
}

/** Programs that create files whose names stand in an archive, in a patch or on another machine. */
const unpackers: Readonly<Record<string, Unpacker>> = {
  tar,
  bsdtar: tar,
  gtar: tar,
  unzip: {
    unpacks: (words) => !has(/^-[A-Za-z]*[lvtzZpc]/)(words),
    folder: /^-[A-Za-z]*d()$/,
  },
  '7z': { unpacks: has(/^[xe]$/), folder: /^-o(.+)$/ },
  '7za': { unpacks: has(/^[xe]$/), folder: /^-o(.+)$/ },
  '7zz': { unpacks: has(/^[xe]$/), folder: /^-o(.+)$/ },
  '7zr': { unpacks: has(/^[xe]$/), folder: /^-o(.+)$/ },
  unrar: { unpacks: has(/^[xe]$/), folder: /^-op(.+)$/ },
  unar: { unpacks: always, folder: /^-(?:o|-?output-directory)()$/ },
  cpio: { unpacks: has(/^-[A-Za-z]*[ip]|^--(?:extract|pass)/), folder: /^--directory=(.*)$/ },
  pax: { unpacks: has(/^-[A-Za-z]*r/), folder: /^$^/ },
  ar: { unpacks: (words) => /^-?[A-Za-z]*x/.test(words[0] ?? ''), folder: /^--output=?(.*)$/ },
  unsquashfs: { unpacks: always, folder: /^-(?:d|dest)()$/ },
  // Where it stands here it can be no option's value.
  patch: {
    unpacks: (words) => !/^-p\d+$/.test(words[0] ?? '') || words[1] !== '--dry-run',
    folder: /^(?:-d(.*)|--directory(?:=(.*))?)$/,
  },
  dtrx: { unpacks: always, folder: /^$^/ },
  // A folder keeps its name; what is in it has names of its own.
  cp: {
    unpacks: (words) => tree(words) && contents(words),
    folder: /^(?:-t|--target-directory(?:=(.*))?)$/,
    last: true,
  },
  rsync: {
    unpacks: (words) => tree(words) && contents(words),
    folder: /^$^/,
    last: true,
  },
  scp: { unpacks: has(/^-[A-Za-z]*r/), folder: /^$^/, last: true },
  wget: {
    unpacks: has(
      /^-[A-Za-z]*[im]|^-[A-Za-z]*n[dH]|^--(?:input|mirror|no-d|no-h|cut|trust|content-disp)/,
    ),
    folder: /^(?:-P(.*)|--directory-prefix(?:=(.*))?)$/,
  },
  curl: {
    unpacks: has(/^-[A-Za-z]*J|^--remote-header/),
    folder: /^--output-dir(?:=(.*))?$/,
  },
  aria2c: { unpacks: always, folder: /^(?:-d(.*)|--dir(?:=(.*))?)$/ },
  gh: {
    unpacks: (words) => words[1] === 'download' && (words[0] === 'run' || words[0] === 'release'),
    folder: /^(?:-D(.*)|--dir(?:=(.*))?)$/,
  },
  aws: { unpacks: has(/^(?:sync|--recursive)$/), folder: /^$^/, last: true },
};

/** The folders, as written, into which files with names of others go; none where nothing is unpacked. */
export function unpackedInto(program: string, args: readonly Argument[]): readonly string[] {
  const unpacker = Object.hasOwn(unpackers, program) ? unpackers[program] : undefined;
  const words = args.map(({ text }) => text);
  if (unpacker?.unpacks(words) !== true) return [];
  const named = words.flatMap((word, index) => {
    const match = unpacker.folder.exec(word);
    if (match === null) return [];
    const glued = match.slice(1).find((part) => part !== undefined && part !== '');
    return [glued ?? words[index + 1] ?? '.'];
  });
  if (named.length > 0) return named;
  if (unpacker.last !== true) return ['.'];
  const last = words.filter((word) => !word.startsWith('-')).at(-1) ?? '.';
  // Another machine, or a store in the cloud.
  return /^[\w.@-]+:/.test(last) ? [] : [last];
}
