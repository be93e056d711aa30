import type { ArgToken } from '../policy/types.ts';
import { compileGlob } from './glob.ts';
import type { Glob } from './glob.ts';

/** The words of a command after its name; those listed in `open` are still expanded by the shell. */
export interface Words {
  readonly values: readonly string[];
  /** Indexes into `values`. */
  readonly open: ReadonlySet<number>;
}

export interface CompiledArgs {
  readonly problem: string | null;
  /** True when every word is fixed: no wildcards, no "anything after". */
  readonly pinned: boolean;
  /** How many tokens at the start are fixed. */
  readonly fixedStart: number;
  /** Whether the token for this word takes only words that are written out. */
  fixes(index: number): boolean;
  /** True when it ends with "anything after". */
  readonly rest: boolean;
  /** The only word that the first token takes, where there is just one. */
  readonly firstLiteral: string | null;
  /** The fixed words as one key, where each token takes just one. */
  readonly key: string | null;
  /** Surely matches, whatever the open words become. */
  covers(words: Words): boolean;
  /** May match: an open word may become any number of words. */
  touches(words: Words): boolean;
}

/** Stands last in a list of tokens: any further words, or none. */
export const restToken = '...';

/** One key for a list of words. A NUL never stands inside a word. */
export function keyOfWords(words: readonly string[]): string {
  return words.join('\0');
}

/** Compiles the token list of a rule. `home` is for a leading `~`. */
export function compileArgs(tokens: readonly ArgToken[], home: string): CompiledArgs {
  const rest = tokens.at(-1) === restToken;
  const fixed = (rest ? tokens.slice(0, -1) : tokens).map((token) => compileToken(token, home));
  const problem = fixed.find((token) => token.problem !== null)?.problem ?? null;
  const literals = fixed.map((token) => token.only);
  const firstOpen = fixed.findIndex((token) => !token.fixed);
  const allSingle = literals.every((literal) => literal !== null);
  return {
    problem,
    pinned: !rest && fixed.every((token) => token.fixed),
    fixes: (index) => fixed[index]?.fixed === true,
    fixedStart: firstOpen === -1 ? fixed.length : firstOpen,
    rest,
    firstLiteral: literals[0] ?? null,
    key: allSingle && !rest ? keyOfWords(literals.map((literal) => literal ?? '')) : null,
    covers: (words) => problem === null && coversWords(fixed, rest, words),
    touches: (words) => problem !== null || touchesWords(fixed, rest, words),
  };
}

interface Token {
  readonly problem: string | null;
  /** Takes only words that are written out. */
  readonly fixed: boolean;
  /** The one word it takes, or null. */
  readonly only: string | null;
  /** For allow rules: a wildcard never reaches out of a directory through `..`. */
  covers(word: string): boolean;
  matches(word: string): boolean;
}

function compileToken(token: ArgToken, home: string): Token {
  const texts = typeof token === 'string' ? [token] : token;
  const globs = texts.map((text) => compileGlob(text, { home, ignoreCase: false }));
  const addresses = texts.map((text) => compileAddress(text, home));
  const literals = globs.map((glob) => glob.literals);
  const anyWord = texts.includes('**');
  const misplaced = texts.includes(restToken) ? '"..." may only stand last' : null;
  return {
    problem: misplaced ?? globs.find((glob) => glob.problem !== null)?.problem ?? null,
    fixed: literals.every((list) => list !== null),
    only: literals.length === 1 && literals[0]?.length === 1 ? (literals[0][0] ?? null) : null,
    covers: (word) =>
      anyWord ||
      globs.some(
        (glob, at) =>
          (glob.literals !== null || (!climbs(word) && addresses[at]?.(word) !== false)) &&
          glob.matches(word),
      ),
    matches: (word) => globs.some((glob: Glob) => glob.matches(word)),
  };
}

/** A scheme and what stands up to the path, also behind the `=` of an option. */
const addressPattern = /^(?:-[\w-]*=)?[a-z*?{},[\]+.-]+:\/\/([^/]*)/i;
const address = /^(?:-[\w-]*=)?[a-z][a-z0-9+.-]*:\/\/([^/?#\\]*)/i;
/** A name or a number, and a port: no login, and nothing that programs end it at in other ways. */
const plainHost = /^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/**
 * For a pattern that is an address: whether the machine of a word is one that the pattern's own part for
 * the machine takes. To a glob `https://evil.example?.good.example/` is a name that ends well.
 */
function compileAddress(text: string, home: string): ((word: string) => boolean) | null {
  const host = addressPattern.exec(text)?.[1];
  if (host === undefined) return null;
  const glob = compileGlob(host, { home, ignoreCase: true });
  return (word) => {
    const named = address.exec(word)?.[1];
    if (host === '') return named === '';
    if (named === undefined || glob.problem !== null) return false;
    return plainHost.test(named) && glob.matches(named);
  };
}

/** Has a `..` segment, also after the `=` of an option. */
function climbs(word: string): boolean {
  return word.includes('..') && /(?:^|[/=:,])\.\.(?:$|\/)/.test(word);
}

function coversWords(tokens: readonly Token[], rest: boolean, words: Words): boolean {
  const { values, open } = words;
  if (rest ? values.length < tokens.length : values.length !== tokens.length) return false;
  return tokens.every((token, index) => !open.has(index) && token.covers(values[index] ?? ''));
}

/** Positions in the token list that can be reached, word by word. */
function touchesWords(tokens: readonly Token[], rest: boolean, words: Words): boolean {
  let reached = new Set([0]);
  for (const [index, word] of words.values.entries()) {
    const next = new Set<number>();
    for (const at of reached) {
      if (words.open.has(index)) {
        for (let further = at; further <= tokens.length; further += 1) next.add(further);
      } else if (tokens[at]?.matches(word) === true) next.add(at + 1);
      else if (at === tokens.length && rest) next.add(at);
    }
    if (next.size === 0) return false;
    reached = next;
  }
  return reached.has(tokens.length);
}
