import type { KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { compile, messageOf, readJson, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { isSignedBy } from '../nodes/device.ts';
import type { Device } from '../nodes/device.ts';
import { sharedNodeFields } from '../nodes/registry.ts';
import type { NodeEntry, SharedNode } from '../nodes/registry.ts';
import { openBucket } from './control.ts';
import { fieldsText } from './documents.ts';
import type { Trust } from './documents.ts';

/**
 * What the gateways of a fleet tell each other of its nodes. The one that made the fleet, where they
 * are paired, signs each; any signs that one was removed, which holds for that pairing and those before.
 */

const signature = s.string({ pattern: '^[A-Za-z0-9_-]{86}$' });
const node = s.object({ version: s.literal(1), node: s.object(sharedNodeFields), signature });
const removal = s.object({
  version: s.literal(1),
  id: sharedNodeFields.id,
  /** Which pairing of it was ended. */
  pairedAt: sharedNodeFields.pairedAt,
  signature,
});
type Removal = Static<typeof removal>;
const checkNode = compile(node);
const checkRemoval = compile(removal);

function nodeText(shared: SharedNode): string {
  return fieldsText('interlock fleet node 1', shared);
}

function removalText({ id, pairedAt }: Pick<Removal, 'id' | 'pairedAt'>): string {
  return ['interlock fleet node removed 1', id, pairedAt].join('\n');
}

/** What is told of a node, by the gateway where it was paired. */
export function signNode(device: Device, entry: NodeEntry): string {
  const { state: _state, lastSeenAt: _seen, lastAddress: _from, ...shared } = entry;
  return JSON.stringify({ version: 1, node: shared, signature: device.sign(nodeText(shared)) });
}

/** The node, where the gateway that made the fleet signed it; else null. */
export function readNode(text: string, { keeper }: Trust): SharedNode | null {
  const checked = readJson(checkNode, text);
  if (!checked.ok) return null;
  const { node: shared, signature: sealed } = checked.value;
  return isSignedBy(keeper, nodeText(shared), sealed) ? shared : null;
}

/** What is told of a node that was removed. */
export function signRemoval(device: Device, { id, pairedAt }: NodeEntry): string {
  const sealed = device.sign(removalText({ id, pairedAt }));
  return JSON.stringify({ version: 1, id, pairedAt, signature: sealed });
}

/** The removal, where a gateway signed it whose word counts; else null. */
export function readRemoval(text: string, { keeper, gateways }: Trust): Removal | null {
  const checked = readJson(checkRemoval, text);
  if (!checked.ok) return null;
  const { value } = checked;
  const isBy = (key: string): boolean => isSignedBy(key, removalText(value), value.signature);
  return [keeper, ...gateways].some(isBy) ? value : null;
}

export interface SharedNodesOptions {
  readonly device: Device;
  /** Whose word counts, read anew each time. */
  readonly trust: () => Trust;
  /** The nodes of this gateway that came by the fleet. */
  readonly nodes: () => readonly NodeEntry[];
  readonly adopt: (node: SharedNode) => void;
  readonly removed: (id: string) => void;
  /** For the log and the record. */
  readonly note: (code: string, text: string) => void;
}

/** Keeps the nodes of a gateway the same as those of the others. */
export interface SharedNodes {
  /** nats-server is there, again. Rejects as NATS does. */
  reached(connection: NatsConnection): Promise<void>;
  /** Something of a node has changed here. Never rejects: what cannot be told is told when it is reached. */
  changed(): Promise<void>;
}

/** Opens what gateways share of their nodes. */
export function shareNodes(options: SharedNodesOptions): SharedNodes {
  let kv: KV | null = null;
  const isKeeper = (): boolean => options.trust().keeper === options.device.publicKey;
  const tell = async (): Promise<void> => {
    if (kv !== null) await tellAll(kv, isKeeper(), options);
  };
  let turn = Promise.resolve();
  const changed = async (): Promise<void> => {
    turn = turn.then(tell).catch((error: unknown) => {
      options.note('fleet-nodes-untold', `The other gateways were not told: ${messageOf(error)}`);
    });
    return turn;
  };
  return {
    reached: async (connection) => {
      const opened = await openBucket(connection, isKeeper());
      kv = opened;
      connection.closed().then(
        () => (kv = kv === opened ? null : kv),
        () => undefined,
      );
      await follow(opened, options, changed);
    },
    changed,
  };
}

/** Takes up what there is and what comes, and tells what is missing once the first is done. */
async function follow(
  kv: KV,
  options: SharedNodesOptions,
  changed: () => Promise<void>,
): Promise<void> {
  /** What was told before its node was: by the id of that, the latest pairing that was ended. */
  const ended = new Map<string, number>();
  const heard = (text: string, key: string): void => {
    const { trust, nodes, adopt, removed } = options;
    const here = (id: string): NodeEntry | undefined => nodes().find((each) => each.id === id);
    if (key.startsWith('node.')) {
      const shared = readNode(text, trust());
      if (shared !== null && key === keyOfNode(shared.id)) {
        if ((ended.get(shared.id) ?? -1) < shared.pairedAt) adopt(shared);
      }
      return;
    }
    if (!key.startsWith('removed.')) return;
    const told = readRemoval(text, trust());
    if (told === null || key !== keyOfRemoval(told.id)) return;
    ended.set(told.id, Math.max(told.pairedAt, ended.get(told.id) ?? -1));
    const known = here(told.id);
    if (known?.state === 'approved' && known.pairedAt <= told.pairedAt) removed(told.id);
  };
  const watching = await kv.watch();
  let isAsThere = false;
  void (async () => {
    for await (const entry of watching)
      try {
        if (entry.operation === 'PUT') heard(entry.string(), entry.key);
        if (!isAsThere && entry.delta === 0) void changed();
        isAsThere ||= entry.delta === 0;
      } catch (error) {
        options.note('fleet-nodes', `What is told of a node was not taken up: ${messageOf(error)}`);
      }
  })().catch(() => undefined);
  // Where nothing is kept yet, nothing is shown.
  await changed();
}

const keyOfNode = (id: string): string => `node.${id}`;
const keyOfRemoval = (id: string): string => `removed.${id}`;

/** Brings there what is not there as it is here. What others have told meanwhile is not undone. */
async function tellAll(
  kv: KV,
  isKeeper: boolean,
  { device, trust, nodes }: SharedNodesOptions,
): Promise<void> {
  for (const entry of nodes()) {
    const { id, pairedAt, state } = entry;
    if (state === 'removed') {
      const there = await kv.get(keyOfRemoval(id));
      const told = there === null ? null : readRemoval(there.string(), trust());
      if ((told?.pairedAt ?? -1) < pairedAt)
        await kv.put(keyOfRemoval(id), signRemoval(device, entry));
    } else if (isKeeper) {
      const signed = signNode(device, entry);
      const there = await kv.get(keyOfNode(id));
      if (there?.string() !== signed) await kv.put(keyOfNode(id), signed);
    }
  }
}
