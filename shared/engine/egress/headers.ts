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
  const pairs = pairsOf(raw);
  const wrong = malformed(pairs);
  if (wrong !== null) return { ok: false, problem: wrong };
  const dropped = connectionOptions(pairs);
  const bad = [...dropped].find((name) => framing.has(name));
  if (bad !== undefined)
    return { ok: false, problem: `Its Connection header would take "${bad}" away.` };
  const isChunked = pairs.some(([name]) => name.toLowerCase() === 'transfer-encoding');
  let kept = pairs.filter(([given]) => {
    const name = given.toLowerCase();
    return name !== 'host' && !ofOneConnection.has(name) && !dropped.has(name);
  });
  for (const { set = {}, remove = [] } of forwarding.transforms) {
    const gone = new Set([...remove, ...Object.keys(set)].map((name) => name.toLowerCase()));
    kept = kept.filter(([name]) => !gone.has(name.toLowerCase()));
    for (const [name, value] of Object.entries(set)) {
      const text = valueOf(value, forwarding.secret);
      if (text === null)
        return { ok: false, problem: `The secret for its header "${name}" is not to be had.` };
      kept.push([name, text]);
    }
  }
  const upgrade = pairs.find(([name]) => name.toLowerCase() === 'upgrade')?.[1];
  const ours: readonly (readonly [string, string])[] = forwarding.isUpgrade
    ? [
        ['Connection', 'Upgrade'],
        ['Upgrade', upgrade ?? ''],
      ]
    : [
        ['Connection', 'keep-alive'],
        ...(isChunked ? [['Transfer-Encoding', 'chunked'] as const] : []),
        ...(acceptsTrailers(pairs) ? [['TE', 'trailers'] as const] : []),
      ];
  return { ok: true, headers: [['Host', forwarding.authority], ...kept, ...ours].flat() };
}

/** The headers of an answer as they leave for the client. */
export function returnedHeaders(raw: RawHeaders): RawHeaders {
  const pairs = pairsOf(raw);
  const dropped = connectionOptions(pairs);
  return pairs
    .filter(([given]) => {
      const name = given.toLowerCase();
      return framing.has(name) || !dropped.has(name);
    })
    .filter(([name]) => !ofOneConnection.has(name.toLowerCase()) || isTrailer(name))
    .flat();
}

const isTrailer = (name: string): boolean => name.toLowerCase() === 'trailer';

/**
 * Why the `Host` of a request does not go with where it is sent; null where it does. There is exactly
 * one, and it names the same host and port.
 *
 * @param expected `host:port`, as it was decided on
 */
export function hostProblem(raw: RawHeaders, expected: string, defaultPort: number): string | null {
  const hosts = pairsOf(raw).filter(([name]) => name.toLowerCase() === 'host');
  const [first] = hosts;
  if (first === undefined || hosts.length > 1) return 'It names its host not once.';
  if (first[1] === expected || `${first[1]}:${String(defaultPort)}` === expected) return null;
  const parsed = parseAuthority(first[1], defaultPort);
  const goal = parseAuthority(expected, null);
  const isSame =
    parsed.ok &&
    goal.ok &&
    parsed.target.host === goal.target.host &&
    parsed.target.port === goal.target.port;
  return isSame ? null : `Its Host header is not ${expected}, where it is sent.`;
}

function pairsOf(raw: RawHeaders): readonly (readonly [string, string])[] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : [],
  );
}

function connectionOptions(pairs: readonly (readonly [string, string])[]): ReadonlySet<string> {
  return new Set(
    pairs
      .filter(([name]) => /^(?:proxy-)?connection$/iu.test(name))
      .flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase())),
  );
}

/** What two sides could cut at different places. */
function malformed(pairs: readonly (readonly [string, string])[]): string | null {
  const valuesOf = (wanted: string) =>
    pairs.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  const lengths = valuesOf('content-length');
  const codings = valuesOf('transfer-encoding');
  if (lengths.length > 1 || lengths.some((value) => !/^\d{1,16}$/u.test(value)))
    return 'Its length is not one number.';
  if (codings.length > 1 || codings.some((value) => value.toLowerCase() !== 'chunked'))
    return 'Its body is in a coding that is not passed on.';
  if (lengths.length > 0 && codings.length > 0) return 'It has two lengths.';
  const torn = pairs.find(
    ([name, value]) => !/^[!#$%&'*+.^_`|~0-9a-z-]+$/iu.test(name) || /[\0\r\n]/u.test(value),
  );
  return torn === undefined ? null : 'One of its headers holds what no header holds.';
}

function acceptsTrailers(pairs: readonly (readonly [string, string])[]): boolean {
  return pairs.some(
    ([name, value]) => name.toLowerCase() === 'te' && /(?:^|,)\s*trailers\b/iu.test(value),
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
