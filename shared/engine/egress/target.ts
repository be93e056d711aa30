import { addressText, parseIpv4, parseIpv6 } from './address.ts';
import type { Address } from './address.ts';

/** What a client wants to reach, in the one spelling that is decided on, dialled and recorded. */
export interface Target {
  /** A name in lower case without a final dot, or the text of the address. */
  readonly host: string;
  /** Null for a name. */
  readonly address: Address | null;
  readonly port: number;
}

type ParsedTarget =
  { readonly ok: true; readonly target: Target } | { readonly ok: false; readonly problem: string };

type ParsedRequestTarget =
  | { readonly ok: true; readonly target: Target; readonly path: string }
  | { readonly ok: false; readonly problem: string };

const wrong = (problem: string) => ({ ok: false, problem }) as const;

/**
 * The authority of a request: `host:port`, or `host` where there is a port by default. Whatever two
 * parsers could read in two ways is a problem: user names, escapes, other forms of addresses, zones,
 * letters beyond ASCII. `problem` is a sentence.
 *
 * @param defaultPort null where the port has to be there
 */
export function parseAuthority(text: string, defaultPort: number | null): ParsedTarget {
  const match = /^(?<host>\[[^\]]*\]|[^:[\]]*)(?::(?<port>.*))?$/u.exec(text);
  const { host = '', port } = match?.groups ?? {};
  if (match === null || host === '') return wrong('It names no host.');
  if (port === undefined && defaultPort === null) return wrong('It names no port.');
  const number = port === undefined ? defaultPort : portOf(port);
  if (number === null) return wrong('Its port is not a number from 1 to 65535.');
  const parsed = host.startsWith('[') ? bracketed(host.slice(1, -1)) : hostOf(host);
  return parsed.ok ? { ok: true, target: { ...parsed.host, port: number } } : parsed;
}

/** The whole address of a plain HTTP request as a proxy gets it: `http://host[:port]/path`. */
export function parseAbsoluteForm(text: string): ParsedRequestTarget {
  const match = /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?<authority>[^/?]*)(?<path>.*)$/iu.exec(text);
  const { scheme = '', authority = '', path = '' } = match?.groups ?? {};
  if (match === null) return wrong('It is not the whole address of a page.');
  if (scheme.toLowerCase() === 'https')
    return wrong('Encrypted pages go through a tunnel (CONNECT), not through an address.');
  if (scheme.toLowerCase() !== 'http') return wrong('Only http:// goes through a proxy so.');
  if (!isPath(path)) return wrong('Its path holds characters that no path may hold.');
  const parsed = parseAuthority(authority, 80);
  if (!parsed.ok) return parsed;
  return { ...parsed, path: path.startsWith('/') ? path : `/${path}` };
}

/** What stands behind the host of an address: printable ASCII without blanks, quotes and a fragment. */
export function isPath(text: string): boolean {
  return /^[!$-;=?-[\]_a-z|~{}^%&'`]*$/iu.test(text) && !text.includes('#');
}

function portOf(text: string): number | null {
  return /^[1-9]\d{0,4}$/u.test(text) && Number(text) <= 65_535 ? Number(text) : null;
}

type ParsedHost =
  | { readonly ok: true; readonly host: Omit<Target, 'port'> }
  | { readonly ok: false; readonly problem: string };

function bracketed(text: string): ParsedHost {
  // Also `::ffff:192.0.2.1`, which is that address.
  const address = text.includes(':') ? parseIpv6(text) : null;
  if (address === null) return wrong('What stands in brackets is not an address of IPv6.');
  return { ok: true, host: { host: addressText(address), address } };
}

/** A name, or an address of IPv4 in its one usual form. Without brackets. */
export function hostOf(text: string): ParsedHost {
  if (/[^\x21-\x7e]/u.test(text))
    return wrong('Its host holds letters that are not ASCII; write them as xn--….');
  if (!/^[a-z0-9._-]+$/iu.test(text)) return wrong('Its host holds characters that no name has.');
  const host = text.toLowerCase().replace(/\.$/u, '');
  const labels = host.split('.');
  // As in the standard for addresses on the web: a last part that is a number makes all of it one.
  if (/^(?:\d+|0x[0-9a-f]*)$/u.test(labels.at(-1) ?? '')) {
    const address = text.endsWith('.') ? null : parseIpv4(host);
    if (address === null) return wrong('It is an address that is not written as 192.0.2.1.');
    return { ok: true, host: { host: addressText(address), address } };
  }
  if (host.length > 253 || !labels.every(isLabel))
    return wrong('Its host is not a name that can be looked up.');
  return { ok: true, host: { host, address: null } };
}

/** One part of a name, in lower case. */
export function isLabel(text: string): boolean {
  return /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/u.test(text);
}

/** `host:port` as it is shown and recorded; an address of IPv6 in brackets. */
export function targetText({ host, address, port }: Target): string {
  return `${hostText({ host, address })}:${String(port)}`;
}

/** The host as it stands in an address. */
export function hostText({ host, address }: Omit<Target, 'port'>): string {
  return address?.family === 6 ? `[${host}]` : host;
}
