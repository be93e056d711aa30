import { opaque } from '../parse/syntax.ts';
import { refusedValue } from './environment.ts';
import { recordNamed } from '../programs/list.ts';
import type { Argument } from '../programs/types.ts';
import type { PassesOn } from '../programs/traits.ts';
import type { Assignment } from './types.ts';

/**
 * The index of the first operand, or null where an option is not in the grammar or is not written
 * out. Long options may be shortened as long as they stay unambiguous.
 */
function skipOptions(words: readonly Argument[], grammar: PassesOn): number | null {
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

function longOption(text: string, { long = {} }: PassesOn): number | null {
  const [name = ''] = text.slice(2).split('=', 1);
  const hasValue = text.includes('=');
  const exact = Object.hasOwn(long, name) ? long[name] : undefined;
  const matches = Object.keys(long).filter((candidate) => candidate.startsWith(name));
  const kind = exact ?? (matches.length === 1 ? long[matches[0] ?? ''] : undefined);
  if (kind === undefined || (kind === 'none' && hasValue)) return null;
  return kind === 'value' && !hasValue ? 2 : 1;
}

function shortOptions(text: string, { flags = '', valued = '' }: PassesOn): number | null {
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? '';
    if (valued.includes(letter)) return at === text.length - 1 ? 2 : 1;
    if (!flags.includes(letter)) return null;
  }
  return 1;
}

interface Inner {
  /** Index of the inner command's first word. */
  readonly start: number;
  readonly assignments: readonly Assignment[];
}

/** How a program is looked through when it is called in a known way; null for any other. */
export function passesOnOf(program: string): PassesOn | null {
  const record = recordNamed(program);
  return record?.names[0] === program ? (record.passesOn ?? null) : null;
}

/**
 * Where the inner command of a wrapper begins, or null when the program is no transparent wrapper,
 * is called with options that are not fully understood, or runs nothing.
 */
export function readTransparent(program: string, words: readonly Argument[]): Inner | null {
  const passesOn = passesOnOf(program);
  if (passesOn === null) return null;
  const operands = skipOptions(words, passesOn);
  if (operands === null) return null;
  // `env -` is `env -i`.
  if (passesOn.assigns === true && words[operands]?.text === '-') return null;
  let start = operands + (passesOn.operands ?? 0);
  const assignments: Assignment[] = [];
  if (passesOn.assigns === true) {
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
