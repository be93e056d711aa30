/** IP addresses and what they lead to, without the machine. */

/** An address as a number. One that carries an IPv4 address in IPv6's mapped form is that IPv4 address. */
export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** An address and all that share its first bits. */
export interface Network extends Address {
  readonly bits: number;
}

/** What is behind an address: only `public` is reached without being named. */
export type Reach = 'public' | 'private' | 'loopback' | 'link-local' | 'metadata' | 'reserved';

/** `192.0.2.1`: four decimal numbers and nothing that other parsers read otherwise. Null for all else. */
export function parseIpv4(text: string): Address | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/u.test(part))) return null;
  const numbers = parts.map(Number);
  if (numbers.some((number) => number > 255)) return null;
  return { family: 4, value: numbers.reduce((sum, number) => sum * 256n + BigInt(number), 0n) };
}

/** Text of an IPv6 address without brackets and zone, in any of its forms. Null for all else. */
export function parseIpv6(text: string): Address | null {
  const plain = withHexTail(text);
  if (plain === null || !/^[0-9a-f:]+$/iu.test(plain)) return null;
  const halves = plain.split('::');
  if (halves.length > 2) return null;
  const groupsOf = (half: string): readonly string[] => (half === '' ? [] : half.split(':'));
  const [head = [], tail = []] = halves.map(groupsOf);
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/iu.test(group))) return null;
  const value = groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
  // The same machine by another name: decided as what it is.
  if (value >> 32n === 0xffffn) return { family: 4, value: value & 0xffff_ffffn };
  return { family: 6, value };
}

/** The last four numbers of `::ffff:192.0.2.1` as two groups. */
function withHexTail(text: string): string | null {
  if (!text.includes('.')) return text;
  const at = text.lastIndexOf(':');
  const tail = parseIpv4(text.slice(at + 1));
  if (at < 0 || tail === null) return null;
  const high = (tail.value >> 16n).toString(16);
  return `${text.slice(0, at + 1)}${high}:${(tail.value & 0xffffn).toString(16)}`;
}

/** An address in either family, without brackets. */
export function parseAddress(text: string): Address | null {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/** `10.0.0.0/8`, `fd00::/8`, or a single address. Null where bits are set behind the prefix. */
export function parseNetwork(text: string): Network | null {
  const [base = '', length, ...more] = text.split('/');
  const address = parseAddress(base);
  if (address === null || more.length > 0) return null;
  const most = address.family === 4 ? 32 : 128;
  if (length !== undefined && !/^(?:0|[1-9]\d{0,2})$/u.test(length)) return null;
  const bits = length === undefined ? most : Number(length);
  if (bits > most || (address.value & ((1n << BigInt(most - bits)) - 1n)) !== 0n) return null;
  return { ...address, bits };
}

/** Whether an address lies in a network. */
export function isInNetwork(address: Address, { family, value, bits }: Network): boolean {
  if (address.family !== family) return false;
  const rest = BigInt((family === 4 ? 32 : 128) - bits);
  return address.value >> rest === value >> rest;
}

/** Whether a network is one address alone. */
export function isSingle({ family, bits }: Network): boolean {
  return bits === (family === 4 ? 32 : 128);
}

/** An address as it is written; IPv6 in full groups, without brackets. */
export function addressText({ family, value }: Address): string {
  if (family === 4)
    return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  return Array.from({ length: 8 }, (_, index) =>
    ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16),
  ).join(':');
}

/** The narrowest that matches holds; the reasons are IANA's registries of special addresses. */
const special: readonly (readonly [string, Reach])[] = [
  // Where clouds tell a machine its own credentials; one of them looks like any other address.
  ['169.254.169.254/32', 'metadata'],
  ['169.254.169.253/32', 'metadata'],
  ['169.254.170.2/32', 'metadata'],
  ['169.254.170.23/32', 'metadata'],
  ['100.100.100.200/32', 'metadata'],
  ['192.0.0.192/32', 'metadata'],
  ['168.63.129.16/32', 'metadata'],
  ['fd00:ec2::254/128', 'metadata'],
  ['fd00:ec2::23/128', 'metadata'],
  ['fd20:ce::254/128', 'metadata'],
  ['0.0.0.0/8', 'reserved'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'private'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'private'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['224.0.0.0/3', 'reserved'],
  ['::1/128', 'loopback'],
  ['64:ff9b:1::/48', 'private'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'reserved'],
  ['3fff::/20', 'reserved'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
];
const ranges = special
  .map(([text, reach]) => ({ network: parseNetwork(text) as Network, reach }))
  .toSorted((one, other) => other.network.bits - one.network.bits);

/** Networks of IPv6 that carry an IPv4 address from this bit on. */
const carriers: readonly (readonly [Network, bigint])[] = [
  [parseNetwork('64:ff9b::/96') as Network, 0n],
  [parseNetwork('::/96') as Network, 0n],
  [parseNetwork('::ffff:0:0:0/96') as Network, 0n],
  [parseNetwork('2002::/16') as Network, 80n],
];
const globalUnicast = parseNetwork('2000::/3') as Network;

/** What an address leads to, from its number alone: the machine's own addresses are not known here. */
export function reachOf(address: Address): Reach {
  const found = ranges.find(({ network }) => isInNetwork(address, network));
  if (found !== undefined) return found.reach;
  if (address.family === 4) return 'public';
  const carrier = carriers.find(([network]) => isInNetwork(address, network));
  if (carrier !== undefined)
    return reachOf({ family: 4, value: (address.value >> carrier[1]) & 0xffff_ffffn });
  return isInNetwork(address, globalUnicast) ? 'public' : 'reserved';
}
