import type { Shows } from './disclosing.ts';
import type { CodeTraits, HeldTo, PassesOn, ShellTraits } from './traits.ts';
import type { Syntax } from './syntax.ts';

/**
 * What Interlock knows of a program stands in one record.
 *
 * To add a program: write a file in `records/` that exports a list of `ProgramRecord`s (programs that
 * belong together share a file), and add the list to `list.ts`. Write down every option the program
 * has, hidden ones too, from its `--help`, its manual and its source: what a record does not name
 * is a doubt, and pins the command. Then say of each value and operand what the program does with
 * it, in the words of `forms.ts`:
 *
 *     {
 *       names: ['sort'],
 *       does: 'Sorts the lines of files.',
 *       offers: 'files',
 *       grammar: {
 *         syntax: gnu,
 *         options: {
 *           '-b -d -f': flag,               // letters that take no value may share a line
 *           '-k --key': inert,              // spellings of one option, with a value that only labels
 *           '-o --output': writes,          // the value is a path
 *           '--compress-program': starts,   // the value is a program
 *         },
 *         operands: { rest: reads },
 *       },
 *     }
 *
 * `finish` of a grammar sees the whole reading, for what only several words together decide
 * (`cp -t`, `git branch -D`). `commands` are grammars of their own: `git log`, `docker compose ps`.
 */

/** A word as the program gets it; a live one will still be expanded by the shell. */
export interface Argument {
  /** The value; for a live word what stands for it in a plan: the pattern, or `$?` for a status. */
  readonly text: string;
  /**
   * `pattern` may become any number of words; the others are one: `status` has `$?` in it, `output`
   * what a command prints, and `process` is a file that holds it.
   */
  readonly live: 'pattern' | 'status' | 'output' | 'process' | null;
}

export type PathUse = 'reads' | 'writes' | 'edits' | 'deletes' | 'into';
type ActiveUse = 'starts' | 'shell' | 'code' | 'loads' | 'sets' | 'reaches' | 'parsed';
type UseKind = 'inert' | 'secret' | PathUse | ActiveUse;

/** How a value or an operand is used. Made with the constructors in `forms.ts`. */
export interface Use {
  /**
   * Whether a value follows an option: `optional` takes one only in the same word, `maybe` also the
   * next word where there is one. Operands leave it out of account.
   */
  readonly arity: 'none' | 'required' | 'optional' | 'maybe';
  readonly kind: UseKind;
  /** A path stands for all that lies below it. */
  readonly tree?: true;
  /** The program runs what the file holds, or takes from it what names programs. */
  readonly runs?: true;
  /** What is thought of it beyond its effect; words that complete "…, because `why`". */
  readonly level?: 'pinned' | 'never';
  readonly why?: string;
  /** Code of another's choice can run by it, which a person is told. */
  readonly executes?: true;
  readonly direction?: Direction;
  readonly language?: string;
  readonly risk?: RiskNote;
  /** Reads a value that has parts; only with kind `parsed`. */
  readonly parse?: (value: string, word: number) => Yield;
}

export type Direction = 'fetches' | 'sends';

/** The codes stand in `shared/risk/types.ts`. */
export interface RiskNote {
  readonly code: string;
  readonly level: 'low' | 'high';
  /** A sentence for a person. */
  readonly text: string;
  /** What was there can still be had, so a rule for the program need not say it. */
  readonly kept?: true;
}

/** One thing that a program does with its arguments. `word` is an index of the arguments. */
export type Effect =
  | {
      readonly kind: 'path';
      readonly use: PathUse;
      /** As written. */
      readonly path: string;
      /** Folder that a relative path starts from, where it is not the working directory. */
      readonly base?: string;
      readonly tree?: true;
      /** The program runs what the file holds, or takes from it what names programs: of the project, or it pins. */
      readonly runs?: true;
      /** The path is a pattern of the shell. */
      readonly live?: true;
      /** Of what lies below only what matches. */
      readonly some?: true;
      /** It is surely no more than read. */
      readonly only?: true;
      readonly word: number;
    }
  /** Starts a program by name or path; null where it cannot be told which. */
  | {
      readonly kind: 'starts';
      readonly program: string | null;
      readonly why: string;
      readonly word: number;
    }
  | {
      readonly kind: 'command';
      readonly words: readonly Argument[];
      /**
       * A word of it that stands for the path of a file, which never begins with a dash. A command
       * that only reads the file does not pin then.
       */
      readonly file?: string;
      /** A rule that pins so many arguments may leave the later ones open. */
      readonly leading?: number;
      /** Those of them, by index, that say for which parts of a project, and nothing of what runs. */
      readonly parts?: readonly number[];
      /** It runs for what matches, not for all. */
      readonly some?: true;
      /** Names of files, or lines of the input, become parts of its words. */
      readonly filled?: string;
      readonly why: string;
      readonly word: number;
    }
  | {
      readonly kind: 'shell';
      readonly text: string;
      readonly why: string;
      readonly word: number;
    }
  | {
      readonly kind: 'code';
      readonly language: string;
      readonly text: string | null;
      /** The file that holds the code, where a file does. */
      readonly file?: string;
      /** As with `command`: what follows the file are arguments of the code. */
      readonly leading?: number;
      readonly why: string;
      readonly word: number;
    }
  /** Takes a library, a plug-in or settings that can name programs. */
  | {
      readonly kind: 'loads';
      readonly path: string | null;
      readonly why: string;
      readonly word: number;
    }
  /** Changes a setting that lasts. */
  | {
      readonly kind: 'sets';
      readonly setting: string;
      readonly why: string;
      readonly word: number;
    }
  /** Talks to another machine; an empty address stands for one that settings name. */
  | {
      readonly kind: 'reaches';
      readonly address: string;
      readonly direction: Direction;
      /** What comes as input goes there. */
      readonly input?: true;
      readonly word: number;
    };

