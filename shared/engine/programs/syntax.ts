/** How a parser reads words. The ready ones stand below. */
export interface Syntax {
  readonly name: string;
  /** Options are also looked for behind operands. */
  readonly permutes: boolean;
  /** Long names may be shortened while they stay unambiguous among all of the grammar. */
  readonly abbreviates: boolean;
  /** Several letters may share a word. */
  readonly clusters: boolean;
  /** Within them, two letters that the grammar names as one option are taken before one: `-lf`. */
  readonly pairs?: true;
  /** The values of these options go on in the next words, up to an option or a word `@`. */
  readonly lists?: readonly string[];
  /** Long names behind one dash (`-name`), as Go, Java and X programs have them. */
  readonly singleDash?: true;
  /** `--name=value` is understood. curl does not. */
  readonly equals: boolean;
  /** `-n=value` is `-n value`. */
  readonly shortEquals?: true;
  /** Options without a value take `=true` and `=false`. */
  readonly flagEquals?: true;
  /** Every long option has a form with `--no-`. */
  readonly negates?: true;
  /** Long names are compared without regard to case. */
  readonly ignoresCase?: true;
  /** A value in a word of its own may not begin with a dash. */
  readonly refusesDashValues?: true;
  /** The first word may hold letters without a dash, whose values follow in their order. */
  readonly bundle?: true;
  /** Words are `name=value`; spellings in a grammar end in `=`. */
  readonly keyValue?: true;
  /** `--` does not end the options. */
  readonly endless?: true;
  /** Behind these options all words are arguments of what they name: `python -m`, `-c`. */
  readonly endsAt?: readonly string[];
  /** Options of a program also stand behind its subcommands. */
  readonly inherits?: true;
}

/** `getopt_long` as GNU programs call it, and argp. */
export const gnu: Syntax = {
  name: 'gnu',
  permutes: true,
  abbreviates: true,
  clusters: true,
  equals: true,
};

/** The same, but the first operand ends the options: programs that run a command, and POSIX ones. */
export const posix: Syntax = { ...gnu, name: 'posix', permutes: false };

/** GNU tar: `tar xzf a.tgz` before all else. */
export const tar: Syntax = { ...gnu, name: 'tar', bundle: true };

/** Git's `parse-options`: abbreviations within a subcommand, and `--no-` before each name. */
export const parseOptions: Syntax = { ...gnu, name: 'git', negates: true };

/**
 * Git where it hands unknown words on (`log`, `diff`, `show` …): the same without abbreviations.
 * Its `parse-options` switches them off with `PARSE_OPT_KEEP_UNKNOWN_OPT`. Two parsers read the words,
 * one after the other: what the second takes for the value of an option the first has taken for an
 * option of its own (`format-patch --anchored -o../x`), so such a value is none.
 */
export const parseKnownOptions: Syntax = {
  ...parseOptions,
  name: 'git-known',
  abbreviates: false,
  refusesDashValues: true,
};

/** Loops over words by hand: whole names only, up to the first operand. Git's own options. */
export const byHand: Syntax = {
  name: 'by-hand',
  permutes: false,
  abbreviates: false,
  clusters: false,
  equals: true,
};

/** pflag, under cobra: docker, kubectl, gh, helm. */
export const pflag: Syntax = {
  name: 'pflag',
  permutes: true,
  abbreviates: false,
  clusters: true,
  equals: true,
  shortEquals: true,
  flagEquals: true,
  inherits: true,
};

/** Python's argparse with its defaults. */
export const argparse: Syntax = {
  name: 'argparse',
  permutes: true,
  abbreviates: true,
  clusters: true,
  equals: true,
  shortEquals: true,
  refusesDashValues: true,
};

/** clap, lexopt and bpaf: Rust programs. */
export const clap: Syntax = {
  name: 'clap',
  permutes: true,
  abbreviates: false,
  clusters: true,
  equals: true,
  shortEquals: true,
};

/**
 * curl: letters cluster, long values stand in a word of their own. Up to 8.9 unambiguous
 * abbreviations are taken, and case does not count; later versions refuse them.
 */
export const curl: Syntax = {
  name: 'curl',
  permutes: true,
  abbreviates: true,
  clusters: true,
  equals: false,
  negates: true,
  ignoresCase: true,
};

/** Go's `flag`, and Java: `-name value`, `-name=value`, up to the first operand. */
export const singleDash: Syntax = {
  name: 'single-dash',
  permutes: false,
  abbreviates: false,
  clusters: false,
  singleDash: true,
  equals: true,
  flagEquals: true,
};

/** zip's own: letters, pairs of letters, `-x a b @`, and `=` before any value. */
export const zip: Syntax = {
  ...gnu,
  name: 'zip',
  shortEquals: true,
  pairs: true,
  lists: ['-i', '-x', '--include', '--exclude'],
};

/** dd: `if=a of=b`. */
export const keyValue: Syntax = {
  name: 'key=value',
  permutes: true,
  abbreviates: false,
  clusters: false,
  equals: false,
  keyValue: true,
};

/** The same where the words behind the first operand belong to a command: `docker run`. */
export const pflagCommand: Syntax = { ...pflag, name: 'pflag-command', permutes: false };

/** getopt(3), and loops like it: letters cluster, long names stand in full. */
export const getopt: Syntax = { ...gnu, name: 'getopt', abbreviates: false };

/** The same up to the first operand: interpreters, whose scripts have arguments of their own. */
export const getoptCommand: Syntax = { ...getopt, name: 'getopt-command', permutes: false };

/** Names in full, one word each, also behind operands: most programs of Node, and many others. */
export const wholeNames: Syntax = { ...byHand, name: 'whole-names', permutes: true };

/** The same, with letters in clusters: yargs, commander, minimist, cac. */
export const node: Syntax = {
  name: 'node',
  permutes: true,
  abbreviates: false,
  clusters: true,
  equals: true,
  shortEquals: true,
  flagEquals: true,
};

/** nopt, under npm: names behind one dash or two, unambiguous beginnings of them, and `--no-…`. */
export const nopt: Syntax = {
  name: 'nopt',
  permutes: true,
  abbreviates: true,
  clusters: false,
  singleDash: true,
  equals: true,
  negates: true,
  inherits: true,
};

/** Perl's Getopt::Long: names behind one dash or two, unambiguous beginnings of them, in any case. */
export const perlGetopt: Syntax = {
  name: 'perl',
  permutes: true,
  abbreviates: true,
  clusters: false,
  singleDash: true,
  equals: true,
  ignoresCase: true,
};
