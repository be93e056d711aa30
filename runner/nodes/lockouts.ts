import { compile, messageOf, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import type { StopState } from '../../shared/home/index.ts';
import type { LinkToNode } from './gateway-runs.ts';

const id = s.string({ pattern: '^[0-9a-f]{64}$' });
const checkFile = compile(
  s.object({
    version: s.literal(1),
    /** Of the last lockout: by the clock, so that no lost file has it given out twice; 0 before the first. */
    order: s.integer({ minimum: 0 }),
    reason: s.nullable(s.string({ maxLength: 1_024 })),
    /** Milliseconds since the epoch. Who was paired later is not meant. */
    at: s.integer({ minimum: 0 }),
    /** Whether it holds here still. What has not heard of it hears of it all the same. */
    isActive: s.boolean(),
    /** Nodes that have acknowledged it. */
    locked: s.array(id, { maxItems: 1_000 }),
  }),
);
const checkHeard = compile(s.object({ version: s.literal(1), order: s.integer({ minimum: 0 }) }));
const maxBytes = 256 * 1024;
const longestReason = 1_024;
/** How long who has heard of a lockout is gathered before it is written down. */
const gatheringMs = 100;

interface LockoutsOptions {
  readonly path: string;
  readonly uid: number;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly links: () => readonly { readonly link: LinkToNode; readonly pairedAt: number }[];
  /** When each node was paired that there is. */
  readonly pairings: () => readonly number[];
  readonly note: (code: string, text: string) => void;
}

/** Brings each lockout of the gateway to every node, once, however long that takes. */
export interface NodeLockouts {
  /** Looks whether this machine is locked by now: then all nodes are to be. Never throws. */
  look(state: StopState): void;
  connected(link: LinkToNode, pairedAt: number): void;
  acknowledged(link: LinkToNode, order: number): void;
  /** How it stands with a node: `waiting` has not heard of the last one. */
  of(node: { readonly id: string; readonly pairedAt: number }): 'waiting' | 'locked' | null;
  /** Writes down who still waits for that. */
  dispose(): void;
}

/** Opens what is known of lockouts. Throws `config-invalid` for a file that cannot be believed. */
export function openNodeLockouts(options: LockoutsOptions): NodeLockouts {
  const { path, clock, links, pairings, note } = options;
  let known = readKnown(options);
  const acknowledgedBy = new Set(known.locked);
  let isUnkept = false;
  const save = (): void => {
    known = { ...known, locked: [...acknowledgedBy] };
    try {
      writeFileAtomic(path, `${JSON.stringify(known)}\n`);
      isUnkept = false;
    } catch (error) {
      isUnkept = true;
      note(
        'node-lockout-unkept',
        `Who has heard of the lockout is not written: ${messageOf(error)}`,
      );
    }
  };
  let cancel: (() => void) | null = null;
  // Five hundred nodes lock within a second, and each would have the file written anew. Whom a crash
  // forgets is told again, and locks nothing twice.
  const saveSoon = (): void => {
    cancel ??= clock.after(gatheringMs, () => {
      cancel = null;
      save();
    });
  };
  const isMeant = (node: { readonly id: string; readonly pairedAt: number }): boolean =>
    known.order > 0 && node.pairedAt <= known.at && !acknowledgedBy.has(node.id);
  const tell = (link: LinkToNode, pairedAt: number): void => {
    if (isMeant({ id: link.peer.id, pairedAt }))
      link.send({ type: 'lockout', order: known.order, reason: known.reason });
  };
  return {
    look: ({ mode, reason }) => {
      const isLocked = mode === 'locked';
      if (isLocked === known.isActive) return;
      if (isLocked) {
        acknowledgedBy.clear();
        const said = reason?.slice(0, longestReason) ?? null;
        const order = Math.max(clock.now(), known.order + 1);
        // A clock that was put back takes nobody out who is paired by now.
        const at = Math.max(clock.now(), ...pairings());
        known = { ...known, order, reason: said, at, isActive: true };
        // Before the disk: a lockout waits for nothing.
        for (const { link, pairedAt } of links()) tell(link, pairedAt);
      } else known = { ...known, isActive: false };
      save();
    },
    connected: (link, pairedAt) => {
      tell(link, pairedAt);
      if (isUnkept) save();
    },
    acknowledged: ({ peer }, order) => {
      if (order > known.order)
        throw refuse(
          'invalid-request',
          'The other machine acknowledges a lockout that there was not.',
          'End the connection. If it happens again, pair the two machines anew.',
        );
      if (order < known.order || acknowledgedBy.has(peer.id)) return;
      acknowledgedBy.add(peer.id);
      saveSoon();
      note('node-locked', `${peer.displayName} (${peer.id}) is locked, too.`);
    },
    of: (node) => {
      if (isMeant(node)) return 'waiting';
      return known.isActive && acknowledgedBy.has(node.id) ? 'locked' : null;
    },
    dispose: () => {
      if (cancel === null) return;
      cancel();
      cancel = null;
      save();
    },
  };
}

function readKnown({ path, uid }: Pick<LockoutsOptions, 'path' | 'uid'>) {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing')
    return { version: 1, order: 0, reason: null, at: 0, isActive: false, locked: [] } as const;
  if (file.kind === 'unsafe') throw unfit(path, file.why);
  const checked = readJson(checkFile, file.text);
  if (!checked.ok) throw unfit(path, `cannot be read: ${checked.error.replace(/\.$/u, '')}`);
  return checked.value;
}

/** The last lockout of its gateway that a node has carried out, so that a late copy locks nothing again. */
export function heardLockouts({ path, uid }: { readonly path: string; readonly uid: number }): {
  last(): number;
  keep(order: number): void;
} {
  return {
    last: () => {
      const file = readPrivateFile(path, { uid, maxBytes: 4_096 });
      const checked = file.kind === 'text' ? readJson(checkHeard, file.text) : null;
      // What cannot be read has heard of nothing: once too often is the safe side.
      return checked?.ok === true ? checked.value.order : 0;
    },
    keep: (order) => writeFileAtomic(path, `${JSON.stringify({ version: 1, order })}\n`),
  };
}

function unfit(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `What is known of the lockouts of nodes, ${path}, ${why}.`,
    'No node is let in until then. Move it away: nodes that have not heard of the last lockout then never will.',
  );
}
