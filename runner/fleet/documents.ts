import { compile, readJson, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { hashOfText, maxFleetText } from '../../shared/home/index.ts';
import { isSignedBy } from '../nodes/device.ts';
import type { Device } from '../nodes/device.ts';

/**
 * What a fleet is told, and what its nodes answer. Each is signed by the key that the two machines
 * proved to each other when they were paired; nats-server only keeps it.
 */

/** Of these there is one newest version each. */
export const documentNames = ['policy', 'lockout'] as const;
export type DocumentName = (typeof documentNames)[number];

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

/** The document, where the gateway with this key signed it; else null. */
export function readDocument(text: string, gatewayKey: string): FleetDocument | null {
  const checked = readJson(checkDocument, text);
  if (!checked.ok) return null;
  const { value } = checked;
  return isSignedBy(gatewayKey, documentText(value), value.signature) ? value : null;
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
