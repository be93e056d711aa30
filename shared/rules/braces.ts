/** A pattern that stands for more alternatives than this is refused. */
export const maxAlternatives = 128;

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
