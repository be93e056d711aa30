import { randomBytes } from 'node:crypto';
import { createTokenBucket, refusalOf, refuse } from '../../shared/base/index.ts';
import type { Clock, TokenBucket } from '../../shared/base/index.ts';
import { challengeFor, challengeOfDevice, isSamePerson } from '../../shared/engine/index.ts';
import type { Assertion, Attestation, Device } from '../../shared/engine/index.ts';
import { keepStopNote, watchFile } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import type { RunnerClient } from '../../shared/ipc/index.ts';
import {
  changeDevices,
  createNonces,
  inviteToPage,
  isSignedByDevice,
  listDevices,
  mostDevices,
  provePasskey,
  readDevices,
  readPairing,
  readPasskeys,
  requireRoom,
  revokeDevice,
  takeDevice,
} from '../../shared/operations/index.ts';
import type { DeviceSession } from '../bridge/device-rights.ts';
import { watchPasskeys } from './passkey-handlers.ts';
import type { PasskeyWatch } from './passkey-handlers.ts';
import type { AppState, BridgeCalls, KnownDevice } from '../bridge/types.ts';

interface DeviceOptions {
  readonly paths: Home;
  readonly clock: Clock;
}

/** A page that connects takes one, or two where it is opened by its passkey. */
export const deviceRate = { burst: 10, perSecond: 1 };
/** Passphrases that may be typed for one code: who has read it off the screen guesses no more often. */
export const mostTries = 8;
/** Every device there can be, and a few codes. */
const mostRates = 2 * mostDevices;

interface PairShown {
  readonly code: string;
  readonly nonce: string;
  readonly key: string;
  readonly signature: string;
  readonly passkeyNonce: string;
  readonly attestation: Attestation;
  readonly passphrase?: string | undefined;
}

interface OpenShown {
  readonly device: string;
  readonly nonce: string;
  readonly signature: string;
  readonly assertion?: Assertion | undefined;
}

/** How devices are paired and connected. Whoever has proved nothing costs it a look, and uses up nothing. */
export interface DeviceDoor {
  /** For one of what follows, once. */
  nonce(): string;
  /**
   * What a code invites to, whom, where it is not the owner, and a nonce of the runner for the passkey
   * that is made then.
   */
  invitation(code: string): Promise<{
    readonly name: string;
    readonly person?: string;
    readonly passkeyNonce: string;
  }>;
  /** Takes a device in. Throws unless its code, its nonce, its key, its passkey and the passphrase are good. */
  pair(shown: PairShown, origin: string): Promise<Device>;
  /** Throws unless the device's key signed this nonce, and its own passkey where one is shown. */
  open(shown: OpenShown, origin: string): Promise<DeviceSession>;
  /** Whether it is still among the devices, as it was, and so is the passkey that opened it. */
  isKnown(who: DeviceSession): boolean;
  /** Calls back when that may have changed; answers how to stop. */
  watch(onChange: () => void): () => void;
}

