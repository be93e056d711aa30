import { unsafeVariable } from '../environment.ts';
import { opaque } from '../parse/opaque.ts';
import type { Argument } from '../plan/expand.ts';
import type { Assignment } from '../types.ts';
import { skipOptions, type OptionGrammar } from './options.ts';

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
    ? unsafeVariable(name)
    : 'is a name that programs read in different ways';
  if (why !== null) throw opaque('unsafe-environment', `${name} is set, which ${why}.`);
  return { name, value: text.slice(split + 1) };
}
