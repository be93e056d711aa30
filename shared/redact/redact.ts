import { redactProgramOptions } from './program-options.ts';
import { redactionRules } from './rules/all.ts';
import { redactionMark } from './types.ts';

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