/** Something that is not known, or deserves a person's look in any case. */
export interface Doubt {
  readonly level: 'pinned' | 'never';
  /** A clause without a full stop: "sort has no option --foo". */
  readonly why: string;
  readonly word: number;
  /** Code of another's choice can run by it, which a person is told in these words. */
  readonly executes?: true;
  readonly input?: true; // what runs is what comes in as input
}

export interface RiskOf extends RiskNote {
  /** Indexes of the arguments that caused it. */
  readonly words: readonly number[];
}

/** What a part of the arguments comes to. */
export interface Yield {
  readonly effects?: readonly Effect[];
  readonly doubts?: readonly Doubt[];
  readonly risks?: readonly RiskOf[];
}

/** An option as it was taken. */
export interface Taken {
  /** The full spelling of the one that was meant: `--output` for `--outp`, `-o` for `-no`. */
  readonly name: string;
  readonly value: string | null;
  /** The value is a pattern of the shell. */
  readonly live: boolean;
  /** `--no-…` of an option that exists without it. */
  readonly negated: boolean;
  readonly use: Use;
  /** The word with the option, and the one with its value. */
  readonly word: number;
  readonly valueWord: number;
}

export interface Operand {
  readonly text: string;
  readonly live: Argument['live'];
  readonly word: number;
}

/** The arguments of one program, as it takes them. */
export interface Reading {
  readonly program: string;
  /** Subcommands, each by its first name: `['stash', 'list']`. */
  readonly command: readonly string[];
  readonly options: readonly Taken[];
  /** How many of the options stand in front of the first subcommand. */
  readonly ownOptions: number;
  /** Where the words of `command` stand. */
  readonly commandWords: readonly number[];
  readonly operands: readonly Operand[];
  readonly effects: readonly Effect[];
  readonly doubts: readonly Doubt[];
  readonly risks: readonly RiskOf[];
  /** The grammar of the innermost subcommand; null where there is none. */
  readonly grammar: Grammar | null;
}

export type Options = Readonly<Record<string, Use>>;

/** By position: the first so many, all others, and one at the end where there are several. */
export interface Operands {
  readonly first?: readonly Use[];
  readonly rest?: Use;
  readonly last?: Use;
}

/**
 * Which files that were looked at a stage may have changed: none; those that the code of a project
 * does, which it runs and which could do at once whatever it would do through them; any, by what it
 * brings from elsewhere.
 */
export type Touched = 'none' | 'own' | 'any';

/** Which offers a "yes" may be remembered by. */
export type Offer =
  /** Only prints, whatever the arguments: the whole program or subcommand may be offered. */
  | 'reads'
  /** Only its files differ: the same with other files of the folder. */
  | 'files'
  /** Changes what its name says and nothing else: a subcommand with further arguments. */
  | 'changes'
  /** Nothing beyond the exact words. */
  | 'exact';

export interface Grammar {
  readonly syntax: Syntax;
  readonly options?: Options;
  /** Words with a dash that are numbers: `head -5`, `git log -3`. */
  readonly numeric?: RegExp;
  /** A lone dash is a file of this name, not an input or output stream. */
  readonly dashIsFile?: true;
  /** Absent: operands are not expected, and each is a doubt. */
  readonly operands?: Operands;
  /** Keys are names, separated by blanks; the first is the one that readings carry. */
  readonly commands?: Readonly<Record<string, Command>>;
  /** For what only several words together decide. */
  readonly finish?: (reading: Reading) => Yield;
  /** Reads all words by itself, where no syntax fits (`find`). `options` is then for show. */
  readonly read?: (args: readonly Argument[]) => CustomReading;
  readonly offers?: Offer | ((reading: Reading) => Offer);
  /** A rule has to name this command, and why: a clause. */
  readonly named?: string;
}

export type CustomReading = Pick<Reading, 'options' | 'operands'> & Yield;

export interface Command extends Grammar {
  /** One sentence for a person. */
  readonly does: string;
}

