/** One step of a compiled glob. Characters are code points. */
export type GlobStep =
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

export type CodeRange = readonly [from: number, to: number];

export type ParsedSteps =
  | { readonly ok: true; readonly steps: readonly GlobStep[] }
  | { readonly ok: false; readonly problem: string };

const slash = 0x2f;

/** Parses a glob without braces. A backslash takes the next character literally. */
export function parseSteps(text: string): ParsedSteps {
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
export function takes(step: GlobStep, code: number): boolean {
  if (step.kind === 'char') return step.code === code;
  if (code === slash) return false;
  if (step.kind === 'one') return true;
  if (step.kind !== 'set') return false;
  return step.ranges.some(([from, to]) => from <= code && code <= to) !== step.negated;
}
