import { once } from '../../base/index.ts';
import { entropy, isPair, looksRandom } from './names.ts';
import type { Hidden } from './redact.ts';

/** Tokens that tell themselves by how they begin: what stands in front, and what follows. */
const prefixed: readonly string[] = [
  // Code hosts.
  'gh[pousr]_[A-Za-z0-9]{16,}',
  String.raw`github_pat_\w{16,}`,
  String.raw`gl(?:pat|ptt|dt|rt|rtr|cbt|soat|ffct|imt|agent|ft|oas)-[\w.-]{16,}`,
  String.raw`GR1348941[\w-]{16,}`,
  String.raw`AT(?:ATT|CTT|BB)[\w=.-]{20,}`,
  // Models and their hosts.
  String.raw`sk-[\w-]{16,}`,
  String.raw`(?:gsk|r8|hf|api_org|fw|lsv2_(?:pt|sk)|pcsk)_\w{20,}`,
  String.raw`(?:xai|pplx|tvly|nvapi|jina|esecret)[-_][\w-]{20,}`,
  'ABSK[A-Za-z0-9+/=]{40,}',
  // Clouds.
  '(?:AKIA|ASIA|ABIA|ACCA|LTAI|AKID)[0-9A-Za-z]{12,}',
  String.raw`AIza[\w-]{30,}`,
  String.raw`ya29\.[\w-]{20,}`,
  String.raw`1//0[\w-]{20,}`,
  String.raw`GOCSPX-[\w-]{20,}`,
  'do[oprt]_v1_[a-f0-9]{40,}',
  'dapi[a-f0-9]{30,}(?:-[0-9])?',
  String.raw`v1\.0-[a-f0-9]{16,64}-[a-f0-9]{40,}`,
  String.raw`(?:fo1|fm[12][arh]?)_[\w+/=-]{20,}`,
  String.raw`HRKU-[\w-]{20,}`,
  String.raw`sb[pa]_[a-f0-9]{30,}|sb_secret_[\w-]{16,}`,
  String.raw`pscale_(?:tkn|pw|oauth)_[\w.-]{16,}`,
  String.raw`napi_\w{20,}|rnd_\w{20,}|vc[pkair]_\w{20,}`,
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{20,}`,
  'pul-[a-f0-9]{30,}',
  // Secret stores and networks.
  String.raw`hv[sbr]\.[\w-]{16,}`,
  String.raw`[sbr]\.(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{24}(?!\w)`,
  String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{16,}`,
  'ops_[A-Za-z0-9+/=_-]{20,}',
  String.raw`A3-[A-Z0-9]{6}-[A-Z0-9-]{20,}`,
  String.raw`tskey-[\w-]{10,}`,
  'AGE-(?:SECRET|PLUGIN)-[A-Z0-9-]{20,}',
  String.raw`b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=\s\\]*`,
  // Packages and images.
  'npm_[A-Za-z0-9]{24,}',
  String.raw`pypi-[\w-]{20,}`,
  String.raw`dckr_(?:pat|oat)_[\w-]{16,}`,
  'rubygems_[a-f0-9]{30,}|cio[A-Za-z0-9]{32}(?![A-Za-z0-9])',
  // Chats.
  String.raw`xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|x(?:app|wfp)-[\w-]{10,}`,
  String.raw`[0-9]{8,10}:AA[\w-]{30,}`,
  String.raw`[MNO][A-Za-z\d_-]{22,26}\.[\w-]{6}\.[\w-]{25,}`,
  // Money.
  String.raw`[rs]k_(?:live|test)_\w{10,}|rk_\w{20,}|whsec_[\w+/=]{16,}`,
  String.raw`sq0[a-z]{3}-[\w-]{20,}|EAAA[\w-]{40,}`,
  'shp(?:at|ss|ca|pa|tka)_[A-Fa-f0-9]{20,}',
  String.raw`access_token\$(?:production|sandbox)\$[\w$]{20,}`,
  // Mail and messages.
  String.raw`SG\.[\w-]{16,40}\.[\w-]{16,}`,
  '(?:SK|key-)[a-f0-9]{32}(?![A-Za-z0-9])',
  String.raw`xkeysib-[\w-]{30,}|re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,}`,
  String.raw`[a-f0-9]{32}-us[0-9]{1,2}(?!\w)`,
  // Work and watching.
  String.raw`ntn_[A-Za-z0-9]{20,}|secret_[A-Za-z0-9]{30,}`,
  String.raw`lin_(?:api|oauth|wh)_\w{16,}`,
  String.raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}`,
  String.raw`figd_[\w-]{20,}|PMAK-[\w-]{20,}|CFPAT-[\w-]{20,}`,
  String.raw`(?:NRAK|NRII|NRJS)-[\w-]{16,}|gl(?:c|sa)_[\w=+/-]{20,}|sntry[su]_[\w=+/-]{20,}|ph[xr]_\w{20,}`,
  String.raw`SWMTKN-1-[\w-]{20,}|K10[a-f0-9]{30,128}::[\w:]{10,}`,
  String.raw`sl\.(?:u\.)?[\w-]{50,}`,
  String.raw`EAA[A-Za-z0-9]{60,}`,
  String.raw`amzn\.mws\.[a-f0-9-]{30,}|Atza[|][\w-]{20,}`,
];

/** The patterns by the characters that they may begin with, so that few are tried at each word. */
const known = once((): ReadonlyMap<string, RegExp> => {
  const byFirst = new Map<string, string[]>();
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  for (const pattern of prefixed.flatMap(alternatives)) {
    const first = firstOf(pattern);
    for (const letter of letters)
      if (first.test(letter)) byFirst.set(letter, [...(byFirst.get(letter) ?? []), pattern]);
  }
  return new Map([...byFirst].map(([letter, all]) => [letter, new RegExp(all.join('|'), 'y')]));
});

/** The parts of a pattern between those `|` that stand in no group and no class. */
function alternatives(pattern: string): readonly string[] {
  const found = [''];
  let depth = 0;
  for (const char of pattern) {
    if (/[([]/.test(char)) depth += 1;
    if (/[)\]]/.test(char)) depth -= 1;
    if (char === '|' && depth === 0) found.push('');
    else found.push(`${found.pop() ?? ''}${char}`);
  }
  return found;
}

/** What a pattern begins with: a class, the first letters of a group, or one letter. */
function firstOf(pattern: string): RegExp {
  const group = /^\(\?:([^()]*)/.exec(pattern)?.[1];
  const heads = (group?.split('|') ?? [pattern]).map(
    (one) => /^(?:\[[^\]]*\]|.)/.exec(one)?.[0] ?? '',
  );
  return new RegExp(`^(?:${heads.join('|')})`);
}

const wordStart = /(?<![A-Za-z0-9_])[A-Za-z0-9]/g;

function* knownTokens(text: string): Generator<Hidden> {
  const patterns = known();
  wordStart.lastIndex = 0;
  for (let start = wordStart.exec(text); start !== null; start = wordStart.exec(text)) {
    const pattern = patterns.get(start[0]);
    if (pattern === undefined) continue;
    pattern.lastIndex = start.index;
    if (!pattern.test(text)) continue;
    const to = pattern.lastIndex;
    yield { from: start.index, to };
    wordStart.lastIndex = to;
  }
}

/** Runs with dots in them; one look a run. */
const dotted = /(?<![\w-])[\w-]{13,}(?:\.[\w-]{0,4096}){2,4}/g;

/** Signed tokens: a part that begins as JSON does in base64, and a signature at least. */
function* signedTokens(text: string): Generator<Hidden> {
  for (const match of text.matchAll(dotted)) {
    const [run] = match;
    const at = run.search(/(?<![A-Za-z0-9])(?:eyJ|eyAi|ewog)/);
    if (at !== -1 && run.indexOf('.', at) !== -1)
      yield { from: match.index + at, to: match.index + run.length };
  }
}

/** A few letters, a sign, and a long run that only a machine writes: what services that are not listed make. */
const made =
  /(?<![\w./+@:%-])(?<label>[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,8}){0,2})[_-](?<body>[A-Za-z0-9]{24,})(?![\w/])/g;
/** Such names of things that are no secrets. */
const openLabels =
  /^(?:sha\d+|md5|req|res|resp|msg|toolu|cus|price|prod|pi|ch|in|sub|evt|acct|run|file|thread|asst|call|chatcmpl|batch|org|usr|user|proj|job|step|index|main|chunk|vendor|id|pk(?:_live|_test)?|phc|build|trace|span|snap|vol|ami|eni|sg|vpc|subnet|i|rtb|igw)$/;

function* madeTokens(text: string): Generator<Hidden> {
  for (const match of text.matchAll(made)) {
    const { label = '', body = '' } = match.groups ?? {};
    if (openLabels.test(label) || !/[a-z]/.test(body) || !/[A-Z]/.test(body)) continue;
    if ((body.match(/\d/g)?.length ?? 0) < 2 || entropy(body) < 3.5) continue;
    yield { from: match.index, to: match.index + match[0].length };
  }
}

const keyBegins =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?<![\w-])Private-Lines: {0,4}\d{1,4}|-----BEGIN AGE ENCRYPTED FILE-----/g;
const keyEnds = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY|Private-MAC:/g;

/** The inside of private keys, also of those of which only the beginning or the end is there. */
function* privateKeys(text: string): Generator<Hidden> {
  let done = 0;
  for (const match of text.matchAll(keyBegins)) {
    if (match.index < done) continue;
    const from = match.index + match[0].length;
    keyEnds.lastIndex = from;
    done = keyEnds.exec(text)?.index ?? text.length;
    yield { from, to: done };
  }
  if (done > 0) return;
  keyEnds.lastIndex = 0;
  const end = keyEnds.exec(text);
  if (end === null) return;
  let from = end.index;
  while (from > 0 && /[A-Za-z0-9+/=\s\\]/.test(text.charAt(from - 1))) from -= 1;
  if (end.index - from > 16) yield { from, to: end.index };
}

const schemes = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}:\/\//gi;
const addressEnds = /[\s'"<>`\\]/g;
const hooks =
  /^(?:(?:in)?coming|.*hooks?|webhookb2|hooks|services|workflows|triggers|catch|key|hook|integration)$/i;

