import type { Argument } from '../types.ts';
import { open, pinned, type Finding } from './judge.ts';

/** Which options of a program can run other programs, or turn it into something else. */
export interface OptionRisk {
  readonly why: string;
  /** Long options without their dashes. Any shortening of one counts too, as GNU getopt takes it. */
  readonly long?: readonly string[];
  /** Options that are harmless although they look like a shortening of one in `long`. */
  readonly fine?: readonly string[];
  /** Short options. */
  readonly short?: string;
  /** Short options that take an argument: what follows in the same word is no option. */
  readonly valued?: string;
  /** Options of one dash and several letters. */
  readonly single?: readonly string[];
  /** Any argument of this form. */
  readonly operand?: RegExp;
}

/** Pinned when one of the risky options, or something that could become one, is among `args`. */
export function judgeOptions(args: readonly Argument[], risk: OptionRisk): Finding {
  let operands = false;
  for (const { text } of args) {
    if (risk.operand?.test(text) === true) return pinned(risk.why);
    if (text === '--') operands = true;
    if (operands || !text.startsWith('-')) continue;
    if (risk.single?.some((name) => text === name || text.startsWith(`${name}=`)) === true)
      return pinned(risk.why);
    const risky = text.startsWith('--') ? isRiskyLong(text, risk) : isRiskyShort(text, risk);
    if (risky) return pinned(risk.why);
  }
  return open;
}

export function isRiskyLong(text: string, { long = [], fine = [] }: OptionRisk): boolean {
  const [name = ''] = text.slice(2).split('=', 1);
  if (name === '' || fine.includes(name)) return false;
  return long.some((option) => option.startsWith(name));
}

function isRiskyShort(text: string, { short = '', valued = '' }: OptionRisk): boolean {
  for (const letter of text.slice(1)) {
    if (short.includes(letter)) return true;
    if (valued.includes(letter)) return false;
  }
  return false;
}
