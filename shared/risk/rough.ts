import type { Assignment } from '../analysis/types.ts';
import type { RiskSubject } from './subject.ts';

/**
 * A rough reading of shell text of which no plan could be made: cut at every separator, words split
 * at blanks, quotes taken off. Good enough to warn; never to allow.
 */
export function roughStages(
  text: string,
  around: { readonly home: string; readonly cwd: string },
): readonly RiskSubject[] {
  const subjects: RiskSubject[] = [];
  for (const match of text.matchAll(/[^;&|\n(){}`]+/g)) {
    const { words, writes } = wordsOf(match[0]);
    const first = words.findIndex((word) => !keywords.has(word) && !/^\w+=/.test(word));
    const name = words[first];
    if (name === undefined) continue;
    const start = match.index + (match[0].length - match[0].trimStart().length);
    subjects.push({
      name: name.slice(name.lastIndexOf('/') + 1).toLowerCase(),
      args: words.slice(first + 1),
      cwd: around.cwd,
      home: around.home,
      writes,
      reads: [],
      assignments: words.slice(0, first).flatMap(assignmentOf),
      span: { start, end: match.index + match[0].trimEnd().length },
      piped: /[^|]\|$/.test(text.slice(0, match.index)),
    });
  }
  return subjects;
}

const keywords = new Set([
  'if',
  'then',
  'else',
  'elif',
  'do',
  'while',
  'until',
  '!',
  'time',
  'eval',
  'exec',
  'command',
  '$',
]);

function assignmentOf(word: string): readonly Assignment[] {
  const at = word.indexOf('=');
  return at < 0 ? [] : [{ name: word.slice(0, at), value: word.slice(at + 1) }];
}

function wordsOf(piece: string): {
  readonly words: readonly string[];
  readonly writes: readonly string[];
} {
  const words: string[] = [];
  const writes: string[] = [];
  let target = false;
  for (const [token] of piece.matchAll(/\d?>>?|\d?<|(?:"[^"]*"?|'[^']*'?|\\.|[^\s"'<>\\])+/g)) {
    if (/^\d?[<>]/.test(token)) target = token.includes('>');
    else {
      const word = token.replaceAll(/["'\\]/g, '');
      (target ? writes : words).push(word);
      target = false;
    }
  }
  return { words, writes };
}
