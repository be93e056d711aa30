import { opaque } from '../parse/syntax.ts';
import { refusedValue } from './environment.ts';
import type { Argument } from '../programs/types.ts';
import type { Assignment } from './types.ts';

/** The options of a program that reads them as GNU getopt does, up to the first operand. */
export interface OptionGrammar {
  /** Short options without and with an argument. */
  readonly flags: string;
  readonly valued: string;
  /** Long options; the value tells whether an argument follows. `maybe` takes one only behind `=`. */
  readonly long: Readonly<Record<string, 'none' | 'value' | 'maybe'>>;
}

/**
 * The index of the first operand, or null where an option is not in the grammar or is not written
 * out. Long options may be shortened as long as they stay unambiguous.
 */
export function skipOptions(words: readonly Argument[], grammar: OptionGrammar): number | null {
  let at = 1;
  for (;;) {
    const word = words[at];
    if (word === undefined) return at;
    if (word.live !== null) return null;
    const { text } = word;
    if (text === '--') return at + 1;
    if (!text.startsWith('-') || text === '-') return at;
    const taken = text.startsWith('--') ? longOption(text, grammar) : shortOptions(text, grammar);
    if (taken === null) return null;
    if (taken === 2 && (words[at + 1]?.live ?? null) !== null) return null;
    at += taken;
  }
}

function longOption(text: string, { long }: OptionGrammar): number | null {
  const [name = ''] = text.slice(2).split('=', 1);
  const hasValue = text.includes('=');
  const exact = Object.hasOwn(long, name) ? long[name] : undefined;
  const matches = Object.keys(long).filter((candidate) => candidate.startsWith(name));
  const kind = exact ?? (matches.length === 1 ? long[matches[0] ?? ''] : undefined);
  if (kind === undefined || (kind === 'none' && hasValue)) return null;
  return kind === 'value' && !hasValue ? 2 : 1;
}

function shortOptions(text: string, { flags, valued }: OptionGrammar): number | null {
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? '';
    if (valued.includes(letter)) return at === text.length - 1 ? 2 : 1;
    if (!flags.includes(letter)) return null;
  }
  return 1;
}

/** Shells whose `-c` text is read in their place. What runs is our reading of it, in our shell. */
export const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ash', 'ksh']);

export interface ShellCall {
  readonly text: string;
  /** A `set` command that does what the options did, or nothing. */
  readonly settings: string;
  readonly needsBash: boolean;
}

const settable: Readonly<Record<string, string>> = {
  errexit: 'set -e',
  nounset: 'set -u',
  xtrace: 'set -x',
  pipefail: 'set -o pipefail',
};

/**
 * A call of the form `sh [-leux] [-o NAME] -c TEXT`, or null for any other. A login shell (`-l`)
 * would read start files first; the text runs in the runner's environment instead.
 */
export function readShellCall(words: readonly Argument[]): ShellCall | null {
  const settings: string[] = [];
  let text: string | null = null;
  let command = false;
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (word === undefined || word.live !== null) return null;
    if (word.text === '--login' || word.text === '--norc' || word.text === '--noprofile') continue;
    if (!/^-[cleuxo]+$/.test(word.text)) {
      text = word.text;
      break;
    }
    for (const letter of word.text.slice(1)) {
      if (letter === 'c') command = true;
      else if (letter === 'o') {
        const name = words[++at];
        const setting = name === undefined || name.live !== null ? undefined : settable[name.text];
        if (setting === undefined) return null;
        settings.push(setting);
      } else if (letter !== 'l') settings.push(`set -${letter}`);
    }
  }
  if (!command || text === null || /^[-+]/.test(text)) return null;
  return {
    text,
    settings: settings.join('; '),
    needsBash: settings.includes('set -o pipefail'),
  };
}

interface Transparent {
  readonly options: OptionGrammar;
  /** Operands that belong to the wrapper before the inner command begins. */
  readonly operands: number;
  /** Why looking through it is safe. */
  readonly why: string;
}

const none: OptionGrammar = { flags: '', valued: '', long: {} };

/** Programs whose whole effect on the inner command is understood. Options not listed end it. */
const table: Readonly<Record<string, Transparent>> = {
  timeout: {
    options: {
      flags: 'vfp',
      valued: 'ks',
      long: {
        'kill-after': 'value',
        signal: 'value',
        verbose: 'none',
        foreground: 'none',
        'preserve-status': 'none',
      },
    },
    operands: 1,
    why: 'it runs the command as it stands and ends it after a time',
  },
  nice: {
    options: { flags: '0123456789', valued: 'n', long: { adjustment: 'value' } },
    operands: 0,
    why: 'it runs the command as it stands with another priority',
  },
  nohup: {
    options: none,
    operands: 0,
    why: 'it runs the command as it stands and makes it ignore a hang-up',
  },
  stdbuf: {
    options: {
      flags: '',
      valued: 'ioe',
      long: { input: 'value', output: 'value', error: 'value' },
    },
    operands: 0,
    why: "it runs the command as it stands with other buffers, through the system's own library",
  },
  time: {
    options: { flags: 'pv', valued: '', long: { portability: 'none', verbose: 'none' } },
    operands: 0,
    why: 'it runs the command as it stands and prints how long it took',
  },
  env: {
    options: none,
    operands: 0,
    why: 'without options it only sets variables, which pass the same filter as any others',
  },
};

export interface Inner {
  /** Index of the inner command's first word. */
  readonly start: number;
  readonly assignments: readonly Assignment[];
}

/** The names of the programs that are looked through when they are called in a known way. */
export const transparentPrograms: ReadonlySet<string> = new Set(Object.keys(table));

/**
 * Where the inner command of a wrapper begins, or null when the program is no transparent wrapper,
 * is called with options that are not fully understood, or runs nothing.
 */
export function readTransparent(program: string, words: readonly Argument[]): Inner | null {
  const entry = Object.hasOwn(table, program) ? table[program] : undefined;
  if (entry === undefined) return null;
  const operands = skipOptions(words, entry.options);
  if (operands === null) return null;
  // `env -` is `env -i`.
  if (program === 'env' && words[operands]?.text === '-') return null;
  let start = operands + entry.operands;
  const assignments: Assignment[] = [];
  if (program === 'env') {
    for (; start < words.length; start++) {
      const word = words[start];
      const split = word?.text.indexOf('=') ?? -1;
      if (word === undefined || split === -1) break;
      if (word.live !== null) return null;
      assignments.push(assignmentOf(word.text, split));
    }
  }
  const own = words.slice(1, start);
  if (start >= words.length || own.some((word) => word.live !== null)) return null;
  return { start, assignments };
}

function assignmentOf(text: string, split: number): Assignment {
  const name = text.slice(0, split);
  const why = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)
    ? refusedValue(name, text.slice(split + 1))
    : 'is a name that programs read in different ways';
  if (why !== null) throw opaque('unsafe-environment', `${name} is set, which ${why}.`);
  return { name, value: text.slice(split + 1) };
}
