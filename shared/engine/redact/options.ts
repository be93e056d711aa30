import { announces, isHidden, isSpokenName, looksRandom } from './names.ts';
import type { InWord } from './programs.ts';
import type { TextCommand, TextWord } from './words.ts';

const assignment =
  /^(?<name>-{0,2}[A-Za-z_/@][\w./@:[\]-]{0,200}?)(?<sign>:?={1,2}|:)(?<gap>\s{0,8})/u;
const setters = /^(?:set|setx|put|config|--set|--set-string|setenv)$/u;

/** Values of whole words that a name announces: `NAME=value`, `--name value`, `Header: value`, `set name value`. */
export function* optionSecrets({ words }: TextCommand): Generator<InWord> {
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
