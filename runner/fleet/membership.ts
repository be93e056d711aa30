import { createHash } from 'node:crypto';
import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Check } from '../../shared/base/index.ts';
import { deviceId, isSignedBy } from '../nodes/device.ts';
import type { Device } from '../nodes/device.ts';
import { lettersOf } from '../nodes/pairing.ts';
import { fieldsText } from './documents.ts';
import { joinedFields, readKeptGateway, userKey, writeKeptGateway } from './files.ts';
import type { Fleet } from './files.ts';
import { newGatewayUser, newUserKey } from './keys.ts';
import { gatewayFields } from './roster.ts';
import type { FleetGateway } from './roster.ts';

/**
 * How a machine becomes a further gateway of a fleet: it asks (`request`), the gateway that made the
 * fleet admits it (`admission`), and it joins. Both are texts without a secret, since its keys are made
 * on itself and stay there. Each has a code over all of it, which a person compares.
 */

const signature = s.string({ pattern: '^[A-Za-z0-9_-]{86}$' });
const request = s.object({
  interlock: s.literal('fleet-gateway-request'),
  version: s.literal(1),
  ...gatewayFields,
  signature,
});
const admission = s.object({
  interlock: s.literal('fleet-gateway-admission'),
  version: s.literal(1),
  /** For whom. */
  user: userKey,
  ...joinedFields,
  signature,
});
const checkRequest = compile(request);
const checkAdmission = compile(admission);

/** A text that goes from one machine to the other, and the code by which a person knows it again. */
export interface Passed {
  readonly text: string;
  readonly code: string;
}

/** Makes a user for this machine, once, and asks to be let in with it. */
export function askIn(
  path: string,
  {
    uid,
    device,
    displayName,
    certificate,
  }: {
    readonly uid: number;
    readonly device: Device;
    readonly displayName: string;
    /** SHA-256 of the certificate of this machine, hex. */
    readonly certificate: string;
  },
): Passed {
  const known = readKeptGateway(path, uid);
  if (known !== null && known.joined !== null)
    throw refuse(
      'invalid-request',
      `This machine is a gateway of the fleet "${known.joined.name}" already.`,
      `What makes it one is ${path}; moved away, it is none any more after a start of the runner.`,
    );
  const { user, seed: ownSeed } = known ?? newUserKey();
  writeKeptGateway(path, { version: 1, user, seed: ownSeed, joined: null });
  const said = { displayName, key: device.publicKey, certificate, user };
  return passed(checkRequest, {
    interlock: 'fleet-gateway-request',
    version: 1,
    ...said,
    signature: device.sign(textOf('request', said)),
  });
}

/** What a machine says that wants to be a gateway. Throws `invalid-request`. */
export function readRequest(text: string): {
  readonly gateway: Omit<FleetGateway, 'addedAt'>;
  readonly code: string;
} {
  const checked = readJson(checkRequest, text);
  if (!checked.ok) throw unfit('a request of "interlock fleet gateway request"', checked.error);
  const { displayName, key, certificate, user, signature: sealed } = checked.value;
  const gateway = { displayName, key, certificate, user };
  if (!isSignedBy(key, textOf('request', gateway), sealed))
    throw unfit('a request of "interlock fleet gateway request"', 'its signature is wrong');
  return { gateway, code: codeOf(text) };
}

/** Lets a machine reach nats-server as a gateway of the fleet. Whose word counts the roster says. */
export function admit(
  fleet: Fleet,
  {
    device,
    gateway: { user, displayName, key },
    now,
  }: {
    readonly device: Device;
    readonly gateway: Pick<FleetGateway, 'user' | 'displayName' | 'key'>;
    readonly now: number;
  },
): Passed {
  const ownJwt = newGatewayUser(fleet, { name: displayName, user, id: deviceId(key), now });
  const { servers, ca } = fleet;
  const said = { user, name: fleet.name, servers, ca, jwt: ownJwt, keeper: device.publicKey };
  return passed(checkAdmission, {
    interlock: 'fleet-gateway-admission',
    version: 1,
    ...said,
    signature: device.sign(textOf('admission', said)),
  });
}

/** What lets this machine in. Throws `invalid-request`: it is for another, or was changed. */
export function readAdmission(
  text: string,
  path: string,
  uid: number,
): { readonly code: string; readonly name: string; readonly join: () => void } {
  const checked = readJson(checkAdmission, text);
  const what = 'an answer of "interlock fleet gateway add"';
  if (!checked.ok) throw unfit(what, checked.error);
  const { interlock: _, version: __, signature: sealed, user, ...joined } = checked.value;
  if (!isSignedBy(joined.keeper, textOf('admission', { user, ...joined }), sealed))
    throw unfit(what, 'its signature is wrong');
  const own = readKeptGateway(path, uid);
  if (own?.user !== user)
    throw refuse(
      'invalid-request',
      'This answer is for another machine, or for an earlier request of this one.',
      'Ask anew: interlock fleet gateway request',
    );
  const join = (): void => writeKeptGateway(path, { version: 1, user, seed: own.seed, joined });
  return { code: codeOf(text), name: joined.name, join };
}

function passed<T>(check: Check<T>, said: T): Passed {
  if (!check(said).ok) throw new Error('what is said here can be read there');
  const text = `${JSON.stringify(said)}\n`;
  return { text, code: codeOf(text) };
}

function textOf(purpose: 'request' | 'admission', said: object): string {
  return fieldsText(`interlock fleet gateway ${purpose} 1`, said);
}

/** Sixteen letters of eighty bits: nobody finds another text with the same. */
function codeOf(text: string): string {
  const digest = createHash('sha256')
    .update(`interlock fleet gateway code\n${text.trim()}`)
    .digest();
  const [one, other] = [digest.subarray(0, 5), digest.subarray(5, 10)].map(lettersOf);
  return [one, other].flatMap((each = '') => each.match(/.{4}/gu) ?? []).join('-');
}

function unfit(what: string, why: string): Error {
  return refuse(
    'invalid-request',
    `This is not ${what}: ${why.replace(/\.$/u, '')}.`,
    'Make it anew on the other machine, and bring it here unchanged.',
  );
}
