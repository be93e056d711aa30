import { X509Certificate, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { compile, readJson, refuse, s, sha256 } from '../base/index.ts';
import type { RefusalError } from '../base/index.ts';
import { deviceName, deviceSchema, mayBeNamed, pairingSchema } from '../engine/index.ts';
import type { Config, Device, DeviceRights, Pairing, Passkey } from '../engine/index.ts';
import {
  keepStopNote,
  readPrivateFile,
  withFileLock,
  withPlainFile,
  writeFileAtomic,
} from '../home/index.ts';
import type { HomePaths } from '../home/index.ts';
import { readPasskeys } from './passkeys.ts';
import { hasPassphrase } from './presence.ts';

/** Where the devices of a home are: `keys/devices.json`. Only public halves of keys are in it. */
interface DeviceFile {
  readonly paths: Pick<HomePaths, 'devices'>;
  readonly uid: number;
}

export const mostDevices = 16;

const checkFile = compile(
  s.object({
    version: s.literal(1),
    devices: s.array(deviceSchema, { maxItems: mostDevices }),
  }),
);

/** The devices of a home, oldest first. Throws `config-invalid` where the file is doubtful. */
export function readDevices({ paths, uid }: DeviceFile): readonly Device[] {
  const file = readPrivateFile(paths.devices, { uid, maxBytes: 256 * 1024 });
  if (file.kind === 'missing') return [];
  const checked = file.kind === 'text' ? readJson(checkFile, file.text) : null;
  if (checked?.ok === true) return checked.value.devices;
  throw refuse(
    'config-invalid',
    `${paths.devices} cannot be read as a list of devices, so none of them counts.`,
    'Restore it from a backup with mode 600, or move it away and pair your devices anew.',
  );
}

/** The devices without their keys, each with whose it is where it is not the owner's. Throws as reading them does. */
export function listDevices({
  paths,
  uid,
}: {
  readonly paths: Pick<HomePaths, 'devices' | 'passkeys'>;
  readonly uid: number;
}) {
  const passkeys = readPasskeys({ path: paths.passkeys, uid });
  return readDevices({ paths, uid }).map(({ key: _key, passkey, ...shown }) => {
    const person = passkeys.find(({ id }) => id === passkey)?.person;
    return { ...shown, ...(person !== undefined && { person }) };
  });
}

/** Changes the list while nobody else does. What `change` throws leaves it as it is. */
export async function changeDevices(
  file: DeviceFile,
  change: (devices: readonly Device[]) => readonly Device[],
): Promise<void> {
  const path = file.paths.devices;
  await withFileLock(`${path}.lock`, () => {
    const devices = change(readDevices(file));
    writeFileAtomic(path, `${JSON.stringify({ version: 1, devices }, null, 2)}\n`);
  });
}

/**
 * Whether a passkey still has the device that it was made on; true of one that was made at the
 * machine. Throws where the list is doubtful.
 */
export function hasItsDevice(
  { id, rpId }: Pick<Passkey, 'id' | 'rpId'>,
  file: DeviceFile,
): boolean {
  return rpId === 'localhost' || readDevices(file).some(({ passkey }) => passkey === id);
}

interface RevokeOptions {
  readonly paths: Pick<HomePaths, 'devices' | 'lockout'>;
  readonly uid: number;
  readonly now: () => number;
  /** For the record. */
  readonly by: string;
}

/** Takes a device out, by its name or its id, and leaves a note for the record. Throws where there is none. */
export async function revokeDevice(file: RevokeOptions, which: string): Promise<Device> {
  let gone: Device | undefined;
  await changeDevices(file, (devices) => {
    gone = devices.find(({ name, id }) => name === which || id === which);
    return devices.filter((one) => one !== gone);
  });
  if (gone !== undefined) {
    const text = `The device "${gone.name}" was revoked.`;
    keepStopNote(
      file.paths,
      { at: file.now(), code: 'device-revoked', by: file.by, text },
      file.uid,
    );
    return gone;
  }
  throw refuse(
    'invalid-request',
    `There is no device "${which}".`,
    'Look at the list: interlock device list',
  );
}

/** Whether the device's key signed this text. Anything that is no key or no signature is a no. */
export function isSignedByDevice(key: string, text: string, signature: string): boolean {
  try {
    const point = Buffer.from(key, 'base64url');
    if (point.length !== 65 || point[0] !== 4) return false;
    const publicKey = createPublicKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: point.subarray(1, 33).toString('base64url'),
        y: point.subarray(33).toString('base64url'),
      },
    });
    const signed = Buffer.from(signature, 'base64url');
    return verify(
      'sha256',
      Buffer.from(text),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      signed,
    );
  } catch {
    return false;
  }
}

