/** How much the name in front of a value says about it. */
export type Announces =
  /** Whatever stands behind it is a secret. */
  | 'secret'
  /** A value that looks made by a machine is one. */
  | 'perhaps'
  | 'nothing';

const surely = new Set(
  `password passwd passphrase passcode pass pwd psw pw passwort secret token apikey accesskey privatekey secretkey
  accountkey sharedkey sharedaccesskey masterkey authkey presharedkey psk credential credentials creds authorization
  cookie bearer jwt dsn connectionstring authtoken accesstoken refreshtoken sessionid sessiontoken phpsessid jsessionid
  sas totp mnemonic storepass keypass userpass kennwort pat`
    .split(/\s+/u)
    .filter((word) => word !== ''),
);
/** At the end of one word in capitals or small letters: `PGPASSWORD`, `clientsecret`. */
const endsSurely =
  /(?:password|passwd|passphrase|passcode|secret|token|apikey|secretkey|accesskey|privatekey|accountkey|sessionid|connectionstring)$/u;

const keyKinds = new Set(
  `api access private secret signing sign encryption encrypt decryption crypto master account storage shared auth client
  service subscription deploy webhook admin consumer rsa ssl preshared age jwt hmac cookie license licence integration
  personal session ssh bot ingest instrumentation functions server symmetric aes wallet root routing`
    .split(/\s+/u)
    .filter((word) => word !== ''),
);
/** Keys of maps, tables and caches, and the half of a pair that all may see. */
const openKeys = new Set(
  `public pub publishable primary foreign partition sort cache object row lookup map group idempotency translation hot
  shortcut index sql unique composite field json dict registry host known label config image recv receive send search fetch locate`
    .split(/\s+/u)
    .filter((word) => word !== ''),
);
const perhaps = new Set(
  `key keys sig signature auth session sid seed salt otp pin code hook webhook license licence cred private hmac secrets
  tokens passwords nonce login psk hash ticket sso assertion`
    .split(/\s+/u)
    .filter((word) => word !== ''),
);
/** Words that a name may end with after the one that counts. */
const tails = new Set(
  `base prod production dev development staging stage test testing old new next current prev previous primary secondary
  value val string str raw b64 base64 hex enc encrypted plain plaintext text default live local main hash ro rw global`
    .split(/\s+/u)
    .filter((word) => word !== ''),
);
/** In front of these a name speaks of something else: `next_token` is a place in a list. */
const otherTokens =
  /^(?:max|min|num|total|next|page|continuation|start|end|eos|bos|pad|mask|sync|cursor|stop|no|ask|has|is|use|without|skip|show|require|requires|need|enable|disable|reset|forgot|generate|csrf-free|prompt|list|input|output|completion|print)$/u;

const parts = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/gu;

/** The words of a name in small letters: `clientSecret`, `CLIENT_SECRET` and `client-secret` alike. */
function nameWords(name: string): readonly string[] {
  return (name.slice(-120).match(parts) ?? []).map((part) => part.toLowerCase());
}

/** What the name of an option, a variable, a header or a member of a document announces. */
export function announces(name: string): Announces {
  let words = nameWords(name);
  if (words.length === 0) return 'nothing';
  if (otherTokens.test(words[0] ?? '') || words.includes('existing')) return 'nothing';
  while (
    words.length > 1 &&
    (/^\d+$/u.test(words.at(-1) ?? '') || (tails.has(words.at(-1) ?? '') && !isTailOnly(words)))
  )
    words = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const before = words.at(-2) ?? '';
  const two = before + last;
  if (last === 'key' || last === 'keys') return ofKey(name, words);
  // AppRole of Vault names the secret itself so.
  if (two === 'secretid') return /vault|^secret_id$/iu.test(name) ? 'secret' : 'nothing';
  if (two === 'sessionid') return 'secret';
  if (two === 'connectionstring') return 'secret';
  if (last === 'token' && otherTokens.test(before)) return 'nothing';
  if (last === 'pass' && /^(?:by|com|multi|single|render|first|second|two|one)$/u.test(before))
    return 'nothing';
  if (surely.has(last) || endsSurely.test(last)) return 'secret';
  if (last.endsWith('pass') && !/^(?:by|com|tres|encom|over|under|sur|multi)pass$/u.test(last))
    return 'secret';
  // `TF_TOKEN_app_terraform_io`
  const isVariable = /^[A-Z0-9]+_(?:TOKEN|PASSWORD|SECRET)_/u.test(name);
  return perhaps.has(last) || words.includes('webhook') || isVariable ? 'perhaps' : 'nothing';
}

