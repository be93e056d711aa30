import { s } from '../../base/index.ts';
import type { Static } from '../../base/index.ts';
import { spanSchema } from '../plan/types.ts';
import type { RiskSubject } from './subject.ts';

export const riskCodes = [
  'recursive-delete',
  'force-push',
  'history-rewrite',
  'pipe-to-shell',
  'credential-path',
  'privilege',
  'persistence',
  'disk-write',
  'mass-permissions',
  'data-leaving',
  'package-install',
  'production-target',
  'loader-variable',
  'hidden-characters',
  'inline-code',
  'stops-programs',
  'data-loss',
  'weakened-check',
  'login-change',
  /** An advisor of the person's choice says no to it. */
  'advised-against',
] as const;
export type RiskCode = (typeof riskCodes)[number];

/**
 * Whether a sandbox without a network takes away what a finding is about, so that nobody has to be
 * asked about it there; `low` where it does so for findings of that level only.
 */
export const sandboxTakesAway: Readonly<Record<RiskCode, 'yes' | 'low' | 'no'>> = {
  // The workspace is the person's own. What a build makes again is told apart by its folder.
  'recursive-delete': 'no',
  'force-push': 'no',
  'history-rewrite': 'no',
  'pipe-to-shell': 'yes',
  'credential-path': 'no',
  // It would fail there, and is for the machine.
  privilege: 'no',
  // Recipes of the project are its ordinary source; what steers or runs later is not.
  persistence: 'low',
  'disk-write': 'no',
  'mass-permissions': 'no',
  'data-leaving': 'no',
  'package-install': 'no',
  'production-target': 'no',
  'loader-variable': 'no',
  'hidden-characters': 'no',
  'login-change': 'no',
  'weakened-check': 'no',
  'inline-code': 'yes',
  'stops-programs': 'no',
  'data-loss': 'no',
  'advised-against': 'no',
};

export function isRiskCode(code: string): code is RiskCode {
  return (riskCodes as readonly string[]).includes(code);
}

/** One thing a person should know before saying yes. */
const riskFinding = s.object({
  code: s.oneOf(riskCodes),
  level: s.oneOf(['low', 'high']),
  /** In words a person understands: "Deletes everything below /home/me/src". */
  text: s.string(),
  /** The words of the command that caused it. */
  spans: s.array(spanSchema, { maxItems: 1_000 }),
});
export type RiskFinding = Static<typeof riskFinding>;

/** Findings never allow anything; `high` forbids "always" and asks for a step-up. */
export const riskSchema = s.object({
  level: s.oneOf(['none', 'low', 'high']),
  findings: s.array(riskFinding, { maxItems: 1_000 }),
});
export type Risk = Static<typeof riskSchema>;

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
  return { code, level, text: inWords(rough.text), spans: spansOf(rough, subject, text) };
}

/** A folder that is written as dots would run into the full stop: "below ." and "." read as "..". */
function inWords(text: string): string {
  return text.replace(/(?<= )(\.\.?)\.$/, (_, folder) =>
    folder === '.' ? 'this folder.' : 'the folder above.',
  );
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
