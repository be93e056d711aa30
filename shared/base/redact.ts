import {
  doubleQuoted,
  notDone,
  programOptions,
  redactionMark,
  redactionRules,
  singleQuoted,
  word,
} from './redact-rules.ts';
import type { ProgramOption } from './redact-rules.ts';

/**
 * Hides the values of options that are secret for some programs only. Each option is one walk over
 * the text: a program's name arms it, the end of the simple command or a find disarms it, and a value
 * is read only where it is then taken out.
 */
function redactProgramOptions(text: string): string {
  return finders.reduce((out, finder) => walk(out, finder), text);
}

interface Finder {
  /** A program, the end of a command, or the option. */
  readonly token: RegExp;
  readonly takesNext: boolean;
}

const finders = programOptions.map(({ programs, option, takes }: ProgramOption): Finder => ({
  token: new RegExp(
    String.raw`(?<program>\b(?:${programs})\b)|(?<end>[;&|]|(?<!\\)\n)|(?<=\s['"]?)${option}`,
    'g',
  ),
  takesNext: takes === 'either',
}));

/** The value behind the option, by what stands in front of it; all of them anchored. */
const nextWord = new RegExp(String.raw`(?<keep>['"]?\s{1,8})(?!-)${word}`, 'y');
const inQuotes: Readonly<Record<string, RegExp>> = {
  "'": new RegExp(String.raw`(?!\s)${singleQuoted}`, 'y'),
  '"': new RegExp(String.raw`(?!\s)${doubleQuoted}`, 'y'),
};
const sameWord = new RegExp(String.raw`(?!\s)${notDone}${word}`, 'y');

function walk(text: string, { token, takesNext }: Finder): string {
  let out = '';
  let done = 0;
  let isArmed = false;
  token.lastIndex = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const { program, end } = found.groups ?? {};
    if (program !== undefined) isArmed = true;
    else if (end !== undefined) isArmed = false;
    if (!isArmed || program !== undefined) continue;
    const at = token.lastIndex;
    const value = valueAt(text, { at, before: text.charAt(found.index - 1), takesNext });
    if (value === null) continue;
    out += text.slice(done, value.from) + redactionMark;
    done = value.to;
    token.lastIndex = value.to;
    isArmed = false;
  }
  return out + text.slice(done);
}

function valueAt(
  text: string,
  options: { readonly at: number; readonly before: string; readonly takesNext: boolean },
): { readonly from: number; readonly to: number } | null {
  const { at, before, takesNext } = options;
  for (const pattern of [...(takesNext ? [nextWord] : []), inQuotes[before] ?? sameWord]) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) continue;
    const kept = match.groups?.['keep']?.length ?? 0;
    return { from: at + kept, to: pattern.lastIndex };
  }
  return null;
}

/** How a text that was cut ends. */
const cut = '… (truncated)';

/**
 * The text with every secret that a rule knows replaced by the mark. Idempotent. Its steps grow with
 * the length of the text and no faster, whatever the text is: it comes from whoever asks.
 */
export function redact(text: string): string {
  let out = withoutCutWord(text);
  for (const { pattern } of redactionRules) {
    out = out.replaceAll(pattern, (...match) => {
      const groups = match.at(-1) as { readonly keep?: string; readonly rest?: string } | string;
      if (typeof groups === 'string') return redactionMark;
      return `${groups.keep ?? ''}${redactionMark}${groups.rest ?? ''}`;
    });
  }
  return redactProgramOptions(out);
}

/** A cut may go through a secret, of which then no rule knows the rest: its last word goes. */
function withoutCutWord(text: string): string {
  if (!text.endsWith(cut)) return text;
  const end = text.length - cut.length;
  let start = end;
  while (start > 0 && !/\s/u.test(text.charAt(start - 1))) start -= 1;
  return text.slice(0, start) + cut;
}

const secretVariable =
  /pass|pwd|secret|token|key|credential|auth|cookie|session|dsn|connection|private|signature/i;

/** A variable's value as a log may have it: names that announce a secret lose their value. */
export function redactVariable(name: string, value: string): string {
  return secretVariable.test(name) ? redactionMark : redact(value);
}
