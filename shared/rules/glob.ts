import { expandBraces, maxAlternatives } from './braces.ts';
import { runSteps } from './glob-run.ts';
import { parseSteps } from './glob-steps.ts';
import type { GlobStep } from './glob-steps.ts';

export interface GlobOptions {
  /** Absolute; a leading `~` stands for it. */
  readonly home: string;
  readonly ignoreCase: boolean;
}

export interface Glob {
  /** The only texts that match, folded if case is ignored; null when wildcards make them endless. */
  readonly literals: readonly string[] | null;
  /** Every match starts with one of these. */
  readonly prefixes: readonly string[];
  /** Why the pattern cannot be understood; it then matches nothing. */
  readonly problem: string | null;
  matches(text: string): boolean;
}

const special = /[\\*?[\]{}]/;

/**
 * Compiles a glob: `**` matches everything, `*` and `?` never a slash, `[a-z]` and `[!a]` one
 * character, `{a,b}` alternatives, a leading `~` the home directory, a backslash the next character
 * literally. The match is on the whole text, in linear time.
 */
export function compileGlob(pattern: string, options: GlobOptions): Glob {
  const fold = options.ignoreCase ? (text: string) => text.toLowerCase() : (text: string) => text;
  const full = fold(expandHome(pattern, options.home));
  if (!special.test(full)) return literalGlob([full], fold);
  const alternatives = expandBraces(full);
  if (alternatives === null) {
    return brokenGlob(`it stands for more than ${maxAlternatives} alternatives`);
  }
  const programs: (readonly GlobStep[])[] = [];
  for (const alternative of alternatives) {
    const parsed = parseSteps(alternative);
    if (!parsed.ok) return brokenGlob(parsed.problem);
    programs.push(parsed.steps);
  }
  if (programs.every(isLiteral)) return literalGlob(programs.map(literalOf), fold);
  const prefixed = programs.map((steps) => ({ steps, prefix: prefixOf(steps) }));
  return {
    literals: null,
    prefixes: prefixed.map(({ prefix }) => prefix),
    problem: null,
    matches(text) {
      const folded = fold(text);
      return prefixed.some(
        ({ steps, prefix }) => folded.startsWith(prefix) && runSteps(steps, folded),
      );
    },
  };
}

/** A text as a glob that matches exactly that text. */
export function escapeGlob(text: string): string {
  const escaped = text.replaceAll(/[\\*?[\]{}]/g, String.raw`\$&`);
  return escaped.startsWith('~') ? `\\${escaped}` : escaped;
}

function expandHome(pattern: string, home: string): string {
  if (pattern !== '~' && !pattern.startsWith('~/')) return pattern;
  return escapeGlob(home) + pattern.slice(1);
}

function isLiteral(steps: readonly GlobStep[]): boolean {
  return steps.every((step) => step.kind === 'char');
}

/** What every match starts with: a cheap look before the dear one. */
function prefixOf(steps: readonly GlobStep[]): string {
  const wild = steps.findIndex((step) => step.kind !== 'char');
  return literalOf(steps.slice(0, wild));
}

function literalOf(steps: readonly GlobStep[]): string {
  return steps
    .map((step) => (step.kind === 'char' ? String.fromCodePoint(step.code) : ''))
    .join('');
}

function literalGlob(literals: readonly string[], fold: (text: string) => string): Glob {
  return {
    literals,
    prefixes: literals,
    problem: null,
    matches: (text) => literals.includes(fold(text)),
  };
}

function brokenGlob(problem: string): Glob {
  return { literals: null, prefixes: [''], problem, matches: () => false };
}