/** How long an invitation is good, in milliseconds. */
export const pairingTtlMs = 10 * 60_000;

interface PairingFile {
  readonly paths: Pick<HomePaths, 'pairing'>;
  readonly uid: number;
  readonly now: () => number;
}

const checkPairing = compile(pairingSchema);

/**
 * Invites one device, in the place of any that was invited before. Returns the code, in no file.
 *
 * @param given for a device of another person: the code, which the runner knows them by
 */
export function inviteDevice(
  { name, rights, person }: Pick<Pairing, 'name' | 'rights' | 'person'>,
  { paths, now, random }: Omit<PairingFile, 'uid'> & { readonly random: (n: number) => Uint8Array },
  given?: string,
): string {
  const code = given ?? Buffer.from(random(32)).toString('base64url');
  const madeAt = now();
  const pairing: Pairing = {
    version: 1,
    codeDigest: sha256(code),
    name,
    rights,
    ...(person !== undefined && { person }),
    madeAt,
    until: madeAt + pairingTtlMs,
  };
  writeFileAtomic(paths.pairing, `${JSON.stringify(pairing)}\n`);
  return code;
}

const isName = compile(deviceName);

/** Whom a person at the machine invites. */
interface Invited {
  readonly name: string;
  /** Absent: `answer`, and for another person `everything`. */
  readonly rights?: DeviceRights | undefined;
  /** Whose it is, and what has the owner agree and answers the runner's code; absent: the owner's. */
  readonly other?: { readonly person: string; readonly agree: () => Promise<string> } | undefined;
}

interface InviteOptions extends PairingFile {
  readonly paths: Pick<HomePaths, 'pairing' | 'devices' | 'passphrase'>;
  readonly ui: Pick<Config['ui'], 'phoneHost' | 'phonePort' | 'phoneCertificate'>;
  readonly env: Environment;
  readonly random: (bytes: number) => Uint8Array;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A path of `config.json`, of which `~/` is the folder of whoever runs this. */
export function inOwnFolder(path: string, env: Environment): string {
  return path.startsWith('~/') ? join(env['HOME'] ?? homedir(), path.slice(2)) : path;
}

/** Longer than any chain. */
const mostCertificateBytes = 64 * 1024;

/** What stands in a file of certificates, PEM; null where it cannot be read. */
export function readCertificateText(path: string): string | null {
  return withPlainFile(path, (fd, { size }) =>
    size > mostCertificateBytes ? null : readFileSync(fd, 'utf8'),
  );
}

/**
 * The name of the authority behind a chain of certificates (PEM), where browsers do not bring it with
 * them, so that a phone has to be told of it; null where they do, or nothing can be read.
 */
export function ownAuthority(chain: string): string | null {
  const [last] =
    chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu)?.slice(-1) ?? [];
  if (last === undefined) return null;
  try {
    const { issuer } = new X509Certificate(last);
    if (rootCertificates.some((root) => new X509Certificate(root).subject === issuer)) return null;
    const named = (field: string): string | undefined =>
      new RegExp(`^${field}=(.+)$`, 'mu').exec(issuer)?.[1];
    return named('CN') ?? named('O') ?? issuer.replaceAll('\n', ', ');
  } catch {
    return null;
  }
}

/**
 * Invites one device to the page for devices. Returns the address with the code in it, which is in no
 * file, until when it is good, and of which authority the phone has to be told first, if of any. Throws where the name cannot be, or no phone could come.
 */
