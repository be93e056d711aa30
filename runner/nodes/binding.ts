import { isIP } from 'node:net';
import { displayPlain, refuse } from '../../shared/base/index.ts';

/** A machine that was paired with this one, as far as its names go. */
export interface NamedNode {
  readonly id: string;
  readonly displayName: string;
  /** Where it was last connected from; null where it never was. */
  readonly remoteAddress: string | null;
}

/** Shortest beginning of an id that may stand for it. */
const minPrefix = 6;
/** Most nodes that an error lists. */
const maxListed = 8;

/** What of a display name counts: how it is written, spaced and composed does not tell two apart. */
export function normalizedName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/gu, '');
}

/** An address without the prefix under which a socket for both families shows an IPv4 peer. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/u, '');
}

const isAddress = (name: string): boolean => isIP(plainAddress(name)) !== 0;

/**
 * The ways to name a node; the first under which anything is found decides. Who types an address means
 * the machine there, whatever another one is called.
 */
const ways: readonly ((node: NamedNode, name: string) => boolean)[] = [
  ({ id }, name) => id === name,
  ({ displayName }, name) =>
    !isAddress(name) &&
    normalizedName(name) !== '' &&
    normalizedName(displayName) === normalizedName(name),
  ({ remoteAddress }, name) =>
    remoteAddress !== null && plainAddress(remoteAddress) === plainAddress(name),
  ({ id }, name) => name.length >= minPrefix && id.startsWith(name.toLowerCase()),
];

/**
 * The node that is meant by a name: its exact id, else its display name, else its address, else six or
 * more of the first characters of its id. Null stands for no name, which is enough where there is a
 * single node. Throws `host-unavailable` where none or several are meant; nothing is ever guessed.
 */
export function resolveNode<N extends NamedNode>(nodes: readonly N[], name: string | null): N {
  if (name === null) return onlyOne(nodes, 'No node is named');
  for (const isMeant of ways) {
    const found = nodes.filter((node) => isMeant(node, name));
    if (found.length > 0)
      return onlyOne(found, `"${displayPlain(name)}" is the name of no single node`);
  }
  throw refuse(
    'host-unavailable',
    `No node is called "${displayPlain(name)}".`,
    nodes.length === 0
      ? 'No machine is paired with this one.'
      : `These are paired: ${listed(nodes)}.`,
  );
}

/**
 * Why a machine may not be paired under its name, one sentence; null where it may. A display name comes
 * before addresses and beginnings of ids, so that one which reads as either of another machine would take
 * what is meant for that one; nor may the id or the address of a new machine read as such a name.
 */
export function whyMisnamed(node: NamedNode, others: readonly NamedNode[]): string | null {
  const called = `"${displayPlain(node.displayName)}"`;
  const bare = node.displayName.normalize('NFKC').replaceAll(/[\s[\]]/gu, '');
  if (isAddress(bare) || /^(?:\d{1,3}-){3}\d{1,3}$/u.test(normalizedName(node.displayName)))
    return `${called} reads as an address, which names the machine there.`;
  for (const other of others) {
    if (other.id === node.id) continue;
    const what = readsAs(node.displayName, other) ?? readsAs(other.displayName, node);
    if (what !== null)
      return `${called} and "${displayPlain(other.displayName)}" cannot be told apart: the name of one reads as the ${what} of the other.`;
  }
  return null;
}

/** What of a machine a display name reads as, however it is written. */
function readsAs(
  displayName: string,
  { id, remoteAddress }: NamedNode,
): 'address' | 'beginning of the id' | null {
  const name = normalizedName(displayName);
  if (name.length >= minPrefix && id.startsWith(name)) return 'beginning of the id';
  if (name === '' || remoteAddress === null) return null;
  return name === normalizedName(plainAddress(remoteAddress)) ? 'address' : null;
}

/**
 * Whether two names mean one node, of those there are. Names that mean none or several are the same for
 * nobody, however they are written.
 */
export function isSameNode(nodes: readonly NamedNode[], asked: string, bound: string): boolean {
  try {
    return resolveNode(nodes, asked).id === resolveNode(nodes, bound).id;
  } catch {
    return false;
  }
}

function onlyOne<N extends NamedNode>(found: readonly N[], what: string): N {
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  throw refuse(
    'host-unavailable',
    first === undefined
      ? `${what}, and no machine is paired with this one.`
      : `${what}: ${listed(found)} would do.`,
    first === undefined ? 'Pair a machine first.' : 'Name one of them by its id.',
  );
}

function listed(nodes: readonly NamedNode[]): string {
  const names = nodes
    .slice(0, maxListed)
    .map(({ id, displayName }) => `${displayPlain(displayName)} (${id})`);
  const more = nodes.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