export function createDeviceDoor({
  paths,
  clock,
  runner,
}: DeviceOptions & {
  readonly runner: Pick<RunnerClient, 'passkeyNonce' | 'addPasskey'>;
}): DeviceDoor {
  const { uid } = paths;
  const now = (): number => clock.now();
  const file = { paths, uid, now };
  const nonces = createNonces({ elapsed: () => clock.elapsed(), random: randomBytes });
  const rates = createRates(clock);
  return {
    nonce: () => nonces.issue(),
    invitation: async (code) => {
      const { name, person, codeDigest } = readPairing(code, file);
      rates.require(codeDigest);
      requireRoom(readDevices(file), name);
      // Of somebody else's the runner knows by the code that the owner has agreed.
      return person === undefined
        ? { name, passkeyNonce: await runner.passkeyNonce() }
        : { name, person, passkeyNonce: code };
    },
    pair: async (shown, origin) => {
      const { code, nonce, key, signature, attestation } = shown;
      const { name, person, codeDigest } = readPairing(code, file);
      requireRoom(readDevices(file), name);
      rates.requireTry(codeDigest);
      await nonces.once(nonce, async () => {
        if (!isSignedByDevice(key, challengeOfDevice(['pair', code], { nonce, origin }), signature))
          throw notTheDevice();
        // The runner checks who agreed, and whether the passkey was made at the one page for devices.
        await runner.addPasskey({ name, attestation, ...proofOf(shown, person) });
      });
      const id = randomBytes(16).toString('base64url');
      const device = await takeDevice(code, { id, key, passkey: attestation.id }, file);
      const whose = person === undefined ? '' : ` of ${person}`;
      const text = `The device "${name}"${whose} was paired, with the rights "${device.rights}".`;
      keepStopNote(
        paths,
        { at: now(), code: 'device-paired', by: 'person at the device', text },
        uid,
      );
      return device;
    },
    open: async ({ device: id, nonce, signature, assertion }, origin) => {
      const device = readDevices(file).find((one) => one.id === id);
      const challenge = challengeOfDevice(['open', id], { nonce, origin });
      if (device === undefined || !isSignedByDevice(device.key, challenge, signature))
        throw notTheDevice();
      rates.require(id);
      const person = await nonces.once(nonce, async () => {
        if (assertion === undefined) return undefined;
        if (assertion.id !== device.passkey) throw notTheDevice();
        const passkey = await provePasskey(assertion, {
          file: { path: paths.passkeys, uid },
          challenge: challengeFor(['open', nonce]),
          origin,
          now,
          // Whose it is says what they see then.
          counts: () => true,
        });
        return passkey.person;
      });
      await changeDevices(file, (devices) => {
        if (!devices.some((one) => isSame(one, device))) throw notTheDevice();
        return devices.map((one) => (one.id === id ? { ...one, lastSeenAt: now() } : one));
      });
      if (assertion === undefined) return { device, opened: 'locked' };
      return { device: { ...device, ...(person !== undefined && { person }) }, opened: 'passkey' };
    },
    isKnown: (who) => isStillKnown(who, paths),
    watch: (look) => {
      const stops = [paths.devices, paths.passkeys].map((path) => watchFile(path, { look, clock }));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function isStillKnown({ device, opened }: DeviceSession, paths: Home): boolean {
  const { uid } = paths;
  try {
    if (!readDevices({ paths, uid }).some((one) => isSame(one, device))) return false;
    if (opened === 'locked') return true;
    const keys = readPasskeys({ path: paths.passkeys, uid });
    const key = keys.find(({ id }) => id === device.passkey);
    return key !== undefined && isSamePerson(key.person ?? null, device.person ?? null);
  } catch {
    return false;
  }
}

/**
 * How often each device and each invitation may come. Theirs alone: who has not shown the one's key
 * or the other's code takes nothing of it.
 */
function createRates(clock: Clock) {
  const buckets = new Map<string, TokenBucket>();
  let tried = { code: '', times: 0 };
  return {
    /** Counts before anything is tried, so that nothing is won by trying many times at once. */
    requireTry: (code: string): void => {
      tried = { code, times: tried.code === code ? tried.times + 1 : 1 };
      if (tried.times > mostTries) throw tooOften();
    },
    require: (which: string): void => {
      const mayTry = buckets.get(which) ?? createTokenBucket(clock, deviceRate);
      buckets.delete(which);
      buckets.set(which, mayTry);
      for (const oldest of [...buckets.keys()].slice(0, -mostRates)) buckets.delete(oldest);
      if (!mayTry()) throw tooFast();
    },
  };
}

/** What the runner takes a passkey in by: the owner's passphrase, or that they have invited its person. */
function proofOf({ code, passkeyNonce, passphrase }: PairShown, person: string | undefined) {
  if (person !== undefined) return { nonce: code, person, proof: { invited: true as const } };
  if (passphrase === undefined) throw noPassphrase();
  return { nonce: passkeyNonce, proof: { passphrase } };
}

function isSame(one: DeviceSession['device'], other: DeviceSession['device']): boolean {
  return one.id === other.id && one.rights === other.rights && one.passkey === other.passkey;
}

function noPassphrase(): Error {
  return refuse(
    'invalid-request',
    'This device is paired with the passphrase of the machine.',
    'Type it; one that has none yet is set there: interlock passphrase',
  );
}

function tooOften(): Error {
  return refuse(
    'rate-limit',
    'This code was tried too often, so it is good no more.',
    'Make a new one on the machine: interlock device pair NAME',
  );
}

function tooFast(): Error {
  return refuse('rate-limit', 'This was tried too often.', 'Wait a few seconds.');
}

function notTheDevice(): Error {
  return refuse(
    'hmac-fail',
    'This device is not paired with this machine, or not any more.',
    'Pair it anew: interlock device pair NAME',
  );
}

/** The devices that there are, for pages on the machine itself, whoever changes the file. */
export interface DeviceWatch {
  /** None where the file is doubtful: then none counts either. */
  state(): Required<Pick<AppState, 'devices'>>;
  /** Makes a code that brings one in, as a person at the machine asks for it. */
  invite(
    request: BridgeCalls['inviteDevice']['args'],
    runner: Pick<RunnerClient, 'invitePasskey'>,
  ): Promise<BridgeCalls['inviteDevice']['result']>;
  /** Takes one out, and says so in the record. Throws where there is none. */
  revoke(id: string): Promise<void>;
  dispose(): void;
}

function watchDevices({ paths, clock }: DeviceOptions, onChange: () => void): DeviceWatch {
  const file = { paths, uid: paths.uid };
  const read = (): readonly KnownDevice[] => {
    try {
      return listDevices(file).map(({ push: _push, ...shown }) => shown);
    } catch (error) {
      if (refusalOf(error) === undefined) throw error;
      return [];
    }
  };
  let known = read();
  const look = (): void => {
    const next = read();
    if (JSON.stringify(next) === JSON.stringify(known)) return;
    known = next;
    onChange();
  };
  const stops = [paths.devices, paths.passkeys].map((path) => watchFile(path, { look, clock }));
  return {
    state: () => ({ devices: known }),
    invite: async ({ name, rights, agreed }, runner) => {
      const { ui } = paths.configOrSafe();
      const other = agreed && {
        person: agreed.person,
        agree: () => runner.invitePasskey({ name, ...agreed }),
      };
      const how = { ...file, now: () => clock.now(), ui, env: process.env, random: randomBytes };
      return inviteToPage({ name, rights, other }, how);
    },
    revoke: async (id) => {
      await revokeDevice({ ...file, now: () => clock.now(), by: 'person at the app' }, id);
      look();
    },
    dispose: () => {
      for (const stop of stops) stop();
    },
  };
}

/** The passkeys and the devices that there are. */
export function watchKeys(
  options: DeviceOptions & { readonly uid: number },
  onChange: () => void,
): Omit<DeviceWatch, 'state'> & {
  state(): ReturnType<DeviceWatch['state']> & ReturnType<PasskeyWatch['state']>;
} {
  const passkeys = watchPasskeys(options, onChange);
  const devices = watchDevices(options, onChange);
  return {
    ...devices,
    state: () => ({ ...passkeys.state(), ...devices.state() }),
    dispose: () => {
      passkeys.dispose();
      devices.dispose();
    },
  };
}
