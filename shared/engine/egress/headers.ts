import type { HeaderValue } from './config.ts';
import type { Transform } from './policy.ts';
import { parseAuthority } from './target.ts';

/** Names and values in turn, as they came and as they go. */
export type RawHeaders = readonly string[];

type ForwardedHeaders =
  | { readonly ok: true; readonly headers: RawHeaders }
  | { readonly ok: false; readonly problem: string };

interface Forwarding {
  /** The host as the upstream is to be told it: `host` or `host:port`. */
  readonly authority: string;
  /** In order; later ones win, over what the client sent, too. */
  readonly transforms: readonly Transform[];
  /** Looks a secret up; null where there is none of that name. */
  readonly secret: (name: string) => string | null;
  /** Whether the client asks for another protocol (WebSocket), which is then passed on. */
  readonly isUpgrade: boolean;
}

/** What speaks of one connection only, and is not passed on. */
const ofOneConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that no `Connection` may take away: the two sides would cut the messages differently. */
const framing = new Set(['content-length', 'transfer-encoding', 'host']);

/**
 * The headers of a request as they leave: the one way for plain and for encrypted requests. What is
 * of one connection only goes; the host is the one that was decided on; transforms come last.
 * `problem` is a sentence, and the request is not to be passed on.
 */
export function forwardedHeaders(raw: RawHeaders, forwarding: Forwarding): ForwardedHeaders {
  const names = loweredNames(raw);
  const wrong = malformed(raw, names);
  if (wrong !== null) return { ok: false, problem: wrong };
  const dropped = connectionOptions(raw, names);
  for (const name of framing)
    if (dropped.has(name))
      return { ok: false, problem: `Its Connection header would take "${name}" away.` };
  const { transforms, secret, isUpgrade } = forwarding;
  const headers: string[] = ['Host', forwarding.authority];
  const touched = touchedBy(transforms);
  names.forEach((name, index) => {
    if (name === 'host' || ofOneConnection.has(name) || dropped.has(name) || touched.has(name))
      return;
    headers.push(raw[2 * index] ?? '', raw[2 * index + 1] ?? '');
  });
  const set = lastOf(transforms);
  for (const [name, value] of set.values()) {
    const text = valueOf(value, secret);
    if (text === null)
      return { ok: false, problem: `The secret for its header "${name}" is not to be had.` };
    headers.push(name, text);
  }
  if (isUpgrade) headers.push('Connection', 'Upgrade', 'Upgrade', valueFor('upgrade', raw, names));
  else {
    headers.push('Connection', 'keep-alive');
    if (names.includes('transfer-encoding')) headers.push('Transfer-Encoding', 'chunked');
    if (acceptsTrailers(raw, names)) headers.push('TE', 'trailers');
  }
  return { ok: true, headers };
}

/** Names that any of these sets or takes away, in lower case. */
function touchedBy(transforms: readonly Transform[]): ReadonlySet<string> {
  const touched = new Set<string>();
  for (const { set = {}, remove = [] } of transforms)
    for (const name of [...remove, ...Object.keys(set)]) touched.add(name.toLowerCase());
  return touched;
}

/** What is set once all of them had their turn, by the name in lower case. */
function lastOf(
  transforms: readonly Transform[],
): ReadonlyMap<string, readonly [string, HeaderValue]> {
  const last = new Map<string, readonly [string, HeaderValue]>();
  for (const { set = {}, remove = [] } of transforms) {
    for (const name of remove) last.delete(name.toLowerCase());
    for (const [name, value] of Object.entries(set)) {
      // It stands where the last one to set it has put it.
      last.delete(name.toLowerCase());
      last.set(name.toLowerCase(), [name, value]);
    }
  }
  return last;
}

/** The headers of an answer as they leave for the client. */
export function returnedHeaders(raw: RawHeaders): RawHeaders {
  const names = loweredNames(raw);
  const dropped = connectionOptions(raw, names);
  const kept: string[] = [];
  names.forEach((name, index) => {
    if (dropped.has(name) && !framing.has(name)) return;
    if (!ofOneConnection.has(name) || name === 'trailer')
      kept.push(raw[2 * index] ?? '', raw[2 * index + 1] ?? '');
  });
  return kept;
}

/** What would change how a message is cut, sent on or signed in, and may not come behind it. */
const neverTrailers = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'content-encoding',
  'content-range',
  'content-type',
  'expect',
  'range',
]);

