import { compile, readJson, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { hashOfText, maxFleetText } from '../../shared/home/index.ts';
import { isSignedBy } from '../nodes/device.ts';
import type { Device } from '../nodes/device.ts';

/**
 * What a fleet is told, and what its nodes answer. Each is signed by a key that one side of a pairing
 * proved to the other, or that the fleet's own signed in turn; nats-server only keeps it.
 */

/** Of these there is one newest version each. First the one that says whose word counts for the rest. */
export const documentNames = ['gateways', 'policy', 'lockout'] as const;
export type DocumentName = (typeof documentNames)[number];

/** Whose word counts in a fleet. */
export interface Trust {
  /** The key (raw, base64url) of the gateway that made the fleet: the fleet's own. */
  readonly keeper: string;
  /** The keys of its further gateways. */
  readonly gateways: readonly string[];
  /** How many gateways were removed so far. */
  readonly era: number;
}

/** The trust of a fleet with one gateway. */
export function aloneIn(keeper: string): Trust {
  return { keeper, gateways: [], era: 0 };
}

/**
 * Numbers of documents that a further gateway may give out in one era; milliseconds until the year 2248.
 * One that was taken over could use them all up, and be removed: from then on there are new ones.
 */
const eraSpan = 2 ** 43;

/** The number of a new version: by the clock, in the part of this era, and larger than the last one. */
export function nextSeq(era: number, now: number, last: number): number {
  return Math.max(era * eraSpan + now, last + 1);
}

/** What is signed of a record: under a label with its version, every field by its name, in one order. */
export function fieldsText(label: string, said: object): string {
  const fields = Object.entries(said).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${label}\n${JSON.stringify(fields)}`;
}

const signature = s.string({ pattern: '^[A-Za-z0-9_-]{86}$' });
const sequence = s.integer({ minimum: 0 });
const time = s.integer({ minimum: 0 });
const document = s.object({
  version: s.literal(1),
  name: s.oneOf(documentNames),
  /** Larger with each version. A node takes up none that is not larger than the last. */
  seq: sequence,
  /** sha256 (hex) of the text that this one takes the place of; null: of none. */
  base: s.nullable(s.string({ pattern: '^[0-9a-f]{64}$' })),
  /** Milliseconds since the epoch, by the gateway's clock. */
  at: time,
  text: s.string({ maxLength: maxFleetText }),
  signature,
});
export type FleetDocument = Static<typeof document>;
const checkDocument = compile(document);

const order = s.object({
  locked: s.boolean(),
  reason: s.nullable(s.string({ maxLength: 500 })),
});
/** Text of the document `lockout`: whether every machine is to lock, or those that did not no longer. */
export type LockoutOrder = Static<typeof order>;
const checkOrder = compile(order);

const tick = s.object({
  version: s.literal(1),
  /** Id of the node. */
  id: s.string({ pattern: '^[0-9a-f]{64}$' }),
  /** Which versions it has taken up; 0: none. */
  policy: sequence,
  lockout: sequence,
  /** By the node's clock. */
  at: time,
  signature,
});
export type Tick = Static<typeof tick>;
const checkTick = compile(tick);

function documentText({ name, seq, base, at, text }: Omit<FleetDocument, 'version' | 'signature'>) {
  const head = ['interlock fleet document 1', name, seq, base ?? '-', at];
  return [...head, hashOfText(text)].join('\n');
}

/** Signs a document with the key of the gateway. */
export function signDocument(
  device: Device,
  said: Omit<FleetDocument, 'version' | 'signature'>,
): string {
  return JSON.stringify({ version: 1, ...said, signature: device.sign(documentText(said)) });
}

/** The document, where somebody signed it whose word counts for it; else null. */
export function readDocument(text: string, trust: Trust): FleetDocument | null {
  const checked = readJson(checkDocument, text);
  if (!checked.ok) return null;
  const { value } = checked;
  const isBy = (key: string): boolean => isSignedBy(key, documentText(value), value.signature);
  if (isBy(trust.keeper)) return value;
  const mayTell = value.name !== 'gateways' && value.seq < (trust.era + 1) * eraSpan;
  return mayTell && trust.gateways.some(isBy) ? value : null;
}

/** What a lockout says; null where it is something else. */
export function readOrder(text: string): LockoutOrder | null {
  const checked = readJson(checkOrder, text);
  return checked.ok ? checked.value : null;
}

function tickText({ id, policy, lockout, at }: Omit<Tick, 'version' | 'signature'>): string {
  return ['interlock fleet tick 1', id, policy, lockout, at].join('\n');
}

/** Says how far a node has come. */
export function signTick(device: Device, said: Omit<Tick, 'version' | 'id' | 'signature'>): string {
  const own = { id: device.id, ...said };
  return JSON.stringify({ version: 1, ...own, signature: device.sign(tickText(own)) });
}

/** The tick, where the node that it names signed it, by the key that `keyOf` knows; else null. */
export function readTick(text: string, keyOf: (id: string) => string | null): Tick | null {
  const checked = readJson(checkTick, text);
  if (!checked.ok) return null;
  const { value } = checked;
  const key = keyOf(value.id);
  return key !== null && isSignedBy(key, tickText(value), value.signature) ? value : null;
}