export async function inviteToPage(
  { name, other, rights = other === undefined ? 'answer' : 'everything' }: Invited,
  { paths, uid, now, ui, env, random }: InviteOptions,
): Promise<{
  readonly address: string;
  readonly until: number;
  readonly authority: string | null;
}> {
  if (!isName(name).ok)
    throw refuse(
      'invalid-request',
      'This is not a name for a device.',
      'Choose 1 to 60 visible characters.',
    );
  if (other !== undefined && !(isName(other.person).ok && mayBeNamed(other.person)))
    throw refuse(
      'invalid-request',
      'This is not a name of another person.',
      'Choose 1 to 60 visible characters that are not "owner"; leave it out where it is yours.',
    );
  if (ui.phoneHost === null)
    throw refuse(
      'config-invalid',
      'No name is set under which a phone would reach this machine.',
      'Set "ui.phoneHost" in config.json; docs/phone.md says how.',
    );
  if (!hasPassphrase({ path: paths.passphrase, uid }))
    throw refuse(
      'invalid-request',
      'A phone is paired with your passphrase, and none is set.',
      'Run "interlock passphrase" first.',
    );
  requireRoom(readDevices({ paths, uid }), name);
  const whose = other === undefined ? {} : { person: other.person };
  const given = await other?.agree();
  const code = inviteDevice({ name, rights, ...whose }, { paths, now, random }, given);
  const port = ui.phonePort === 443 ? '' : `:${String(ui.phonePort)}`;
  const chain =
    ui.phoneCertificate === null
      ? null
      : readCertificateText(inOwnFolder(ui.phoneCertificate, env));
  return {
    address: `https://${ui.phoneHost}${port}/#pair=${code}`,
    until: now() + pairingTtlMs,
    authority: chain === null ? null : ownAuthority(chain),
  };
}

/** What this code invites to. Throws where it is none, used, too old, or from after now. */
export function readPairing(code: string, { paths, uid, now }: PairingFile): Pairing {
  const file = readPrivateFile(paths.pairing, { uid, maxBytes: 16 * 1024 });
  const checked = file.kind === 'text' ? readJson(checkPairing, file.text) : null;
  if (checked?.ok !== true) throw noInvitation();
  const pairing = checked.value;
  const [one, other] = [Buffer.from(sha256(code)), Buffer.from(pairing.codeDigest)];
  const isFresh = pairing.madeAt <= now() && now() <= pairing.until;
  if (!timingSafeEqual(one, other) || !isFresh) throw noInvitation();
  return pairing;
}

/**
 * Takes the device in that its code invited: the code is spent first, so that it brings in one.
 * Throws where it is not good any more, or there is no room.
 */
export async function takeDevice(
  code: string,
  device: Pick<Device, 'id' | 'key' | 'passkey'>,
  file: PairingFile & DeviceFile,
): Promise<Device> {
  let taken: Device | undefined;
  await changeDevices(file, (devices) => {
    const { name, rights } = readPairing(code, file);
    requireRoom(devices, name);
    rmSync(file.paths.pairing);
    taken = { ...device, name, rights, madeAt: file.now(), lastSeenAt: file.now() };
    return [...devices, taken];
  });
  if (taken === undefined) throw noInvitation();
  return taken;
}

/** Throws where no further device of this name can be taken in. */
export function requireRoom(devices: readonly Device[], name: string): void {
  if (devices.some((one) => one.name === name))
    throw refuse(
      'invalid-request',
      `There is a device "${name}" already.`,
      'Choose another name, or revoke the old one first: interlock device revoke NAME',
    );
  if (devices.length >= mostDevices)
    throw refuse(
      'invalid-request',
      'There are too many devices.',
      'Revoke one that is not used: interlock device revoke NAME',
    );
}

function noInvitation(): RefusalError {
  return refuse(
    'hmac-fail',
    'This code was used already, is too old, or never was one.',
    'Make a new one on the machine: interlock device pair NAME',
  );
}