/** Whether a field may follow the body of a message; the rules are those for its headers. */
export function isForwardedTrailer(name: string, transforms: readonly Transform[]): boolean {
  const lower = name.toLowerCase();
  return (
    !framing.has(lower) &&
    !ofOneConnection.has(lower) &&
    !neverTrailers.has(lower) &&
    !touchedBy(transforms).has(lower)
  );
}

/**
 * Why the `Host` of a request does not go with where it is sent; null where it does. There is exactly
 * one, and it names the same host and port.
 *
 * @param expected `host:port`, as it was decided on
 */
export function hostProblem(raw: RawHeaders, expected: string, defaultPort: number): string | null {
  const hosts = raw.filter((_, at) => at % 2 === 1 && /^host$/iu.test(raw[at - 1] ?? ''));
  const [first] = hosts;
  if (first === undefined || hosts.length > 1) return 'It names its host not once.';
  if (first === expected || `${first}:${String(defaultPort)}` === expected) return null;
  const parsed = parseAuthority(first, defaultPort);
  const goal = parseAuthority(expected, null);
  const isSame =
    parsed.ok &&
    goal.ok &&
    parsed.target.host === goal.target.host &&
    parsed.target.port === goal.target.port;
  return isSame ? null : `Its Host header is not ${expected}, where it is sent.`;
}

function loweredNames(raw: RawHeaders): readonly string[] {
  const names: string[] = [];
  for (let at = 0; at < raw.length; at += 2) names.push((raw[at] ?? '').toLowerCase());
  return names;
}

function valueFor(wanted: string, raw: RawHeaders, names: readonly string[]): string {
  return raw[2 * names.indexOf(wanted) + 1] ?? '';
}

const noOptions: ReadonlySet<string> = new Set();

function connectionOptions(raw: RawHeaders, names: readonly string[]): ReadonlySet<string> {
  let options: Set<string> | null = null;
  for (const [index, name] of names.entries()) {
    if (name !== 'connection' && name !== 'proxy-connection') continue;
    options ??= new Set();
    for (const each of (raw[2 * index + 1] ?? '').split(','))
      options.add(each.trim().toLowerCase());
  }
  return options ?? noOptions;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u;
const tornValue = /[\0\r\n]/u;

/** What two sides could cut at different places. */
function malformed(raw: RawHeaders, names: readonly string[]): string | null {
  let lengths = 0;
  let codings = 0;
  for (const [index, name] of names.entries()) {
    const value = raw[2 * index + 1] ?? '';
    if (!token.test(raw[2 * index] ?? '') || tornValue.test(value))
      return 'One of its headers holds what no header holds.';
    if (name === 'content-length') {
      lengths += 1;
      if (lengths > 1 || !/^\d{1,16}$/u.test(value)) return 'Its length is not one number.';
    } else if (name === 'transfer-encoding') {
      codings += 1;
      if (codings > 1 || value.toLowerCase() !== 'chunked')
        return 'Its body is in a coding that is not passed on.';
    }
  }
  return lengths > 0 && codings > 0 ? 'It has two lengths.' : null;
}

function acceptsTrailers(raw: RawHeaders, names: readonly string[]): boolean {
  return names.some(
    (name, index) => name === 'te' && /(?:^|,)\s*trailers\b/iu.test(raw[2 * index + 1] ?? ''),
  );
}

/** The text of a header; null where its secret is missing or is not text for one. */
function valueOf(value: HeaderValue, secret: Forwarding['secret']): string | null {
  if (typeof value === 'string') return value;
  const found = secret(value.secret);
  if (found === null || !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u.test(found)) return null;
  if (value.basicUser !== undefined)
    return `${value.prefix ?? 'Basic '}${base64(`${value.basicUser}:${found}`)}`;
  return `${value.prefix ?? ''}${found}`;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Of ASCII text; the machine's own is not known here. */
function base64(text: string): string {
  const bits = Array.from(text, (letter) => letter.charCodeAt(0).toString(2).padStart(8, '0')).join(
    '',
  );
  const groups = bits.match(/.{1,6}/gu) ?? [];
  const out = groups.map((group) => letters[Number.parseInt(group.padEnd(6, '0'), 2)]).join('');
  return out.padEnd(Math.ceil(out.length / 4) * 4, '=');
}
