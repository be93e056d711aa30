import { members } from './members.ts';
import { optionSecrets } from './options.ts';
import { programSecrets } from './programs.ts';
import { shapes } from './shapes.ts';
import type { Hidden } from './span.ts';
import { textCommands } from './words.ts';

/** What stands where a secret stood. */
const mark = '[redacted]';
/** How a text that was cut ends. */
const cut = '… (truncated)';
/** Shell text within shell text within …: deeper is not looked. */
const deepest = 4;

/**
 * The text with every secret in it replaced by a mark: by how it looks, by the name in front of it in
 * whatever notation, and by what the record of a program says about its arguments. What is quoted is
 * looked at as the text that it is, too. Idempotent. The steps grow with the length of the text and
 * no faster, whatever the text is: it comes from whoever asks. `more` may know of further secrets in it.
 */
export function redact(text: string, more: (text: string) => Iterable<Hidden> = () => []): string {
  const whole = withoutCutWord(text);
  const found = [...secretsOf(whole, deepest), ...more(whole)].toSorted((a, b) => a.from - b.from);
  let out = '';
  let done = 0;
  let hidden = -1;
  for (const { from, to } of found) {
    if (to <= done) continue;
    if (from > hidden) {
      out += whole.slice(done, from) + mark;
    }
    done = to;
    hidden = to;
  }
  return out + whole.slice(done);
}

function secretsOf(text: string, depth: number): readonly Hidden[] {
  if (text.length < 4) return [];
  const commands = textCommands(text);
  const found: Hidden[] = [...shapes(text), ...members(text)];
  for (const { word, from, to } of programSecrets(commands))
    found.push(inText(word.at, { from, to }));
  for (const command of commands) {
    for (const { word, from, to } of optionSecrets(command))
      found.push(inText(word.at, { from, to }));
    if (depth === 0) continue;
    for (const word of command.words)
      if (word.isQuoted)
        for (const inner of secretsOf(word.text, depth - 1)) found.push(inText(word.at, inner));
  }
  return found.filter(({ from, to }) => to > from && text.slice(from, to) !== mark);
}

function inText(at: readonly number[], { from, to }: Hidden): Hidden {
  const first = at[from] ?? 0;
  return { from: first, to: (at[to - 1] ?? first) + 1 };
}

/** A cut may go through a secret, of which then nothing tells the rest: its last word goes. */
function withoutCutWord(text: string): string {
  if (!text.endsWith(cut)) return text;
  const end = text.length - cut.length;
  let start = end;
  while (start > 0 && !/\s/u.test(text.charAt(start - 1))) start -= 1;
  return text.slice(0, start) + cut;
}
