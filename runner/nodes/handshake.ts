import { createHash, timingSafeEqual } from 'node:crypto';
import { compile, displayPlain, refusalOf, s } from '../../shared/base/index.ts';
import { deviceId, isSignedBy } from './device.ts';
import type { Device } from './device.ts';
import { commitmentTo, pairingCode } from './pairing.ts';
import type { PairingTranscript } from './pairing.ts';
import { Rejection, rejectionCodes } from './talk.ts';
import type { RejectionCode, Talk } from './talk.ts';

/**
 * How two machines come together: a node that is paired proves who it is and has its gateway prove the
 * same (`join`), or one that is not yet shows a code for two people, or one, to compare (`pair`). No
 * clock is read: what is fresh is what answers a nonce. Signatures are over the channel, too, so that
 * none is of use on another connection than the one it was made for.
 */

const protocol = 1;

/** The connection, as both ends see it, and nobody between them could make it look to both. */
export interface Channel {
  /** SHA-256 of the gateway's certificate, DER. */
  readonly certificate: Uint8Array;
  /** 32 bytes that only this connection has (RFC 5705). */
  readonly binding: Uint8Array;
}

/** What a node says of itself. Nothing is decided by it. */
export interface NodeState {
  readonly version: string;
  /** sha256 (hex) of its `exec-approvals.json`; null where it cannot be read. */
  readonly policyHash: string | null;
}

const bytes32 = s.string({ pattern: '^[A-Za-z0-9_-]{43}$' });
const signature = s.string({ pattern: '^[A-Za-z0-9_-]{86}$' });
const name = s.string({ minLength: 1, maxLength: 64 });
const deviceIdShape = s.string({ pattern: '^[0-9a-f]{64}$' });
export const nodeStateFields = {
  version: s.string({ pattern: '^[0-9A-Za-z.+-]{1,64}$' }),
  policyHash: s.nullable(s.string({ pattern: '^[0-9a-f]{64}$' })),
};

const opening = s.union(
  s.object({ type: s.literal('join'), protocol: s.integer(), id: deviceIdShape, nonce: bytes32 }),
  s.object({ type: s.literal('pair'), protocol: s.integer(), commitment: bytes32 }),
);
const proof = s.object({
  type: s.literal('proof'),
  token: bytes32,
  signature,
  ...nodeStateFields,
});
const reveal = s.object({
  type: s.literal('reveal'),
  key: bytes32,
  nonce: bytes32,
  displayName: name,
  signature,
  ...nodeStateFields,
});
const kept = s.object({ type: s.literal('kept') });
const refused = s.object({
  type: s.literal('refused'),
  code: s.oneOf(rejectionCodes),
  message: s.string({ maxLength: 500 }),
});
const challenge = s.object({ type: s.literal('challenge'), nonce: bytes32, signature });
const welcome = s.object({ type: s.literal('welcome'), displayName: name });
const pairKey = s.object({
  type: s.literal('pair-key'),
  key: bytes32,
  nonce: bytes32,
  displayName: name,
});
const paired = s.object({ type: s.literal('paired'), token: bytes32, signature });

const checkOpening = compile(opening);
const checkProof = compile(proof);
const checkReveal = compile(reveal);
const checkKept = compile(kept);
const checkChallenge = compile(s.union(challenge, refused));
const checkWelcome = compile(s.union(welcome, refused));
const checkPairKey = compile(s.union(pairKey, refused));
const checkPaired = compile(s.union(paired, refused));

/** A name grows where signs that cannot be seen are written out. */
const longestShown = 200;

/** For one answer of a machine, and for one of a person. */
const answerMs = 10_000;
export const personMs = 600_000;

/** Text that a signature is over. Every part has a fixed form without a line break. */
function signed(purpose: string, channel: Channel, parts: readonly string[]): string {
  const { certificate, binding } = channel;
  return [
    `interlock node link 1: ${purpose}`,
    Buffer.from(certificate).toString('base64url'),
    Buffer.from(binding).toString('base64url'),
    ...parts,
  ].join('\n');
}

/** What is kept of a token on the gateway's side. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(`interlock node token\n${token}`).digest('hex');
}

/** A node that a person approved. */
export interface KnownNode {
  readonly key: string;
  readonly tokenHash: string;
  readonly state: 'approved' | 'removed';
}

/** A machine that asks to be paired. */
export interface PairingOffer extends NodeState {
  readonly id: string;
  readonly key: string;
  readonly displayName: string;
  readonly code: string;
}

export interface GatewaySide {
  readonly device: Device;
  readonly displayName: string;
  readonly channel: Channel;
  /** 32 fresh bytes, base64url. */
  readonly nonce: () => string;
  readonly find: (id: string) => KnownNode | null;
  /** Has a person compare the code. Resolves with the token of the pairing, rejects with a `Rejection`. */
  readonly approve: (offer: PairingOffer, gone: AbortSignal) => Promise<string>;
  /** The node did not keep what was approved. */
  readonly withdraw: (offer: PairingOffer, token: string) => void;
}

