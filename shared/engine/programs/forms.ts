import type {
  Offer,
  Direction,
  Doubt,
  Effect,
  Options,
  PathUse,
  Reading,
  RiskNote,
  RiskOf,
  Taken,
  Use,
  Yield,
} from './types.ts';

/** An option without a value, and without an effect of its own. */
export const flag: Use = { arity: 'none', kind: 'inert' };
/** A value that names no file, program or machine. */
export const inert: Use = { arity: 'required', kind: 'inert' };
/** Inert, and never shown or logged. */
export const secret: Use = { arity: 'required', kind: 'secret' };

/** Paths. `into` is a folder in which files with names chosen by others are made. */
export const reads: Use = { arity: 'required', kind: 'reads' };
export const readsTree: Use = { arity: 'required', kind: 'reads', tree: true };
export const writes: Use = { arity: 'required', kind: 'writes' };
export const edits: Use = { arity: 'required', kind: 'edits' };
export const deletes: Use = { arity: 'required', kind: 'deletes' };
export const deletesTree: Use = { arity: 'required', kind: 'deletes', tree: true };
export const into: Use = { arity: 'required', kind: 'into' };

/** The value is a file that the program runs or takes settings from: of the project, or it pins. */
export const projectFile: Use = { arity: 'required', kind: 'reads', runs: true };

/** The value is a program by name or path. */
export const starts: Use = { arity: 'required', kind: 'starts' };
/** The value is text for a shell. */
export const shell: Use = { arity: 'required', kind: 'shell' };
/** The value is a library, a plug-in, or settings that can name programs. */
export const loads: Use = { arity: 'required', kind: 'loads' };
/** The value names a setting that lasts. */
export const sets: Use = { arity: 'required', kind: 'sets' };

/** The value is the address of another machine. */
export function reaches(direction: Direction): Use {
  return { arity: 'required', kind: 'reaches', direction };
}

/** The value is code of a language that is not looked through. */
export function code(language: string): Use {
  return { arity: 'required', kind: 'code', language };
}

/** A value with parts, read by a function. */
export function parsed(parse: (value: string, word: number) => Yield): Use {
  return { arity: 'required', kind: 'parsed', parse };
}

/** A value that is taken only in the same word: `--color=always`, `-i.bak`. */
export function optional(use: Use): Use {
  return { ...use, arity: 'optional' };
}

/** A value that is the next word where there is one: `git branch --merged`. */
export function maybe(use: Use): Use {
  return { ...use, arity: 'maybe' };
}

/** Pins the command, for a reason that completes "…, because": an option without a value. */
export function pins(why: string): Use {
  return { ...flag, level: 'pinned', why };
}

/** Pins the command wherever this value is given. */
export function pinned(use: Use, why: string): Use {
  return { ...use, level: 'pinned', why };
}

/** Pins the command, because code of another's choice can run by it; a person is told. */
export function executes(why: string, use: Use = flag): Use {
  return { ...use, level: 'pinned', why, executes: true };
}

/** Tells the person something whenever the option is taken. */
export function risky(use: Use, codeName: string, level: RiskNote['level'], text: string): Use {
  return { ...use, risk: { code: codeName, level, text } };
}

/** The file holds names of files: what is read or written in the end is not known. */
export const namesFrom: Use = pinned(reads, 'the names of the files stand in another file');

/** `--help` and `--version` of GNU programs. */
export const gnuCommon: Options = { '--help': flag, '--version': { ...flag } };

export function doubt(why: string, word = -1, level: Doubt['level'] = 'pinned'): Doubt {
  return { level, why, word };
}

/** Of an interpreter: it reads where it only looks at a file, and what it runs may do anything. */
export function offersOf({ effects, doubts }: Pick<Reading, 'effects' | 'doubts'>): Offer {
  const looks = effects.every((one) => one.kind === 'path' && one.use === 'reads' && !one.runs);
  return looks && effects.length > 0 && doubts.length === 0 ? 'reads' : 'exact';
}

/** Of an interpreter without a file: its code comes in as input. */
export function runsInput(program: string): Doubt {
  return {
    level: 'never',
    why: `${program} runs whatever it is given as input`,
    word: -1,
    input: true,
  };
}

/** As `executes`, for what a part of a value comes to. */
export function executing(why: string, word = -1): Doubt {
  return { level: 'pinned', why, word, executes: true };
}

export function risk(
  codeName: string,
  level: RiskNote['level'],
  text: string,
  words: readonly number[] = [],
): RiskOf {
  return { code: codeName, level, text, words };
}

