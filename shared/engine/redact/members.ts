import { announces, isHidden, isSpokenName, looksRandom, type Announces } from './names.ts';
import type { Hidden } from './redact.ts';

const names = /[A-Za-z_][\w.-]*/g;
/**
 * Between a name and its value, in whatever notation: `=`, `:`, `:=`, `=>`, the quotes and brackets
 * around the name, and the quote that the value begins with.
 */
const joins =
  /(?<close>\\{0,3}['"`]?\]?)(?<lead>[ \t]{0,8})(?<sign>=>|:=|={1,2}|:|%3[dD])(?<gap>[ \t]{0,8})(?<open>\\{0,3}['"`])?/y;
const nextItem = /(?<close>\\{0,3}['"`]),\s{0,8}(?<open>\\{0,3}['"`])/y;
const tagEnd = /(?:\s[^<>]{0,100})?>(?<open>)/y;
const headerEnd = /['"`\n]|\\[rn'"]/g;
const plainEnd = /[\s'"`;&|<>(),}\]\\]/g;
const lineEnd = /\n|\\n|$/g;
const commentStart = /\s#|\s;|\s\/\//;

/** `NAME=value`, `"name": "value"`, `name: value`, `<name>value</name>` and their like, anywhere in a text. */
export function* members(text: string): Generator<Hidden> {
  names.lastIndex = 0;
  for (let match = names.exec(text); match !== null; match = names.exec(text)) {
    const [name] = match;
    const announced = inQuery(text.charAt(match.index - 1), name) ?? announces(name);
    if (announced === 'nothing') continue;
    const found = valueOf(text, { name, announced, from: match.index, to: names.lastIndex });
    if (found === null) continue;
    yield found;
    names.lastIndex = Math.max(found.to, names.lastIndex);
  }
  yield* pairs(text);
  if (text.includes('stringData') || /kind["']?\s{0,4}:\s{0,4}["']?Secret/.test(text))
    yield* clusterSecrets(text);
}

/** In an address these open what it is for, whatever their value looks like. */
function inQuery(before: string, name: string): Announces | null {
  if (before !== '?' && before !== '&') return null;
  return /^(?:x-(?:amz|goog)-(?:signature|credential|security-token)|sig|signature|key|code|auth|pass|token)$/i.test(
    name,
  )
    ? 'secret'
    : null;
}

interface Named extends Hidden {
  readonly name: string;
  readonly announced: Announces;
}

function valueOf(text: string, named: Named): Hidden | null {
  const before = text.charAt(named.from - 1);
  if (before === '<') return behind(text, named, tagEnd);
  if (before === '-' && /^\\{0,3}['"`],/.test(text.slice(named.to, named.to + 5)))
    return behind(text, named, nextItem);
  if (/['"]/.test(before) && named.announced === 'secret' && isSpokenName(named.name)) {
    // define('DB_PASSWORD', 'value')
    const found = behind(text, named, nextItem);
    if (found !== null && announces(text.slice(found.from, found.to)) === 'nothing') return found;
  }
  return behind(text, named, joins);
}

function behind(text: string, named: Named, join: RegExp): Hidden | null {
  join.lastIndex = named.to;
  const match = join.exec(text);
  if (match === null) return null;
  const { sign = '', lead = '', gap = '', open } = match.groups ?? {};
  if (sign === '=' && gap !== '' && lead === '') return null;
  const from = join.lastIndex;
  if (open !== undefined && open !== '') {
    const to = closing(text, from, open);
    return accepted(text, named, { from, to });
  }
  if (sign === ':' && /^[|>][+-]?\d?[ \t]{0,8}\n/.test(text.slice(from, from + 16)))
    return yamlBlock(text, from);
  const isLine =
    (sign === ':' || (sign === '=' && gap !== '')) && gap !== '' && startsLine(text, named.from);
  return isLine ? restOfLine(text, named, from) : plain(text, named, from);
}

/** `password: |` and the lines below it that are further in. */
function yamlBlock(text: string, from: number): Hidden | null {
  const head = /^[|>][+-]?\d?[ \t]{0,8}\n/.exec(text.slice(from, from + 16));
  if (head === null) return null;
  const start = from + head[0].length;
  let to = start;
  while (/[ \t]/.test(text.charAt(to))) {
    const end = text.indexOf('\n', to);
    to = end === -1 ? text.length : end + 1;
  }
  return to > start ? { from: start, to: text.charAt(to - 1) === '\n' ? to - 1 : to } : null;
}

function startsLine(text: string, at: number): boolean {
  let start = at;
  const least = Math.max(0, at - 40);
  while (start > least && /[ \t'"-]/.test(text.charAt(start - 1))) start -= 1;
  if (start === 0 || text.charAt(start - 1) === '\n') return true;
  if (text.charAt(start - 1) === 'n' && text.charAt(start - 2) === '\\') return true;
  return /(?:^|\n|\\n)\s{0,8}(?:export|ENV|ARG|set|SET|let|const|var)\s{1,4}$/.test(
    text.slice(Math.max(0, start - 24), start),
  );
}

function restOfLine(text: string, named: Named, from: number): Hidden | null {
  lineEnd.lastIndex = from;
  const end = lineEnd.exec(text)?.index ?? text.length;
  const line = text.slice(from, end);
  const comment = line.search(commentStart);
  const value = (comment === -1 ? line : line.slice(0, comment)).replace(/[\s'",;]{0,8}$/, '');
  // Several words without a sign among them are a sentence: "token: fix the refresh".
  if (/\s/.test(value) && !/[^A-Za-z\s.,'’()-]/.test(value)) return null;
  return accepted(text, named, { from, to: from + value.length });
}

function plain(text: string, named: Named, from: number): Hidden | null {
  const scheme = schemeWord.exec(text.slice(from, from + 40))?.[0].length ?? 0;
  if (/cookie$|^(?:www-)?authenticate$/i.test(named.name) || scheme > 0) {
    headerEnd.lastIndex = from;
    return accepted(text, named, { from, to: headerEnd.exec(text)?.index ?? text.length });
  }
  plainEnd.lastIndex = from;
  const to = plainEnd.exec(text)?.index ?? text.length;
  // "token: fix the refresh" is a sentence.
  if (/^[ \t][A-Za-z]/.test(text.slice(to, to + 2)) && /:[ \t]$/.test(text.slice(from - 2, from)))
    if (/^[A-Za-z]+$/.test(text.slice(from, Math.min(to, from + 60)))) return null;
  // A call of a function, or what an expansion begins.
  if (text.charAt(to) === '(' && /^[\w.$]*$/.test(text.slice(Math.max(from, to - 60), to)))
    return null;
  return accepted(text, named, { from, to });
}

function closing(text: string, from: number, open: string): number {
  if (open.length > 1) {
    const at = text.indexOf(open, from);
    return at === -1 ? text.length : at;
  }
  let at = from;
  while (at < text.length && text.charAt(at) !== open) at += text.charAt(at) === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}

const schemeWord =
  /^(?:bearer|basic|token|digest|apikey|negotiate|ssws|bot|hawk|aws4-hmac-sha256|key)\s{1,8}/i;

function accepted(text: string, { name, announced }: Named, { from, to }: Hidden): Hidden | null {
  if (text.startsWith('[redacted]', from)) return null;
  const value = text.slice(from, Math.min(to, from + 1_024));
  const scheme = schemeWord.exec(value.slice(0, 40))?.[0].length ?? 0;
  const rest = value.slice(scheme);
  if (/cookie$/i.test(name) && !value.includes('=') && !looksRandom(rest)) return null;
  if (/^[{[]/.test(rest) && !/['"`]/.test(text.charAt(from - 1))) return null;
  return isHidden(announced, rest) ? { from: from + scheme, to } : null;
}

const pairOf =
  /(?<![\w-])\\{0,3}["']?(?:name|key|Name|Key|ParameterKey|variable)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?(?<name>[\w./-]{1,100})\\{0,3}["']?[\s,]{1,40}\\{0,3}["']?(?:value|Value|ParameterValue|val)\\{0,3}["']?\s{0,4}[:=]\s{0,4}(?<open>\\{0,3}["'])?/g;

/** A name and a value that stand beside one another as two members: `name: DB_PASSWORD`, `value: …`. */
function* pairs(text: string): Generator<Hidden> {
  for (const match of text.matchAll(pairOf)) {
    const { name = '', open } = match.groups ?? {};
    const announced = announces(name);
    if (announced === 'nothing') continue;
    const named: Named = { name, announced, from: match.index, to: match.index };
    const from = match.index + match[0].length;
    const found =
      open === undefined
        ? plain(text, named, from)
        : accepted(text, named, { from, to: closing(text, from, open) });
    if (found !== null) yield found;
  }
}

const dataBegins = /(?<![\w-])["']?(?:stringData|data)["']?\s{0,4}:/g;
const inlineMember = /[\w.-]{1,200}["']?\s{0,4}:\s{0,4}["']?(?<secret>[^"',}\n]{1,8000})/y;
const lineMember = /[ \t]{1,40}[\w."'-]{1,200}:[ \t]{1,8}["']?(?<secret>[^\n"']{1,8000})/y;

/** Every value of a Secret of Kubernetes, whatever its name. */
function* clusterSecrets(text: string): Generator<Hidden> {
  let done = 0;
  for (const { index, 0: head } of text.matchAll(dataBegins)) {
    if (index < done) continue;
    let at = index + head.length;
    while (/[ \t]/.test(text.charAt(at))) at += 1;
    const isInline = text.charAt(at) === '{';
    const member = isInline ? inlineMember : lineMember;
    const between = isInline ? /[{,\s"']/ : /[\n"']/;
    for (;;) {
      while (at < text.length && between.test(text.charAt(at))) at += 1;
      member.lastIndex = at;
      const match = member.exec(text);
      const secret = match?.groups?.['secret'];
      if (secret === undefined) break;
      at = member.lastIndex;
      done = at;
      if (!secret.startsWith('[redacted')) yield { from: at - secret.length, to: at };
    }
  }
}
