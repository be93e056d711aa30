import { members } from './members.ts';
import { programSecrets } from './programs.ts';
import { shapes } from './shapes.ts';
import { textCommands } from './words.ts';
import { announces, isHidden, isSpokenName, looksRandom } from './names.ts';
import type { InWord } from './programs.ts';
import type { TextCommand, TextWord } from './words.ts';

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

/** A stretch of a text that is to be hidden; `to` is behind its last character. */
export interface Hidden {
  readonly from: number;
  readonly to: number;
}

const assignment =
  /^(?<name>-{0,2}[A-Za-z_/@][\w./@:[\]-]{0,200}?)(?<sign>:?={1,2}|:)(?<gap>\s{0,8})/u;
const setters = /^(?:set|setx|put|config|--set|--set-string|setenv)$/u;

/** Values of whole words that a name announces: `NAME=value`, `--name value`, `Header: value`, `set name value`. */
function* optionSecrets({ words }: TextCommand): Generator<InWord> {
  let isSetting = false;
  let isLogin = false;
  for (const [at, word] of words.entries()) {
    yield* assigned(word);
    const next = words[at + 1];
    if (next !== undefined && next.text !== '') {
      const isNamed = /^--arg(?:json)?$/u.test(words[at - 1]?.text ?? '');
      yield* following(word, next, { isSetting, isNamed });
      // `login -p` of any program; a number is rather a port.
      if (
        isLogin &&
        /^-p$/u.test(word.text) &&
        isHidden('secret', next.text) &&
        !/^\d+$|^-/u.test(next.text)
      )
        yield { word: next, from: 0, to: next.text.length };
    }
    isSetting ||= setters.test(word.text);
    isLogin ||= /^(?:.*:)?log-?in$|^signin$/u.test(word.text);
  }
}

function* following(
  word: TextWord,
  next: TextWord,
  { isSetting, isNamed }: { readonly isSetting: boolean; readonly isNamed: boolean },
): Generator<InWord> {
  const { text } = word;
  if (text.length > 200 || next.text.startsWith('[redacted]')) return;
  const isOption = /^--?[A-Za-z]/u.test(text) && !text.includes('=');
  if (!isOption && !isNamed && !(isSetting && /^[\w./@:-]+$/u.test(text))) return;
  const name = isOption ? text.replace(/^-+/u, '') : (text.split(/[:/]/u).at(-1) ?? text);
  if (isOption && name.length < 3) return;
  if (!isOption && !isNamed && !isSpokenName(name)) return;
  const announced = announces(name);
  if (announced === 'nothing' || next.text.startsWith('--') || /^-[A-Za-z]$/u.test(next.text))
    return;
  if (/cookie$/iu.test(name) && !next.text.includes('=')) return;
  // `--secret dbPassword value`: the word behind is the name.
  if (announces(next.text) === 'secret' && isSpokenName(next.text) && !/\d/u.test(next.text))
    return;
  if (/^[\w.-]{1,100}=./u.test(next.text) && !looksRandom(next.text) && !isOption) return;
  if (isHidden(announced, next.text)) yield { word: next, from: 0, to: next.text.length };
}

const headerScheme =
  /^(?:bearer|basic|token|digest|apikey|negotiate|ssws|bot|hawk|aws4-hmac-sha256|key)\s{1,8}/iu;

function* assigned(word: TextWord): Generator<InWord> {
  const { text } = word;
  const match = assignment.exec(text.slice(0, 240));
  if (match === null) return;
  const { name = '', sign = '' } = match.groups ?? {};
  const last = name.split(/[:/]/u).at(-1) ?? name;
  const announced = announces(last);
  const from = match[0].length;
  const value = text.slice(from);
  if (announced === 'nothing' || value.startsWith('//')) return;
  const end = endOf(value, sign);
  const shown = value.slice(0, end);
  if (sign === ':' && !isHeaderValue(last, shown)) return;
  const scheme = sign === ':' ? (headerScheme.exec(shown)?.[0].length ?? 0) : 0;
  const rest = shown.slice(scheme);
  if (isHidden(announced, rest)) yield { word, from: from + scheme, to: from + end };
}

/** A word goes to its end, but for further parts of a query, and for further lines. */
function endOf(value: string, sign: string): number {
  const query = value.search(/&[\w.[\]-]{1,60}=/u);
  const line =
    sign === ':' ? value.search(/\r?\n|\\r\\n/u) : value.search(/\n[A-Za-z_][\w.]{0,60}=/u);
  return Math.min(query === -1 ? value.length : query, line === -1 ? value.length : line);
}

/** `Authorization: …` holds whatever stands there; "token: fix the refresh" is a sentence. */
function isHeaderValue(name: string, value: string): boolean {
  if (/authorization$|cookie$|^x-|-(?:key|token|secret)$/iu.test(name)) return true;
  return !/\s/u.test(value.trim()) || !/^[A-Za-z\s.,'’()-]*$/u.test(value);
}