/** A path effect; `more` may hold a base, a tree, or that the word is live. */
export function path(
  use: PathUse,
  text: string,
  word: number,
  more: {
    readonly base?: string | undefined;
    readonly tree?: boolean;
    readonly runs?: boolean;
    readonly live?: boolean;
    readonly some?: boolean;
  } = {},
): Effect {
  return {
    kind: 'path',
    use,
    path: text,
    word,
    ...(more.base === undefined ? {} : { base: more.base }),
    ...(more.tree === true ? { tree: true } : {}),
    ...(more.runs === true ? { runs: true } : {}),
    ...(more.live === true ? { live: true } : {}),
    ...(more.some === true ? { some: true } : {}),
  };
}

/** The files that lie under other endings beside those that are written: backups. */
export function besideWritten(
  effects: readonly Effect[],
  endings: readonly string[],
): readonly Effect[] {
  return effects.flatMap((one) =>
    one.kind === 'path' && one.use === 'writes'
      ? endings.map((end) => ({ ...one, path: `${one.path.replace(/(.)\/+$/, '$1')}${end}` }))
      : [],
  );
}

/** What one value comes to by its use; `label` says in a reason which option it belongs to. */
export function ofValue(
  use: Use,
  value: string,
  word: number,
  { label = 'an option', live = false, dashIsFile = true } = {},
): Yield {
  const doubts = ofLevel(use, `${label} asks for a look`, word);
  if (use.runs === true && /^(?:git|hg|svn|bzr)\+|^(?!file:)[a-z][a-z0-9+.-]*:\/\//i.test(value))
    doubts.push(doubt(`${label} takes what it runs from an address`, word));
  const effects = effectsOfValue(use, value, word, { label, live, dashIsFile });
  if (use.parse === undefined) return { effects, doubts };
  if (live) return { doubts: [...doubts, doubt(`the value of ${label} is a pattern`, word)] };
  return merge([{ effects, doubts }, use.parse(value, word)]);
}

/** The doubt that an option is in itself. */
export function ofLevel({ level, why, executes: runs }: Use, or: string, word: number): Doubt[] {
  if (level === undefined) return [];
  return [{ level, why: why ?? or, word, ...(runs === true ? { executes: true } : {}) }];
}

function effectsOfValue(
  use: Use,
  value: string,
  word: number,
  { label, live, dashIsFile }: { label: string; live: boolean; dashIsFile: boolean },
): readonly Effect[] {
  const why = use.why ?? reasons[use.kind]?.(label) ?? '';
  switch (use.kind) {
    case 'reads':
    case 'writes':
    case 'edits':
    case 'deletes':
    case 'into':
      if (value === '-' && !dashIsFile) return [];
      return [
        path(use.kind, value, word, { tree: use.tree === true, runs: use.runs === true, live }),
      ];
    case 'starts':
      return [{ kind: 'starts', program: live ? null : value, why, word }];
    case 'shell':
      return [{ kind: 'shell', text: value, why, word }];
    case 'code':
      return [{ kind: 'code', language: use.language ?? '', text: value, why, word }];
    case 'loads':
      return [{ kind: 'loads', path: value, why, word }];
    case 'sets':
      return [{ kind: 'sets', setting: value, why, word }];
    case 'reaches':
      return [{ kind: 'reaches', address: value, direction: use.direction ?? 'fetches', word }];
    default:
      return [];
  }
}

const reasons: Partial<Record<Use['kind'], (label: string) => string>> = {
  starts: (label) => `${label} names a program that it starts`,
  shell: (label) => `${label} holds a command for a shell`,
  code: (label) => `${label} holds code`,
  loads: (label) => `${label} names code or settings that it loads`,
  sets: (label) => `${label} changes a setting that lasts`,
};

export function merge(parts: readonly Yield[]): Required<Yield> {
  return {
    effects: parts.flatMap((part) => part.effects ?? []),
    doubts: parts.flatMap((part) => part.doubts ?? []),
    risks: parts.flatMap((part) => part.risks ?? []),
  };
}

/** Whether one of the options was given, whatever came after. */
export function has({ options }: Pick<Reading, 'options'>, ...names: readonly string[]): boolean {
  return options.some(({ name, negated }) => !negated && names.includes(name));
}

/** Whether one of the options was given and none taken back: for options that make a thing safer. */
export function holds(reading: Pick<Reading, 'options'>, ...names: readonly string[]): boolean {
  const back = names.map((name) => name.replace(/^--/, '--no-'));
  return (
    has(reading, ...names) &&
    !reading.options.some(({ name, negated }) => negated && back.includes(name))
  );
}

/** The values of some options, in the order of the words. */
export function valuesOf(
  { options }: Pick<Reading, 'options'>,
  ...names: readonly string[]
): readonly string[] {
  return options.flatMap(({ name, value }) =>
    value !== null && names.includes(name) ? [value] : [],
  );
}

/**
 * Options that do nothing beyond their names, in short: `-n|--dry-run` takes no value,
 * `-m|--message=` takes one, `--color[]` takes one only in the same word.
 */
export function plainOptions(text: string): Options {
  const found: Record<string, Use> = {};
  const glued = optional(inert);
  for (const item of text.split(/\s+/)) {
    if (item === '') continue;
    const ending = item.endsWith('=') ? '=' : item.endsWith('[]') ? '[]' : '';
    const name = item.slice(0, item.length - ending.length);
    const key = name.includes('|') ? name.replaceAll('|', ' ') : name;
    found[key] = ending === '=' ? inert : ending === '[]' ? glued : flag;
  }
  return found;
}

/** Each start loads all records, and reads the options of few programs. */
export function madeWhenRead(make: () => Options): Options {
  let made: Options | undefined;
  const options = () => (made ??= make());
  return new Proxy<Record<string, Use>>(
    {},
    {
      get: (_, key) => Reflect.get(options(), key) as unknown,
      has: (_, key) => Reflect.has(options(), key),
      ownKeys: () => Reflect.ownKeys(options()),
      getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(options(), key),
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
      preventExtensions: () => false,
    },
  );
}

/** The first of several options with one spelling counts. */
export function unique(options: Options): Options {
  const seen = new Set<string>();
  const found: Record<string, Use> = {};
  for (const [key, use] of Object.entries(options)) {
    const names = key.split(' ');
    const left = names.filter((name) => !seen.has(name));
    for (const name of left) seen.add(name);
    if (left.length > 0) found[left.length === names.length ? key : left.join(' ')] = use;
  }
  return found;
}

/** One table of several groups that were spread into it: a later group takes over a spelling. */
export function layered(options: Options): Options {
  const seen = new Set<string>();
  const found: [string, Use][] = [];
  for (const [key, use] of Object.entries(options).toReversed()) {
    const left = key.split(' ').filter((name) => !seen.has(name));
    left.forEach((name) => seen.add(name));
    if (left.length > 0) found.push([left.join(' '), use]);
  }
  return Object.fromEntries(found.toReversed());
}

/** Words that have a program read its input: `-`, `-f -`, `--file=-`. */
export function fromDash(words: readonly string[]): boolean {
  return words.some((word) => /^(?:-|-\w-|--[\w-]+=-)$/.test(word));
}

/** A letter with its value in its own word (`-oout`); a number behind one (`-L2`) counts as none. */
export function isGlued({ name, value, word, valueWord }: Taken): boolean {
  return value !== null && word === valueWord && /^-[A-Za-z]$/.test(name) && !/^\d+$/.test(value);
}

/** A word in whose place most programs put the words of a file. */
export const listed = /^@./;
/** The same where names of packages begin with `@`, too. */
export const listedBesidePackages = /^@(?![\w.-]+\/[\w.*-]+(?:@.*)?$)./;
/** Options that name such a file, or one with names of files. */
export const listingOption =
  /^--?(?:files?-?(?:from|list|stdin)|filelist|inputfilelist|use-script-input-file\w*|files0-from|job-json-file|(?:args?|arguments|options|response|flags)-?file|flagfile)$/i;

/** Words `@file`: what stands in the file is not known. */
export function listedWords({ program, operands, options }: Reading): Yield {
  const values = options.flatMap(({ value, word, valueWord }) =>
    value !== null && word !== valueWord ? [{ text: value, word: valueWord }] : [],
  );
  return {
    doubts: [...operands, ...values]
      .filter(({ text }) => listed.test(text))
      .map(({ word }) => doubt(`${program} takes further words from a file`, word)),
  };
}

/** The file that a pattern for names stands for; null where it stands for any. */
export function chosen(pattern: string): string | null {
  const name = pattern.replace(/^.*\//s, '').replace(/[*?[{].*$/s, '');
  return pattern.startsWith('!') || name.length < 3 ? null : name;
}

/** `--include=.env*`: what a search through folders leaves unsaid, a pattern for names says. */
export const chosenFiles: Use = parsed((value, word) => {
  const name = chosen(value);
  return name === null ? {} : { effects: [path('reads', name, word)] };
});

/** Which widths of a rule the record lets a reading have. */
export function offerOf(reading: Reading): Offer {
  const offers = reading.grammar?.offers ?? 'exact';
  return typeof offers === 'function' ? offers(reading) : offers;
}

/** Whether the reading only prints help or a version. */
export function isHelp(reading: Reading): boolean {
  return holds(reading, '--help', '--version');
}