/** How a connection to a gateway went on. */
export type Received =
  | { readonly kind: 'paired'; readonly id: string }
  | ({ readonly kind: 'joined'; readonly id: string } & NodeState);

/** The gateway's side, from the first frame on. Rejects with a `Rejection`; the node was told why. */
export async function receiveNode(talk: Talk, side: GatewaySide): Promise<Received> {
  try {
    const first = await talk.hear(checkOpening, answerMs);
    if (first.protocol !== protocol)
      throw new Rejection(
        'version',
        'The two machines have versions of Interlock that do not go together.',
      );
    return first.type === 'join'
      ? await receiveJoin(talk, side, first)
      : await receivePair(talk, side, first);
  } catch (error) {
    const rejection = rejectionOf(error);
    talk.say({ type: 'refused', code: rejection.code, message: rejection.message.slice(0, 500) });
    talk.close(rejection.message);
    throw rejection;
  }
}

async function receiveJoin(
  talk: Talk,
  { device, channel, nonce, find, displayName }: GatewaySide,
  { id, nonce: nodeNonce }: { readonly id: string; readonly nonce: string },
): Promise<Received> {
  const gatewayNonce = nonce();
  const parts = [id, device.publicKey, nodeNonce, gatewayNonce];
  talk.say({
    type: 'challenge',
    nonce: gatewayNonce,
    signature: device.sign(signed('gateway', channel, parts)),
  });
  const given = await talk.hear(checkProof, answerMs);
  const node = find(id);
  if (node === null) throw new Rejection('unknown', 'No such machine is paired with this one.');
  const said = signed('node', channel, [...parts, given.token]);
  // The key first: whether a token is right is told to nobody else.
  if (!isSignedBy(node.key, said, given.signature) || !isToken(given.token, node.tokenHash))
    throw new Rejection('unproven', 'The machine could not prove to be the one that was paired.');
  if (node.state === 'removed')
    throw new Rejection('removed', 'This machine was removed by a person at the gateway.');
  talk.say({ type: 'welcome', displayName });
  return { kind: 'joined', id, version: given.version, policyHash: given.policyHash };
}

