import type { RiskSubject } from './subject.ts';
import type { RiskCode, RiskFinding } from './types.ts';

/** A finding before its place in the text is looked up. */
export interface RoughFinding {
  readonly code: RiskCode;
  readonly level: 'low' | 'high';
  readonly text: string;
  /** The words that caused it; none means the whole program with its arguments. */
  readonly words: readonly string[];
}

/** Looks at one program. */
export type RiskCheck = (subject: RiskSubject) => readonly RoughFinding[];

export function finding(
  code: RiskCode,
  level: 'low' | 'high',
  text: string,
  words: readonly string[] = [],
): RoughFinding {
  return { code, level, text, words };
}

/** Places a finding in the text of the request; words that are quoted there fall back to the stage. */
export function placed(rough: RoughFinding, subject: RiskSubject, text: string): RiskFinding {
  const { code, level } = rough;
  return { code, level, text: rough.text, spans: spansOf(rough, subject, text) };
}

function spansOf(
  { words }: RoughFinding,
  { span, home }: RiskSubject,
  text: string,
): RiskFinding['spans'] {
  if (span === null) return [];
  const part = text.slice(0, span.end);
  const spans = words.flatMap((word) => {
    // The analysis has already put the home directory in the place of `~`.
    const written = word.startsWith(`${home}/`) ? [word, `~${word.slice(home.length)}`] : [word];
    const found = written.find((each) => each !== '' && part.includes(each, span.start));
    if (found === undefined) return [];
    const start = part.indexOf(found, span.start);
    return [{ start, end: start + found.length }];
  });
  return spans.length > 0 ? spans : [span];
}
