import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Check, Static } from '../../shared/base/index.ts';
import { maxFleetText, readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';

/** What is kept of a fleet: by its gateway, and by each node. Both files are secret. */

/** Beyond this machine only over TLS: who is who and when anybody speaks is nobody else's business. */
const server = s.string({
  pattern:
    '^(?:tls://(?:\\[[0-9A-Fa-f:.]{2,45}\\]|[A-Za-z0-9][A-Za-z0-9.-]{0,252})|nats://(?:127\\.0\\.0\\.1|localhost|\\[::1\\])):[0-9]{1,5}$',
  maxLength: 280,
});
const seed = s.string({ pattern: '^S[A-Z2-7]{57}$' });
const jwtPattern = '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$';
const jwt = s.string({ pattern: jwtPattern, maxLength: 4_096 });
export const userKey = s.string({ pattern: '^U[A-Z2-7]{55}$' });
const accountKey = s.string({ pattern: '^A[A-Z2-7]{55}$' });
const user = { user: userKey, seed, jwt };
const place = {
  servers: s.array(server, { minItems: 1, maxItems: 8 }),
  /** Whose certificates count for nats-server, PEM; null: those that the system trusts. */
  ca: s.nullable(s.string({ maxLength: 65_536 })),
};

/** How one machine reaches nats-server, and who it is there. */
const accessFields = { ...place, ...user };
export const access = s.object(accessFields);
export type FleetAccess = Static<typeof access>;
const checkAccess = compile(s.object({ version: s.literal(1), ...accessFields }));

const fleetName = s.string({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$' });
export const fleet = s.object({
  version: s.literal(1),
  name: fleetName,
  ...place,
  operatorSeed: seed,
  operatorJwt: jwt,
  system: accountKey,
  systemJwt: jwt,
  account: accountKey,
  accountSeed: seed,
  /** With all users that are revoked. */
  accountJwt: s.string({ pattern: jwtPattern, maxLength: 128 * 1024 }),
  gateway: s.object(user),
  /** Of the system account: it may bring nats-server a newer account, and nothing else. */
  registrar: s.object(user),
});
export type Fleet = Static<typeof fleet>;
export const checkFleet = compile(fleet);
const maxBytes = 256 * 1024;

/** Reads the gateway's file; null where this is the gateway of no fleet. Throws `config-invalid`. */
export function readFleet(path: string, uid: number): Fleet | null {
  return readSecret(path, uid, checkFleet);
}

/** Keeps the gateway's file. */
export function writeFleet(path: string, kept: Fleet): void {
  writeFileAtomic(path, `${JSON.stringify(kept, null, 2)}\n`);
}

/** How the gateway itself reaches nats-server. */
export function accessOf({ servers, ca, gateway }: Fleet): FleetAccess {
  return { servers, ca, ...gateway };
}

/** Reads a file that lets one machine reach nats-server. Throws `config-invalid` for one that others can read, or that holds something else. */
export function readAccess(path: string, uid: number): FleetAccess {
  const found = readSecret(path, uid, checkAccess);
  if (found === null)
    throw refuse(
      'config-invalid',
      `There is no file ${path}.`,
      'Make it at the gateway: interlock fleet add NAME',
    );
  const { version: _, ...rest } = found;
  return rest;
}

/** What a further gateway is told of the fleet that it joins. */
export const joinedFields = {
  name: fleetName,
  ...place,
  jwt,
  /** The key (raw, base64url) of the fleet: of the gateway that made it. */
  keeper: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
};
const keptGateway = s.object({
  version: s.literal(1),
  user: userKey,
  seed,
  /** Null: it has asked, and was not admitted yet. */
  joined: s.nullable(s.object(joinedFields)),
});
type KeptGateway = Static<typeof keptGateway>;
const checkGateway = compile(keptGateway);

/** Reads what makes this machine a further gateway; null where it never asked. Throws `config-invalid`. */
export function readKeptGateway(path: string, uid: number): KeptGateway | null {
  return readSecret(path, uid, checkGateway);
}

/** Keeps it. */
export function writeKeptGateway(path: string, kept: KeptGateway): void {
  writeFileAtomic(path, `${JSON.stringify(kept, null, 2)}\n`);
}

/** A signed document is its text, escaped, and a little more. */
const kept = s.nullable(s.string({ maxLength: 8 * maxFleetText }));
const told = s.object({
  version: s.literal(1),
  gateways: s.optional(kept),
  policy: kept,
  lockout: kept,
});
/** The newest documents of its fleet that a gateway has told or seen, as they were signed. */
export type ToldFleet = Static<typeof told>;
const checkTold = compile(told);

/** Reads what the gateway told last. Throws `config-invalid`: what cannot be read may be newer than all else. */
export function readTold(path: string, uid: number): ToldFleet {
  return (
    readSecret(path, uid, checkTold, 32 * maxFleetText) ?? {
      version: 1,
      policy: null,
      lockout: null,
    }
  );
}

/** Keeps it, on the disk when this returns. */
export function writeTold(path: string, last: ToldFleet): void {
  writeFileAtomic(path, `${JSON.stringify(last)}\n`);
}

/** Reads a file that is for its owner alone; null where there is none. Throws `config-invalid`. */
function readSecret<T>(path: string, uid: number, check: Check<T>, most = maxBytes): T | null {
  const file = readPrivateFile(path, { uid, maxBytes: most });
  if (file.kind === 'missing') return null;
  const checked = file.kind === 'unsafe' ? null : readJson(check, file.text);
  if (checked?.ok === true) return checked.value;
  const why = file.kind === 'unsafe' ? file.why : 'does not hold what it should';
  throw refuse(
    'config-invalid',
    `${path} ${why}.`,
    'Put it back from a backup, readable by you alone.',
  );
}