/** Passwords and tokens in addresses, and the last parts of those that are secrets as a whole. */
function* addresses(text: string): Generator<Hidden> {
  let end = -1;
  for (const match of text.matchAll(schemes)) {
    const from = match.index + match[0].length;
    if (end < from) {
      addressEnds.lastIndex = from;
      end = addressEnds.exec(text)?.index ?? text.length;
    }
    const address = text.slice(from, Math.min(end, from + 2_048));
    yield* userOf(address, from);
    yield* hookOf(address, from);
  }
}

function* userOf(address: string, from: number): Generator<Hidden> {
  const authority = address.search(/[/?#]/);
  let at = (authority === -1 ? address : address.slice(0, authority)).lastIndexOf('@');
  const colon = address.indexOf(':');
  // A password may hold a slash; a port does not.
  if (
    at === -1 &&
    colon !== -1 &&
    colon < authority &&
    !/^:\d{1,5}[/?#]/.test(address.slice(colon, colon + 8))
  )
    at = address.lastIndexOf('@');
  if (at === -1) return;
  if (colon !== -1 && colon < at) {
    if (address.slice(colon + 1, at) !== '') yield { from: from + colon + 1, to: from + at };
    if (colon >= 20 && looksRandom(address.slice(0, colon))) yield { from, to: from + colon };
  } else if (at >= 20) yield { from, to: from + at };
}

function* hookOf(address: string, from: number): Generator<Hidden> {
  const bot = /^api\.telegram\.org\/(?:file\/)?bot/.exec(address);
  if (bot !== null) {
    const rest = /^[^/?#]+/.exec(address.slice(bot[0].length));
    if (rest !== null)
      yield { from: from + bot[0].length, to: from + bot[0].length + rest[0].length };
    return;
  }
  const [path = ''] = address.split(/[?#]/, 1);
  const segments = path.split('/');
  const [host = ''] = segments;
  let isHook = /(?:^|\.)(?:web)?hooks?\.|^(?:hc-ping|webhook)\./.test(host);
  let at = 0;
  for (const [index, segment] of segments.entries()) {
    const start = at;
    at += segment.length + 1;
    if (index === 0) continue;
    if (isHook && isHookSecret(segment))
      yield { from: from + start, to: from + start + segment.length };
    isHook ||=
      hooks.test(segment) && (/hook/i.test(path) || /hook/i.test(host) || segment === 'key');
  }
}

/** What makes such an address secret: parts that nobody can guess. */
function isHookSecret(segment: string): boolean {
  return (
    /^[0-9a-f@-]{32,}$/i.test(segment) ||
    /^[TB][A-Z0-9]{8,}$/.test(segment) ||
    looksRandom(segment) ||
    /^[A-Za-z]{20,}$/.test(segment)
  );
}

const simple: readonly RegExp[] = [
  // Basic and Bearer, wherever they stand.
  /\bBearer(?:\s|\\\s|%20|\+){1,4}(?!\$)(?<secret>[\w.~+/=-]{12,})/gi,
  /\bSSWS\s{1,4}(?<secret>[\w-]{16,})/g,
  /\bApiKey\s{1,4}(?<secret>[\w=+/-]{16,})/g,
  /\bFlyV1\s{1,4}(?<secret>[\w,=+/-]{16,})/g,
  // netrc.
  /\blogin\s{1,4}[^\s'"]{1,100}\s{1,4}passw(?:or)?d\s{1,4}['"]?(?<secret>[^\s'"]{1,400})/gi,
  // The code that a phone joins a network by.
  /\bWIFI:[^\s'"]{0,100}?;P:(?<secret>(?:[^;\\\n]|\\.){1,100})/g,
  // otpauth-migration hands over all seeds at once.
  /otpauth-migration:\/\/offline\?data=(?<secret>[^\s&'"]{8,})/gi,
  // Password hashes of crypt(3): what they hide can often be guessed.
  /(?<secret>\$(?:2[abxy]|5|6|y|argon2id?)\$[\w./$=,+-]{20,})/g,
];
const basic = /\bBasic(?:\s|\\\s|%20){1,4}(?<secret>[A-Za-z0-9+/]{8,2000}={0,2})/gi;

const sqlUsers =
  /\b(?:create|alter)\s{1,8}(?:user|role|login)\b|\bidentified\b|\bset\s{1,8}password\b|\brequirepass\b/i;
const sqlSecret =
  /\b(?:password|by|as|requirepass)\s{0,4}(?:=\s{0,4})?\(?\s{0,4}(?:\\{0,3})(?<quote>['"])(?<secret>[^'"]{1,400})/gi;

/** Secrets that tell themselves by how they look, or by the address or the words that they stand in. */
export function* shapes(text: string): Generator<Hidden> {
  yield* knownTokens(text);
  yield* signedTokens(text);
  yield* madeTokens(text);
  if (text.includes('-----') || text.includes('Private-')) yield* privateKeys(text);
  if (text.includes('://')) yield* addresses(text);
  for (const pattern of simple) yield* secretsIn(text, pattern);
  for (const found of secretsIn(text, basic))
    if (isPair(text.slice(found.from, found.to))) yield found;
  if (sqlUsers.test(text)) yield* secretsIn(text, sqlSecret);
}

function* secretsIn(text: string, pattern: RegExp): Generator<Hidden> {
  for (const match of text.matchAll(pattern)) {
    const secret = match.groups?.['secret'] ?? '';
    const to = match.index + match[0].length;
    yield { from: to - secret.length, to };
  }
}
