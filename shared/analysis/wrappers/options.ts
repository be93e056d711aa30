import type { Argument } from '../plan/expand.ts';

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