function isToken(token: string, hash: string): boolean {
  const [a, b] = [Buffer.from(tokenHash(token)), Buffer.from(hash)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function receivePair(
  talk: Talk,
  { device, channel, nonce, displayName, approve, withdraw }: GatewaySide,
  { commitment }: { readonly commitment: string },
): Promise<Received> {
  const gatewayNonce = nonce();
  talk.say({ type: 'pair-key', key: device.publicKey, nonce: gatewayNonce, displayName });
  const shown = await talk.hear(checkReveal, answerMs);
  const parts = [device.publicKey, shown.key, gatewayNonce, shown.nonce];
  const code = codeOf(
    { gatewayKey: device.publicKey, nodeKey: shown.key, gatewayNonce, nodeNonce: shown.nonce },
    { channel, commitment },
  );
  if (!isSignedBy(shown.key, signed('pair', channel, parts), shown.signature))
    throw new Rejection('unproven', 'The machine could not prove that it has the key it shows.');
  const { version, policyHash } = shown;
  const offer = {
    id: deviceId(shown.key),
    key: shown.key,
    displayName: nameOf(shown.displayName),
    code,
    version,
    policyHash,
  };
  const token = await approve(offer, talk.gone);
  try {
    talk.say({
      type: 'paired',
      token,
      signature: device.sign(signed('paired', channel, [...parts, token])),
    });
    await talk.hear(checkKept, personMs);
  } catch (error) {
    withdraw(offer, token);
    throw error;
  }
  return { kind: 'paired', id: offer.id };
}

interface Shown {
  readonly gatewayKey: string;
  readonly nodeKey: string;
  readonly gatewayNonce: string;
  readonly nodeNonce: string;
}

function codeOf(
  shown: Shown,
  { channel, commitment }: { readonly channel: Channel; readonly commitment: string },
): string {
  const transcript: PairingTranscript = {
    nodeKey: bytesOf(shown.nodeKey),
    gatewayKey: bytesOf(shown.gatewayKey),
    nodeNonce: bytesOf(shown.nodeNonce),
    gatewayNonce: bytesOf(shown.gatewayNonce),
    certificate: channel.certificate,
  };
  return pairingCode(transcript, bytesOf(commitment));
}

/** A name that another machine gave itself, as one line that hides nothing. */
function nameOf(given: string): string {
  const line = displayPlain(given).replaceAll(/\s+/gu, ' ').trim();
  return line.slice(0, longestShown) || 'unnamed';
}

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'base64url');

/** What a node keeps of its gateway. */
export interface KnownGateway {
  readonly key: string;
  readonly displayName: string;
}

export interface NodeSide {
  readonly device: Device;
  readonly channel: Channel;
  readonly nonce: () => string;
  readonly state: NodeState;
}

/**
 * The node's side where it is paired; the certificate was compared with the kept one before. Resolves
 * with how the gateway calls itself. Rejects with a `Rejection`.
 */
export async function joinGateway(
  talk: Talk,
  side: NodeSide & { readonly gateway: Pick<KnownGateway, 'key'>; readonly token: string },
): Promise<{ readonly displayName: string }> {
  const { device, channel, nonce, state, gateway, token } = side;
  return ending(talk, async () => {
    const nodeNonce = nonce();
    talk.say({ type: 'join', protocol, id: device.id, nonce: nodeNonce });
    const asked = accepted(await talk.hear(checkChallenge, answerMs));
    const parts = [device.id, gateway.key, nodeNonce, asked.nonce];
    if (!isSignedBy(gateway.key, signed('gateway', channel, parts), asked.signature))
      throw new Rejection(
        'unproven',
        'The gateway could not prove to be the one it was paired with.',
      );
    talk.trust();
    talk.say({
      type: 'proof',
      token,
      signature: device.sign(signed('node', channel, [...parts, token])),
      ...stateOf(state),
    });
    const { displayName } = accepted(await talk.hear(checkWelcome, answerMs));
    return { displayName: nameOf(displayName) };
  });
}

/** What the node has to keep, before it tells that it did. */
export interface NewPairing extends KnownGateway {
  readonly token: string;
}

export interface PairingSide extends NodeSide {
  readonly displayName: string;
  /** Has the person here compare the code with the one that the gateway shows. */
  readonly confirm: (
    shown: { readonly code: string; readonly gateway: string },
    gone: AbortSignal,
  ) => Promise<boolean>;
  /** Writes it down; what it throws ends the pairing on both sides. */
  readonly keep: (pairing: NewPairing) => void;
}

/** The node's side of a new pairing. Rejects with a `Rejection`, or what `keep` throws. */
export async function pairWithGateway(talk: Talk, side: PairingSide): Promise<NewPairing> {
  const { device, channel, nonce, state, displayName, confirm, keep } = side;
  return ending(talk, async () => {
    const nodeNonce = nonce();
    const commitment = Buffer.from(
      commitmentTo({ nodeKey: bytesOf(device.publicKey), nodeNonce: bytesOf(nodeNonce) }),
    ).toString('base64url');
    talk.say({ type: 'pair', protocol, commitment });
    const met = accepted(await talk.hear(checkPairKey, answerMs));
    const shown = {
      gatewayKey: met.key,
      nodeKey: device.publicKey,
      gatewayNonce: met.nonce,
      nodeNonce,
    };
    const parts = [met.key, device.publicKey, met.nonce, nodeNonce];
    talk.say({
      type: 'reveal',
      key: device.publicKey,
      nonce: nodeNonce,
      displayName,
      signature: device.sign(signed('pair', channel, parts)),
      ...stateOf(state),
    });
    const gatewayName = nameOf(met.displayName);
    const code = codeOf(shown, { channel, commitment });
    const told = talk.hear(checkPaired, personMs).then(accepted);
    const agreed = confirm({ code, gateway: gatewayName }, talk.gone).then((isSame) => {
      if (!isSame)
        throw new Rejection('declined', 'The codes are not the same, so nothing was paired.');
      return isSame;
    });
    const [{ token, signature: sealed }] = await Promise.all([told, agreed]);
    if (!isSignedBy(met.key, signed('paired', channel, [...parts, token]), sealed))
      throw new Rejection('unproven', 'The gateway could not prove that it has the key it showed.');
    const pairing = { key: met.key, displayName: gatewayName, token };
    keep(pairing);
    talk.say({ type: 'kept' });
    return pairing;
  });
}

const stateOf = ({ version, policyHash }: NodeState): NodeState => ({ version, policyHash });

async function ending<T>(talk: Talk, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    talk.close('The two machines did not come together.');
    throw error;
  }
}

/** The frame, unless it is a no. */
function accepted<T extends { readonly type: string }>(
  frame: T | { readonly type: 'refused'; readonly code: RejectionCode; readonly message: string },
): T {
  if (frame.type !== 'refused') return frame as T;
  const { code, message } = frame as { readonly code: RejectionCode; readonly message: string };
  throw new Rejection(code, displayPlain(message).replaceAll(/\s+/gu, ' '));
}

function rejectionOf(error: unknown): Rejection {
  if (error instanceof Rejection) return error;
  const refusal = refusalOf(error);
  return refusal === undefined
    ? new Rejection('busy', 'The gateway could not look into its list of machines.', {
        cause: error,
      })
    : new Rejection('bad-frame', refusal.message, { cause: error });
}
