import { isInNetwork, isSingle, parseNetwork } from './address.ts';
import type { Address, Network } from './address.ts';
import { hostOf, isLabel } from './target.ts';
import type { Target } from './target.ts';

/**
 * Which hosts a rule is about. `*` is a whole label and never a part of one: the first covers one
 * label and more, any other exactly one; alone it is every name, and no address.
 */
export type HostPattern =
  | { readonly kind: 'name'; readonly labels: readonly string[] }
  | { readonly kind: 'network'; readonly network: Network };

/** `any`, or the very ports. */
export type Ports = 'any' | readonly number[];

/** A rule as it is written: `example.com`, `*.example.com:8443`, `10.0.0.0/8:*`, `[::1]:3000`. */
export interface HostRule {
  readonly pattern: HostPattern;
  /** Null where it names none. */
  readonly ports: Ports | null;
}

type Parsed =
  { readonly ok: true; readonly rule: HostRule } | { readonly ok: false; readonly problem: string };

const wrong = (problem: string) => ({ ok: false, problem }) as const;

/** Reads a rule. `problem` is a sentence. */
export function parseHostRule(text: string): Parsed {
  const match = /^(?<host>\[[^\]]*\](?:\/\d+)?|[^:[\]]*)(?::(?<port>[^:]*))?$/u.exec(text);
  const { host = '', port } = match?.groups ?? {};
  if (match === null || host === '')
    return wrong('It names no host; an address of IPv6 stands in brackets.');
  const ports = portsOf(port);
  if (ports === undefined) return wrong('Its port is neither "*" nor a number from 1 to 65535.');
  const pattern = patternOf(host);
  return typeof pattern === 'string' ? wrong(pattern) : { ok: true, rule: { pattern, ports } };
}

function portsOf(text: string | undefined): Ports | null | undefined {
  if (text === undefined) return null;
  if (text === '*') return 'any';
  const port = /^[1-9]\d{0,4}$/u.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? [port] : undefined;
}

/** The pattern, or what is wrong with it. */
function patternOf(text: string): HostPattern | string {
  const network = parseNetwork(text.replace(/^\[(.*)\]/u, '$1'));
  if (network !== null) {
    if (text.startsWith('[') !== (network.family === 6) && !text.includes('.'))
      return 'An address of IPv6 stands in brackets.';
    return { kind: 'network', network };
  }
  if (text.includes('/'))
    return 'It is not a network: bits are set behind its prefix, or it is cut.';
  if (/[^\x21-\x7e]/u.test(text)) return 'It holds letters that are not ASCII; write xn--….';
  const labels = text.toLowerCase().split('.');
  if (!labels.includes('*')) {
    const host = hostOf(text);
    return host.ok ? { kind: 'name', labels: host.host.host.split('.') } : host.problem;
  }
  if (!labels.every((label) => label === '*' || isLabel(label)))
    return 'A "*" stands for a whole part between dots, not for a piece of one.';
  if (labels.length > 1 && labels.at(-1) === '*')
    return 'A "*" cannot stand at the end: who owns such a name is anybody.';
  return { kind: 'name', labels };
}

/** Whether a pattern is about the host of a target. */
export function coversHost(pattern: HostPattern, { host, address }: Omit<Target, 'port'>): boolean {
  if (pattern.kind === 'network') return address !== null && isInNetwork(address, pattern.network);
  if (address !== null) return false;
  const { labels } = pattern;
  if (labels.length === 1 && labels[0] === '*') return true;
  const given = host.split('.');
  const rest = given.length - labels.length;
  if (labels[0] === '*' ? rest < 0 : rest !== 0) return false;
  return labels.every((label, index) => {
    if (index === 0 && label === '*') return true;
    return label === '*' || label === given[index + rest];
  });
}

/** Whether a port is among these. */
export function coversPort(ports: Ports, port: number): boolean {
  return ports === 'any' || ports.includes(port);
}

/** Whether a pattern names this one address and no other. */
export function namesAddress(pattern: HostPattern, address: Address): boolean {
  return (
    pattern.kind === 'network' && isSingle(pattern.network) && isInNetwork(address, pattern.network)
  );
}
