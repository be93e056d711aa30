import type { Ask, Span } from '../../../shared/engine/index.ts';
import { displayText } from '../../../shared/base/index.ts';

type Mark = 'high' | 'low' | 'opaque';

/** A part of the command with the same look throughout. */
export interface CommandSegment {
  readonly kind: 'text' | 'unseen' | 'newline';
  readonly text: string;
  /** In words, for what cannot be seen. */
  readonly meaning: string | null;
  /** Number of the stage that begins here, from 1. */
  readonly opens: number | null;
  /** The innermost stage that it belongs to, as an index; null between stages. */
  readonly stage: number | null;
  readonly mark: Mark | null;
}

/** More stages than this are not numbered in the text; the list below it has them all. */
const numberedStages = 200;

const strength: Record<Mark, number> = { high: 3, opaque: 2, low: 1 };

interface Range extends Span {
  readonly stage?: number;
  readonly mark?: Mark;
}

function rangesOf(ask: Ask): Range[] {
  const length = ask.command.length;
  const ranges: Range[] = [];
  ask.stages.slice(0, numberedStages).forEach(({ span }, stage) => {
    if (span !== null) ranges.push({ ...span, stage });
  });
  for (const { level, spans } of ask.risk.findings) {
    for (const span of spans) ranges.push({ ...span, mark: level });
  }
  const opaque = ask.opaque?.span ?? null;
  if (opaque !== null) ranges.push({ ...opaque, mark: 'opaque' });
  return ranges.filter(({ start, end }) => start >= 0 && start < end && end <= length);
}

function strongest(ranges: readonly Range[]): Mark | null {
  let best: Mark | null = null;
  for (const { mark } of ranges) {
    if (mark !== undefined && (best === null || strength[mark] > strength[best])) best = mark;
  }
  return best;
}

function innermost(ranges: readonly Range[]): number | null {
  let best: Range | null = null;
  for (const range of ranges) {
    if (range.stage === undefined) continue;
    if (best === null || range.start >= best.start) best = range;
  }
  return best?.stage ?? null;
}

/**
 * The whole command as segments, in order: joined, their sources are the command, with nothing left
 * out. Spans outside the text are ignored, since they come from another process.
 */
export function commandSegments(ask: Ask): readonly CommandSegment[] {
  const ranges = rangesOf(ask).toSorted((a, b) => a.start - b.start || b.end - a.end);
  const edges = [
    ...new Set([0, ask.command.length, ...ranges.flatMap(({ start, end }) => [start, end])]),
  ].toSorted((a, b) => a - b);
  const segments: CommandSegment[] = [];
  let active: Range[] = [];
  let next = 0;
  for (let index = 0; index + 1 < edges.length; index += 1) {
    const from = edges[index] ?? 0;
    active = active.filter(({ end }) => end > from);
    let opens: number | null = null;
    for (let range = ranges[next]; range !== undefined && range.start <= from;) {
      active.push(range);
      if (range.stage !== undefined) opens = range.stage + 1;
      next += 1;
      range = ranges[next];
    }
    const shared = { stage: innermost(active), mark: strongest(active) };
    for (const piece of pieces(ask.command.slice(from, edges[index + 1]))) {
      segments.push({ ...piece, ...shared, opens });
      opens = null;
    }
  }
  return segments;
}

type Piece = Pick<CommandSegment, 'kind' | 'text' | 'meaning'>;

function pieces(text: string): Piece[] {
  return displayText(text).segments.flatMap((segment): Piece[] => {
    if (segment.kind === 'mark') {
      return [{ kind: 'unseen', text: segment.text, meaning: segment.meaning }];
    }
    return segment.text
      .split(/(\n)/)
      .filter((part) => part !== '')
      .flatMap(chunks)
      .map((part) => ({ kind: part === '\n' ? 'newline' : 'text', text: part, meaning: null }));
  });
}

/** The longest segment, so that a page of segments has a bounded size. */
const longestStretch = 4000;

/** A text in parts, without splitting a character. */
function chunks(text: string): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const end = from + longestStretch;
    const splitsPair = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
    parts.push(text.slice(from, splitsPair ? end + 1 : end));
    from = splitsPair ? end + 1 : end;
  }
  return parts;
}

/** How many of the segments are rendered at first, and how many more with each step. */
export const pageSize = { segments: 1200, characters: 24_000 };

/** The index after the last segment of a page that starts at `from`. */
export function pageEnd(segments: readonly CommandSegment[], from: number): number {
  let characters = 0;
  let index = from;
  while (
    index < segments.length &&
    index - from < pageSize.segments &&
    characters < pageSize.characters
  ) {
    characters += segments[index]?.text.length ?? 0;
    index += 1;
  }
  return index;
}
