/** A pattern that stands for more alternatives than this is refused. */
const maxAlternatives = 128;

/**
 * Expands `{a,b}` (nested too) into patterns without braces, or null when there would be too many.
 * Braces without a comma, unbalanced ones and escaped ones are plain characters.
 */
export function expandBraces(text: string): readonly string[] | null {
  const done: string[] = [];
  const waiting = [text];
  for (let pattern = waiting.pop(); pattern !== undefined; pattern = waiting.pop()) {
    const group = firstGroup(pattern);
    if (group === null) done.push(pattern);
    else {
      for (const part of group.parts.toReversed()) waiting.push(group.before + part + group.after);
    }
    if (done.length + waiting.length > maxAlternatives) return null;
  }
  return done;
}

interface BraceGroup {
  readonly before: string;
  readonly parts: readonly string[];
  readonly after: string;
}

function firstGroup(text: string): BraceGroup | null {
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '{') {
      const group = groupAt(text, at);
      if (group !== null) return group;
    }
  }
  return null;
}

function groupAt(text: string, open: number): BraceGroup | null {
  const cuts = [open];
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === ',' && depth === 1) cuts.push(at);
    else if (char === '}' && (depth -= 1) === 0) {
      if (cuts.length === 1) return null;
      const ends = [...cuts.slice(1), at];
      const parts = cuts.map((cut, index) => text.slice(cut + 1, ends[index]));
      return { before: text.slice(0, open), parts, after: text.slice(at + 1) };
    }
  }
  return null;
}

/** One step of a compiled glob. Characters are code points. */
type GlobStep =
  | { readonly kind: 'char'; readonly code: number }
  /** `?`: one character, never `/`. */
  | { readonly kind: 'one' }
  /** `[…]`: one character of a set, never `/`. */
  | { readonly kind: 'set'; readonly negated: boolean; readonly ranges: readonly CodeRange[] }
  /** `*`: any number of characters, never `/`. */
  | { readonly kind: 'star' }
  /** `**`: any number of characters. */
  | { readonly kind: 'all' }
  /** `**` and a slash at the start of a segment: no directory, or any number of whole ones. */
  | { readonly kind: 'directories' };

type CodeRange = readonly [from: number, to: number];

type ParsedSteps =
  | { readonly ok: true; readonly steps: readonly GlobStep[] }
  | { readonly ok: false; readonly problem: string };

const slash = 0x2f;

/** Parses a glob without braces. A backslash takes the next character literally. */
function parseSteps(text: string): ParsedSteps {
  const points = Array.from(text);
  const steps: GlobStep[] = [];
  for (let at = 0; at < points.length;) {
    const point = points[at];
    if (point === '*') {
      const wild = wildcardAt(points, at);
      steps.push({ kind: wild.kind });
      at = wild.end;
    } else if (point === '?') {
      steps.push({ kind: 'one' });
      at += 1;
    } else if (point === '[') {
      const set = setAt(points, at);
      if (set === 'class')
        return { ok: false, problem: 'named classes such as [:alpha:] are not known' };
      steps.push(set?.step ?? charStep('['));
      at = set?.end ?? at + 1;
    } else {
      const escaped = point === '\\' && at + 1 < points.length;
      steps.push(charStep(escaped ? points[at + 1] : point));
      at += escaped ? 2 : 1;
    }
  }
  return { ok: true, steps };
}

function charStep(point: string | undefined): GlobStep {
  return { kind: 'char', code: point?.codePointAt(0) ?? 0 };
}

function wildcardAt(
  points: readonly string[],
  start: number,
): { readonly kind: 'star' | 'all' | 'directories'; readonly end: number } {
  let end = start;
  while (points[end] === '*') end += 1;
  if (end === start + 1) return { kind: 'star', end };
  const startsSegment = start === 0 || points[start - 1] === '/';
  if (startsSegment && points[end] === '/') return { kind: 'directories', end: end + 1 };
  return { kind: 'all', end };
}

/** A bracket expression, `class` for a named class, or null when the bracket never closes. */
function setAt(
  points: readonly string[],
  start: number,
): { readonly step: GlobStep; readonly end: number } | 'class' | null {
  const negated = points[start + 1] === '!' || points[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const ranges: CodeRange[] = [];
  let at = first;
  const take = (): number => {
    if (points[at] === '\\' && at + 1 < points.length) at += 1;
    return points[at++]?.codePointAt(0) ?? 0;
  };
  while (at < points.length && (points[at] !== ']' || at === first)) {
    if (points[at] === '[' && /[:.=]/.test(points[at + 1] ?? '')) return 'class';
    const from = take();
    const isRange = points[at] === '-' && at + 1 < points.length && points[at + 1] !== ']';
    if (isRange) at += 1;
    ranges.push([from, isRange ? take() : from]);
  }
  if (at >= points.length) return null;
  return { step: { kind: 'set', negated, ranges }, end: at + 1 };
}

/** Whether one character passes a step that takes exactly one. */
function takes(step: GlobStep, code: number): boolean {
  if (step.kind === 'char') return step.code === code;
  if (code === slash) return false;
  if (step.kind === 'one') return true;
  if (step.kind !== 'set') return false;
  return step.ranges.some(([from, to]) => from <= code && code <= to) !== step.negated;
}

/**
 * Whether the steps match the whole text. All possible positions are carried along at once, so the
 * time is bounded by the product of both lengths whatever the pattern.
 */
function runSteps(steps: readonly GlobStep[], text: string): boolean {
  // Twice the positions: an odd one stands for "inside `directories`", where only a slash leads out.
  let here = new Uint8Array(2 * steps.length + 2);
  let next = new Uint8Array(here.length);
  enter(steps, here, 0);
  for (const point of text) {
    const code = point.codePointAt(0) ?? 0;
    next.fill(0);
    let alive = false;
    for (let index = 0; index < steps.length; index += 1) {
      if (here[2 * index] === 1) alive = advance(steps, next, index, code) || alive;
      if (here[2 * index + 1] === 1) alive = advance(steps, next, index, code) || alive;
    }
    if (!alive) return false;
    [here, next] = [next, here];
  }
  return here[2 * steps.length] === 1;
}

/** Marks a position and all that can be reached from it without a character. */
function enter(steps: readonly GlobStep[], set: Uint8Array, from: number): void {
  for (let index = from; set[2 * index] !== 1; index += 1) {
    set[2 * index] = 1;
    const kind = steps[index]?.kind;
    if (kind !== 'star' && kind !== 'all' && kind !== 'directories') return;
  }
}

function advance(
  steps: readonly GlobStep[],
  next: Uint8Array,
  index: number,
  code: number,
): boolean {
  const step = steps[index];
  if (step === undefined) return false;
  switch (step.kind) {
    case 'all':
      enter(steps, next, index);
      return true;
    case 'star':
      if (code === slash) return false;
      enter(steps, next, index);
      return true;
    case 'directories':
      next[2 * index + 1] = 1;
      if (code === slash) enter(steps, next, index + 1);
      return true;
    default:
      if (!takes(step, code)) return false;
      enter(steps, next, index + 1);
      return true;
  }
}

interface GlobOptions {
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
