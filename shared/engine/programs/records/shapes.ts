import {
  doubt,
  executing,
  flag,
  listed,
  listingOption,
  madeWhenRead,
  merge,
  path,
  plainOptions,
  unique,
} from '../forms.ts';
import { byHand, posix, type Syntax } from '../syntax.ts';
import type {
  Argument,
  Command,
  CustomReading,
  Doubt,
  Effect,
  Grammar,
  Offer,
  Operand,
  Options,
  PathUse,
  ProgramRecord,
  Reading,
  Taken,
  Use,
  Yield,
} from '../types.ts';

/**
 * Options in the short form of `plainOptions`, some of which have a role. A role is given under one
 * spelling and holds for all that the short form has of this option.
 */
export function withRoles(plain: string, roles: Options): Options {
  return madeWhenRead(() => joined(plain, roles));
}

function joined(plain: string, roles: Options): Options {
  const found: Record<string, Use> = {};
  const used = new Set<string>();
  const keys = Object.keys(roles);
  const places = new Map<string, number>();
  keys.forEach((key, at) => {
    for (const name of key.split(' ')) if (!places.has(name)) places.set(name, at);
  });
  for (const [key, use] of Object.entries(plainOptions(plain))) {
    const spellings = key.split(' ');
    let first = keys.length;
    for (const name of spellings) first = Math.min(first, places.get(name) ?? first);
    const role = keys[first];
    if (role === undefined) {
      found[key] = use;
      continue;
    }
    const all = new Set([...(used.has(role) ? [] : role.split(' ')), ...spellings]);
    used.add(role);
    found[[...all].join(' ')] = roles[role] ?? use;
  }
  for (const [key, use] of Object.entries(roles)) if (!used.has(key)) found[key] = use;
  return unique(found);
}

/** The folder that a path as written stands in. */
export function folderOf(text: string): string {
  const at = text.lastIndexOf('/');
  return at === -1 ? '.' : text.slice(0, at + 1);
}

/** A subcommand in one line; without `operands` it takes any words that name nothing. */
export function command(
  syntax: Syntax,
  does: string,
  options: string | Options = '',
  more: Partial<Command> = {},
): Command {
  const own = typeof options === 'string' ? plainOptions(options) : options;
  return { does, syntax, options: own, operands: { rest: { ...flag } }, offers: 'exact', ...more };
}

/** Words from which a command may begin, where it is not known which of them does: four at most. */
export function guesses(args: readonly Argument[], why: string): readonly Effect[] {
  const starts = args.flatMap(({ text }, at) => (/^-|=|^\d*$/.test(text) ? [] : [at]));
  return starts
    .slice(0, 4)
    .map((at) => ({ kind: 'command', words: args.slice(at), why, word: at }));
}

function readFixed(args: readonly Argument[], level: Doubt['level'], why: string): CustomReading {
  return {
    options: [],
    operands: [],
    effects: guesses(args, why),
    doubts: [doubt(why, -1, level)],
  };
}

/** Names with blanks between, as lists of many programs have them. */
export const namesIn = (names: string): readonly string[] => names.trim().split(/\s+/);

/**
 * Programs that are pinned, or that no rule may allow, whatever their arguments: what they run
 * stands in files, settings, their input, or a language of their own. `why` begins with the name.
 */
export function fixed(
  level: Doubt['level'],
  why: string,
  names: string,
  more: Partial<ProgramRecord> = {},
): readonly ProgramRecord[] {
  return namesIn(names).map((name) => {
    const reason = `${name} ${why}`;
    return {
      names: [name],
      does: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
      ...more,
      grammar: {
        syntax: byHand,
        read: (args) => readFixed(args, level, reason),
        offers: 'exact',
      },
    };
  });
}

/** Parts of names of options whose value a program starts, loads or takes its settings from. */
const loading: ReadonlySet<string> = new Set(
  `exec execute command cmd shell pager editor browser plugin plugins preload require loader load hook
  hooks wrapper launcher filter rsh ssh renderer engine askpass script eval runner program prog
  config module interpreter agent helper viewer handler remotecmd tool runtool linker rc
  stylesheet template`.split(/\s+/),
);
/** Where the files of the project are run in any case, only these lead to anything else. */
const starting: ReadonlySet<string> = new Set(
  `exec execute command cmd shell pager editor browser rsh ssh askpass eval interpreter remotecmd open
  runtool linker executable binary helper credential credentials`.split(/\s+/),
);

/** Options whose value is a file that is made anew. */
export const output =
  /^(?:-[oO].*|--?(?:[\w-]*[-_])?(?:out|output|outfile|outputfile|out-?(?:file|dir|path)|output-?(?:file|dir|path)|log-?file|report-?(?:log|file)|report|junit-?xml|dest|destination|debug|trace|dump|save|export|stats|profile|generate-config-out))$/i;