/** `hash` alone is not a tail, but `password_hash` is about the password. */
function isTailOnly(words: readonly string[]): boolean {
  const before = words.at(-2) ?? '';
  return !(
    surely.has(before) ||
    endsSurely.test(before) ||
    before === 'key' ||
    tails.has(before) ||
    /^\d+$/u.test(before)
  );
}

function ofKey(name: string, words: readonly string[]): Announces {
  const before = words.at(-2) ?? '';
  if (words.some((word) => openKeys.has(word))) return 'nothing';
  if (keyKinds.has(before)) return 'secret';
  // SIGNING_KEY and its like in the environment.
  return /^[A-Z0-9_]+_KEYS?(?:_[A-Z0-9]+){0,2}$/u.test(name) ? 'secret' : 'perhaps';
}

/** True for a name of several words, or one that is only ever a password: not a word of a sentence. */
export function isSpokenName(name: string): boolean {
  return nameWords(name).length > 1 || /^_[a-z]|^(?:password|passwd|passphrase)$/iu.test(name);
}

const looksLike = {
  uuid: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu,
  date: /^\d{4}-\d\d-\d\d/u,
  version: /^v?\d+(?:\.\d+)+/u,
  file: /^[~.]{0,2}\/|\.[a-z][a-z0-9]{1,4}$/u,
  digest: /^(?:sha\d{1,3}|md5)[-:]/iu,
  number: /^0x[0-9a-f]+$/iu,
};

/** Whether a value is made of mixed characters, as what a machine makes is, and nothing well known. */
export function looksRandom(value: string): boolean {
  if (value.length < 12 || value.length > 8_192) return false;
  if (!/^[\w+/=.~%:-]+$/u.test(value)) return false;
  if (Object.values(looksLike).some((form) => form.test(value))) return false;
  if (isPair(value)) return true;
  if (!/\d/u.test(value) || !/[A-Za-z]/u.test(value)) return false;
  return entropy(value) >= 3;
}

/** Bits a character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) {
    const share = count / text.length;
    bits -= share * Math.log2(share);
  }
  return bits;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Whether base64 holds `user:password` in plain letters, as Basic authentication has it. */
export function isPair(text: string): boolean {
  if (text.length < 8 || text.length > 1_024 || !/^[A-Za-z0-9+/]+={0,2}$/u.test(text)) return false;
  let bits = 0;
  let held = 0;
  let decoded = '';
  for (const char of text.replace(/=+$/u, '')) {
    bits = ((bits << 6) | alphabet.indexOf(char)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    decoded += String.fromCharCode((bits >> held) & 0xff);
  }
  return /^[\x21-\x7e]+:[\x20-\x7e]+$/u.test(decoded);
}

/** A value that only points to where the secret is, or says that there is none. */
const points =
  /^(?:\$\{?[\w.:@-]+\}?|\$\{\{.*\}\}|\{\{.*\}\}|%\w+%|\$\(.*|`.*|<[\w .-]+>|\*{3,}|x{4,}|\.{3}|(?:process|os|import\.meta)\.(?:env|environ)\b.*|(?:secrets|env|var|local|data|module)\.[\w.]+|(?:vault|op|sm|ssm|keychain|file|env|arn):.*)$/u;
const nothingSaid =
  /^(?:true|false|null|none|nil|undefined|yes|no|on|off|str|string|bool|boolean|int|integer|number|object|any|unknown|required|optional|auto|default|prompt|ask|never|always|bearer|basic|digest|env|file|stdin|-)$/iu;

/** Whether a value behind such a name is to be hidden. */
export function isHidden(announced: Announces, value: string): boolean {
  if (value === '' || announced === 'nothing' || value.startsWith('[redacted]')) return false;
  const begin = value.slice(0, 512);
  if (points.test(begin) || nothingSaid.test(begin)) return false;
  // Of a long value its begin tells enough: a text has many names, and each would read the rest.
  return announced === 'secret' || looksRandom(begin);
}
