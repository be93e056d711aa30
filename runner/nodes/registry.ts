import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import { userKey } from '../fleet/files.ts';
import { nodeStateFields } from './handshake.ts';
import type { NodeState } from './handshake.ts';

const time = s.integer({ minimum: 0 });
/** What gateways of one fleet tell each other of a node. */
export const sharedNodeFields = {
  id: s.string({ pattern: '^[0-9a-f]{64}$' }),
  displayName: s.string({ minLength: 1, maxLength: 256 }),
  /** Its public key, raw, base64url. */
  key: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  /** Of the token of its last pairing; the token itself is kept by the node alone. */
  tokenHash: s.string({ pattern: '^[0-9a-f]{64}$' }),
  ...nodeStateFields,
  /** Milliseconds since the epoch, by the clock of the gateway where it was paired. */
  pairedAt: time,
  /** Its users at nats-server: each under which it came since it was approved. */
  users: s.optional(s.array(userKey, { maxItems: 64 })),
};
const entry = s.object({
  ...sharedNodeFields,
  state: s.oneOf(['approved', 'removed']),
  lastSeenAt: s.nullable(time),
  lastAddress: s.nullable(s.string({ maxLength: 256 })),
});
export type NodeEntry = Static<typeof entry>;

export type SharedNode = Omit<NodeEntry, 'state' | 'lastSeenAt' | 'lastAddress'>;

/** More would be a fleet, which is not what this transport is for. */
const mostNodes = 500;
const checkFile = compile(
  s.object({ version: s.literal(1), nodes: s.array(entry, { maxItems: mostNodes }) }),
);
const maxBytes = 1024 * 1024;

/** The nodes that a person approved, and those that were removed since, on the disk after each call. */
export interface NodeRegistry {
  list(): readonly NodeEntry[];
  find(id: string): NodeEntry | null;
  /** Takes a node in, in the place of what was known under its id. Throws `rate-limit` for one too many. */
  approve(node: Omit<NodeEntry, 'state' | 'lastSeenAt' | 'users'>): void;
  /** Notes what a node says of itself while it is connected. */
  seen(
    id: string,
    state: NodeState & { readonly at: number; readonly address: string | null },
  ): void;
  /**
   * Takes in what another gateway of the fleet has approved. False where that is known here, by this
   * pairing or a later one: a removal here holds, too. Throws `rate-limit` for one too many.
   */
  adopt(node: SharedNode): boolean;
  /** False where there is no approved node of this id. */
  remove(id: string): boolean;
  /** Takes an approval back that the node did not keep: what stood there before holds again. */
  withdraw(id: string, tokenHash: string): void;
}

/** Opens the registry of a gateway. Throws `config-invalid` for a file that cannot be believed. */
export function openRegistry({
  path,
  uid,
}: {
  readonly path: string;
  readonly uid: number;
}): NodeRegistry {
  const nodes = new Map(readNodes(path, uid).map((node) => [node.id, node]));
  /** What was known of a node before its newest approval. */
  const before = new Map<string, NodeEntry>();
  const save = (changed: ReadonlyMap<string, NodeEntry>): void => {
    const text = JSON.stringify({ version: 1, nodes: [...changed.values()] }, null, 2);
    writeFileAtomic(path, `${text}\n`);
  };
  /** In memory what is on the disk, and nothing else: a change that cannot be written is none. */
  const put = (node: NodeEntry): void => {
    save(new Map(nodes).set(node.id, node));
    nodes.set(node.id, node);
  };
  const drop = (id: string): void => {
    const rest = new Map(nodes);
    rest.delete(id);
    save(rest);
    nodes.delete(id);
  };
  const makeRoom = (id: string): void => {
    if (nodes.has(id) || nodes.size < mostNodes) return;
    const oldest = [...nodes.values()].find(({ state }) => state === 'removed');
    if (oldest === undefined)
      throw refuse(
        'rate-limit',
        `No more than ${mostNodes} machines can be paired with this one.`,
        'Remove those that are not there any more: interlock node remove NAME',
      );
    drop(oldest.id);
  };
  return {
    list: () => [...nodes.values()],
    find: (id) => nodes.get(id) ?? null,
    adopt: (node) => {
      const known = nodes.get(node.id);
      if (known !== undefined && known.pairedAt >= node.pairedAt) return false;
      makeRoom(node.id);
      put({ ...node, state: 'approved', lastSeenAt: null, lastAddress: null });
      return true;
    },
    approve: (node) => {
      makeRoom(node.id);
      const known = nodes.get(node.id);
      const users = known?.state === 'approved' ? known.users : undefined;
      const taken = { ...node, state: 'approved', lastSeenAt: null } as const;
      put(withUser(users === undefined ? taken : { ...taken, users }));
      if (known === undefined) before.delete(node.id);
      else before.set(node.id, known);
    },
    seen: (id, { version, policyHash, at, address }) => {
      const node = nodes.get(id);
      if (node?.state === 'approved')
        put(withUser({ ...node, version, policyHash, lastSeenAt: at, lastAddress: address }));
    },
    remove: (id) => {
      const node = nodes.get(id);
      if (node?.state !== 'approved') return false;
      put({ ...node, state: 'removed' });
      return true;
    },
    withdraw: (id, tokenHash) => {
      if (nodes.get(id)?.tokenHash !== tokenHash) return;
      const known = before.get(id);
      if (known === undefined) drop(id);
      else put(known);
    },
  };
}

const isUser = compile(userKey);
const mostUsers = 64;

/** With the user at nats-server under which it came, where it came so. */
function withUser<N extends Pick<NodeEntry, 'lastAddress' | 'users'>>(node: N): N {
  const { lastAddress, users = [] } = node;
  const user = isUser(lastAddress);
  if (!user.ok || users.includes(user.value)) return node;
  return { ...node, users: [...users, user.value].slice(0, mostUsers) };
}

function readNodes(path: string, uid: number): readonly NodeEntry[] {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return [];
  if (file.kind === 'unsafe') throw unfit(path, file.why);
  const checked = readJson(checkFile, file.text);
  if (!checked.ok) throw unfit(path, `cannot be read: ${checked.error}`);
  const { nodes } = checked.value;
  if (new Set(nodes.map(({ id }) => id)).size !== nodes.length)
    throw unfit(path, 'lists a machine twice');
  return nodes;
}

function unfit(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `The list of paired machines, ${path}, ${why.replace(/\.$/u, '')}.`,
    'No machine is let in until then. Put it in order, or move it away and pair them anew.',
  );
}