/** Options whose value a program takes something from, or which names no file: any other may be written. */
const taking =
  /^(?:-[cCpPrfwibkmdDtTnNjsSeE]|--?(?:[\w-]*[-_])?(?:config\w*|conf|settings?|project|package|workspaces?|inputs?|input-?file|rc(?:file)?|requirements?|constraints?|manifest(?:-path)?|tsconfig\w*|schema|from|load|read|include|exclude|ignore|ignore-path|cwd|dir|root|filter|only|spec|preset|env|env-file|build-?file|target|require|name|version|script|group|extra|with|without|type|format|level|filename|stdin-filename|pattern|match|grep|test\w*|rule|rules|ext|parser|tag|message|jobs|workers|timeout|max-\w+|min-\w+))$/i;
const safeStart = /^[A-Za-z0-9_./~,:%=\u0080-\uffff]/;

export interface Loose {
  /** How words that are not options are used; values of options may be written, unless this is `reads`. */
  readonly use: PathUse;
  /** What the files say is run: they must lie in the project. */
  readonly runs?: true;
  /** Words that begin with two slashes name parts of the project. */
  readonly labels?: true;
  /** Options whose value is no more than read. */
  readonly takes?: RegExp;
  /** Words, options too, that pin, and why: a clause. */
  readonly pins?: RegExp;
  readonly why?: string;
  /** Code of another's choice can run by the words that pin. */
  readonly executes?: true;
  /** Words that name a file with further words in it. */
  readonly lists?: RegExp;
}

/**
 * What a word can name of which nothing is known: a file, also behind `=`, `:` or a comma, or an
 * address. With `runs`, what an address holds is run as well.
 */
export function anything({ text, live, word }: Operand, use: PathUse, runs: boolean): Yield {
  if (text === '' || text === '-') return {};
  if (runs && holdsSettings.test(text))
    return { doubts: [doubt('an argument holds settings, which can name what runs', word)] };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) && !/^file:/i.test(text))
    return {
      effects: [{ kind: 'reaches', address: text, direction: 'fetches', word }],
      doubts: runs ? [doubt('an argument is an address', word)] : [],
    };
  const fetches = runs && /:\/\/(?!\/)|^[\w.-]+@[\w.-]+:/.test(text) && !/^file:/i.test(text);
  const all = /\s/.test(text) ? [] : text.split(/[,:;=@]/);
  // What is made anew may be a recipe of the project, which needs no folder in front.
  const parts = all.filter((part) => /^[/~.]/.test(part) || (use === 'writes' && part !== ''));
  return {
    effects: [...new Set([text, ...parts])].map((part) =>
      path(use, part, word, { live: live !== null, runs, tree: true }),
    ),
    doubts: fetches ? [doubt('an argument holds an address', word)] : [],
  };
}

