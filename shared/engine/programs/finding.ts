import type { Argument } from './types.ts';
import type { Trust } from '../plan/types.ts';

/** What a program would run through its arguments, as far as it can be read. */
export type Carried =
  | { readonly kind: 'words'; readonly words: readonly Argument[] }
  | { readonly kind: 'text'; readonly text: string };

export interface Finding {
  readonly trust: Trust;
  readonly carries?: readonly Carried[];
  /** The file of code that the program would run, as written. */
  readonly script?: string;
  /** Files that were read for it, absolute; null where not all of them are known. */
  readonly files?: readonly string[] | null;
}

export const open: Finding = { trust: { level: 'open' } };

/** Nothing is known of the program: a rule must name it. */
export function named(reason: string): Finding {
  return { trust: { level: 'named', reason } };
}

/** A rule must pin every argument; with `leading`, the first so many. */
export function pinned(
  reason: string,
  carries: readonly Carried[] = [],
  leading?: number,
): Finding {
  return {
    trust:
      leading === undefined ? { level: 'pinned', reason } : { level: 'pinned', reason, leading },
    carries,
  };
}

/** Pinned by what lies in the folder: a rule has to name that, too. */
export function pinnedHere(reason: string): Finding {
  return { trust: { level: 'pinned', reason, folder: true }, carries: [] };
}

/** No rule may allow it. */
export function never(reason: string, carries: readonly Carried[] = []): Finding {
  return { trust: { level: 'never', reason }, carries };
}

export function carriedWords(args: readonly Argument[]): Carried[] {
  return args.length === 0 ? [] : [{ kind: 'words', words: args }];
}

/** Where options are not understood, any of the first operands may begin what runs: deny rules see each. */
export function carriedGuesses(args: readonly Argument[]): Carried[] {
  const starts = args.flatMap(({ text }, index) => (/^-|=|^\d*$/.test(text) ? [] : [index]));
  return starts.slice(0, 4).flatMap((start) => carriedWords(args.slice(start)));
}

/** Strictest first. */
const order = ['never', 'pinned', 'spelled', 'named', 'open'] as const;

export function strictest(one: Finding, other: Finding): Finding {
  if (one.trust.level === 'spelled' && other.trust.level === 'spelled') {
    const words = [...new Set([...one.trust.words, ...other.trust.words])];
    return { ...one, trust: { ...one.trust, words } };
  }
  if (one.trust.level === 'pinned' && other.trust.level === 'pinned' && other.trust.folder === true)
    return { ...one, trust: { level: 'pinned', reason: one.trust.reason, folder: true } };
  return order.indexOf(one.trust.level) <= order.indexOf(other.trust.level) ? one : other;
}

/**
 * An interpreter whose code stands in the command itself: where that is all that is wrong, a rule may
 * cover this very text. What a shell is given is held against the rules for the programs in it.
 */
export function givenCode(
  findings: readonly Finding[],
  text: string | null,
  isShell: boolean,
): { readonly text: string; readonly finding: Finding } | null {
  const worst = findings.filter(({ trust }) => trust.level === 'never');
  if (text === null || worst.length === 0) return null;
  if (!worst.every(({ trust }) => trust.level === 'never' && trust.input === true)) return null;
  const [first] = worst;
  const reason = first?.trust.level === 'never' ? first.trust.reason : '';
  return { text, finding: pinned(reason, isShell ? [{ kind: 'text', text }] : []) };
}