/** How a reading goes through its folders. */
export interface Manner {
  readonly follows: boolean;
  readonly hidden: boolean;
  readonly depth?: number;
  /** Only names are shown, so that secrets may stand in the tree. */
  readonly namesOnly?: boolean;
  /** Files are changed where the links lead. */
  readonly changes?: boolean;
  readonly opens?: (name: string, path: string) => boolean;
  readonly enters?: (name: string) => boolean;
  /** Files are opened by name one by one, so that a link among them is gone through. */
  readonly opensLinks?: boolean;
  /** See `Walk`. */
  readonly odd?: (shown: string) => boolean;
  /** Where the reading names no folder. */
  readonly roots?: readonly string[];
}

export interface ProgramRecord {
  /** Base names; the first is the one in sentences. */
  readonly names: readonly string[];
  /** It also goes by its names with a version behind them: `ruby3.2`, `gcc-13`. */
  readonly versions?: true;
  readonly does: string;
  readonly grammar: Grammar;
  /**
   * It runs what it is told, so that no rule for it is ever offered: `code` stands in its arguments
   * or comes as its input, `commands` are words behind it or a language of its own.
   */
  readonly runs?: 'code' | 'commands';
  /** How the code that stands in the command is read. */
  readonly code?: CodeTraits;
  /**
   * It does what the files of a project say: besides what its arguments name it may read and change
   * the project and these caches, and reach other machines.
   */
  readonly project?: {
    readonly caches: readonly string[];
    readonly network?: true;
    /** What its commands that only print do does not depend on the folder. */
    readonly anywhere?: true;
  };
  /**
   * The kernel may hold it to its effects: they are all that it does, beside what stands here. Tried
   * with the real program. Absent: what it keeps for itself (caches, settings, helpers) is not known.
   */
  readonly held?: HeldTo;
  /** It is told what to be by the name that it is called by: any name, or one of these. */
  readonly calledAs?: true | readonly string[];
  /** Variables whose value is not of this form it hands to a shell: words that begin a reason. */
  readonly expands?: { readonly plain: RegExp; readonly why: string };
  /** What comes as its input goes to another machine. */
  readonly sends?: true;
  /** It looks at names and dates of files, and into none. */
  readonly onlyNames?: true;
  /** It changes what is known of a file, and not what is in it. */
  readonly keepsContent?: true;
  /**
   * Which files of a project these words change, or turn into links, though no effect names them.
   * Absent: none where the offers say that they only look, else as far as its project goes, or any.
   */
  readonly changes?: (reading: Reading) => Touched;
  /** It puts links in the place of files, always, when it is told to, or where it is given some. */
  readonly links?: 'makes' | 'can' | 'carries';
  /** It puts its own file in the place of a link, and does not write through it. */
  readonly replaces?: true;
  /** It keeps rules of its own for the names that it takes from others, and for its project. */
  readonly ownRules?: true;
  /** What some of its words print or hand on, which cannot be taken back. */
  readonly discloses?: readonly Shows[];
  /** It does what its input says: whether these words have it read one. */
  readonly obeys?: (words: readonly string[], line: string) => boolean;
  /** It names no file, and so reads what comes through a pipe: as if `-` stood behind its words. */
  readonly readsPipe?: (reading: Reading) => boolean;
  /** Files of its folder that say what it does although no word names them. */
  readonly heeds?: (reading: Reading) => readonly string[];
  /** What one call of it makes, a later one may send on. */
  readonly handsOn?: true;
  /** What it prints may come from another machine, whatever the grammar says of addresses. */
  readonly brings?: true;
  /** How it goes through folders by itself; `name` is the one it was called by. */
  readonly walks?: (reading: Reading, name: string) => Manner | null;
  /** Files that it may read or change although no effect says so: words, in doubt. */
  readonly touches?: (
    reading: Reading,
    args: readonly Argument[],
  ) => { readonly reads: readonly string[]; readonly writes: readonly string[] };
  /** It acts on services elsewhere; where offers do not tell what only looks, a first word of this form does. */
  readonly elsewhere?: true | { readonly looks: RegExp };
  /** Whether these words ask a service of this machine alone, which is then no more than to read a file. */
  readonly asksHere?: (reading: Reading) => boolean;
  /**
   * Commands that change something beyond the project, which a rule has to name: subcommands, or the
   * first operands, of this form. Absent: what `elsewhere` says, save what only prints.
   */
  readonly beyond?: RegExp | true | ((reading: Reading) => boolean);
  /** What a person should know that the grammar does not say. */
  readonly finds?: (reading: Reading, args: readonly Argument[]) => readonly RiskOf[];
  /** Its arguments can hold code or commands: the name of a file had better not become a part of them. */
  readonly takesCode?: true;
  readonly passesOn?: PassesOn;
  readonly shell?: ShellTraits;
  /** Variables that steer this program, and why: words that complete "NAME, which …". */
  readonly environment?: Readonly<Record<string, string>>;
  /** Variables of such a family that only label things or say less; agents set them in earnest. */
  readonly harmless?: readonly string[];
  /**
   * Variables that say what an option of it could say; a `*` at the end stands for more. A rule with
   * any arguments covers them, one that an answer made does not.
   */
  readonly chooses?: readonly string[];
}