const holdsSettings =
  /^\s*(?:[\w.:/@-]+\s*=\s*)?(?:\{|\[\s*(?:["'{[\]]|$))|^[\w.:/@-]+=\s*[(`]|=>\s*[{(]/;

/**
 * Reads words of which it is only known that none starts or loads anything: each may be a file, and
 * so may whatever stands in or behind an option.
 */
export function readLoosely(
  args: readonly Argument[],
  loose: Loose,
  program: string,
): CustomReading {
  const options: Taken[] = [];
  const operands: Operand[] = [];
  const parts: Yield[] = [];
  const { use, runs = false, pins } = loose;
  const why = loose.why ?? `${program} starts or loads what its arguments name`;
  const value = use === 'reads' ? 'reads' : 'edits';
  const names = runs ? starting : loading;
  let afterOption = false;
  let named: PathUse = value;
  for (const [word, { text, live }] of args.entries()) {
    const [option = text] = text.split(/[=:]/, 1);
    if (loose.lists?.test(text) === true || listingOption.test(option))
      parts.push({ doubts: [doubt(`${program} takes names or words from a file`, word)] });
    if (pins?.test(text) === true)
      parts.push({ doubts: [loose.executes === true ? executing(why, word) : doubt(why, word)] });
    if (live === 'pattern' && !safeStart.test(text))
      parts.push({ doubts: [doubt('the name of a file could be taken for an option', word)] });
    if (!text.startsWith('-') || text === '-') {
      operands.push({ text, live, word });
      const isLabel = loose.labels === true && /^@{0,2}[\w.-]*\/\/(?!.*\.\.\/)/.test(text);
      if (!isLabel) parts.push(anything({ text, live, word }, afterOption ? named : use, runs));
      afterOption = false;
      continue;
    }
    afterOption = true;
    const anew = runs && value === 'edits' && !taking.test(option);
    named = anew || output.test(option) ? 'writes' : value;
    if (loose.takes?.test(option) === true) named = 'reads';
    const taken = { name: option, value: null, live: live !== null, negated: false, use: flag };
    options.push({ ...taken, word, valueWord: word });
    if (namesOne(option, names))
      parts.push({
        doubts: [doubt(`${option} of ${program} may name what it starts or loads`, word)],
      });
    const attached =
      /^-[^=:]*?[=:](.+)$/s.exec(text)?.[1] ?? /^-[A-Za-z0-9]*?([/~.].*)$/s.exec(text)?.[1];
    if (attached !== undefined) parts.push(anything({ text: attached, live, word }, named, runs));
    const glued = named === 'writes' ? /^-[oO]([^=].*)$/s.exec(text)?.[1] : undefined;
    if (glued !== undefined && attached === undefined && !/^[a-z-]+$/.test(glued))
      parts.push(anything({ text: glued, live, word }, named, runs));
  }
  return { options, operands, ...merge(parts) };
}

function namesOne(option: string, names: ReadonlySet<string>): boolean {
  if (!option.startsWith('--') && !/^-[a-z-]{4,}$/.test(option)) return false;
  if (option === '--no-pager') return false;
  const name = option.replace(/^--?(?:no-)?/, '');
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_.]/)
    .some((part) => names.has(part));
}

/** Arguments that a program hands on to what the project says. */
export function handedOn(operands: readonly Operand[]): Yield {
  return merge(
    operands.map(({ text, live, word }, at) => {
      const option = text.startsWith('-') ? text : (operands[at - 1]?.text ?? '');
      const use = output.test(option.split('=', 1)[0] ?? '') ? 'writes' : 'reads';
      return anything({ text: text.replace(/^-[^=/~.]*=?/, ''), live, word }, use, true);
    }),
  );
}

/**
 * Programs that are what their name says, by what they have in common. Their options are not known, so
 * that none may be offered with all other reading: that takes a grammar.
 */
export function plainly(
  does: string,
  names: string,
  loose: Loose,
  offers: Exclude<Offer, 'reads'>,
): readonly ProgramRecord[] {
  return namesIn(names).map((name) => ({
    names: [name],
    does,
    // Where no file is named, it lays out those of the folder.
    ...(loose.use === 'edits' && offers === 'files' && { changes: () => 'own' as const }),
    grammar: {
      syntax: byHand,
      read: (args) => readLoosely(args, { lists: listed, ...loose }, name),
      offers,
    },
  }));
}

interface Carrying {
  readonly why: string;
  /** Operands in front of the command. */
  readonly skip?: number;
  /** The command is text for a shell: all words, or behind `-c`. */
  readonly text?: true;
  /** `NAME=value` may stand before it. */
  readonly assigns?: true;
  /** Without a command it does no more than print. */
  readonly mayBeBare?: true;
}

/** What a program that runs a command makes of its operands. */
export function carried(reading: Reading, carrying: Carrying): Yield {
  const { why, skip = 0, text = false, assigns = false, mayBeBare = false } = carrying;
  const left = reading.operands.slice(skip);
  const first = assigns ? left.findIndex((one) => !/^[A-Za-z_]\w*=/.test(one.text)) : 0;
  const inner = first === -1 ? [] : left.slice(first);
  const [start, second] = inner;
  if (start === undefined) {
    if (mayBeBare && reading.operands.length === 0) return {};
    return { doubts: [doubt(`${why}, which is not named`, -1, 'never')] };
  }
  const at = start.word;
  const shell = text
    ? inner.map((one) => one.text).join(' ')
    : start.text === '-c'
      ? (second?.text ?? '')
      : null;
  if (shell !== null) return { effects: [{ kind: 'shell', text: shell, why, word: at }] };
  const words = inner.map((one) => ({ text: one.text, live: one.live }));
  const live = inner.some((one) => one.live !== null);
  return {
    effects: [{ kind: 'command', words, why, word: at }],
    doubts: live ? [doubt('a pattern stands in the command', at)] : [],
  };
}

/** It looks at names of files, and into none. */
export function atNames(record: ProgramRecord): ProgramRecord {
  return { ...record, onlyNames: true };
}

/** A program that runs a command; with options that are not understood, no rule may allow it. */
export function wrapper(
  names: readonly string[],
  does: string,
  options: Options,
  carrying: Carrying,
  syntax: Syntax = posix,
): ProgramRecord {
  const grammar: Grammar = {
    syntax,
    options,
    operands: { rest: { ...flag } },
    finish: (reading) => {
      const unknown = reading.doubts.length > 0;
      const own = carried(reading, carrying);
      if (!unknown) return own;
      const why = `${carrying.why}, with options that are not understood`;
      return merge([own, { doubts: [doubt(why, -1, 'never')] }]);
    },
    offers: 'exact',
  };
  return { names, does, runs: 'commands', grammar };
}
