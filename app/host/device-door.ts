import { randomBytes } from 'node:crypto';
import { refusalOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { challengeFor, challengeOfDevice } from '../../shared/engine/index.ts';
import type { Assertion, Attestation, Device } from '../../shared/engine/index.ts';
import { keepStopNote, watchFile } from '../../shared/home/index.ts';
import type { Home } from '../../shared/home/index.ts';
import type { RunnerClient } from '../../shared/ipc/index.ts';
import {
  changeDevices,
  isSignedByDevice,
  provePasskey,
  readDevices,
  readPairing,
  requireRoom,
  revokeDevice,
  takeDevice,
} from '../../shared/operations/index.ts';
import type { DeviceSession } from '../bridge/device-rights.ts';
import { watchPasskeys } from './passkey-handlers.ts';
import type { PasskeyWatch } from './passkey-handlers.ts';
import type { AppState, KnownDevice } from '../bridge/types.ts';

interface DeviceOptions {
  readonly paths: Home;
  readonly clock: Clock;
}

interface PairShown {
  readonly code: string;
  readonly nonce: string;
  readonly key: string;
  readonly signature: string;
  readonly passkeyNonce: string;
  readonly attestation: Attestation;
  readonly passphrase: string;
}

interface OpenShown {
  readonly device: string;
  readonly nonce: string;
  readonly signature: string;
  readonly assertion?: Assertion | undefined;
}

/** How devices are paired and connected. Whoever calls has found the nonces of it good. */
export interface DeviceDoor {
  /** What a code invites to, and a nonce of the runner for the passkey that is made then. */
  invitation(code: string): Promise<{ readonly name: string; readonly passkeyNonce: string }>;
  /** Takes a device in. Throws unless its code, its key, its passkey and the passphrase are good. */
  pair(shown: PairShown, origin: string): Promise<Device>;
  /** Throws unless the device's key signed this, and its own passkey where one is shown. */
  open(shown: OpenShown, origin: string): Promise<DeviceSession>;
  /** Whether it is still among the devices, as it was. */
  isKnown(device: DeviceSession['device']): boolean;
  /** Calls back when the list may have changed; answers how to stop. */
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
  return {
    invitation: async (code) => {
      const { name } = readPairing(code, file);
      requireRoom(readDevices(file), name);
      return { name, passkeyNonce: await runner.passkeyNonce() };
    },
    pair: async (shown, origin) => {
      const { code, nonce, key, signature, passkeyNonce, attestation, passphrase } = shown;
      const { name } = readPairing(code, file);
      requireRoom(readDevices(file), name);
      if (!isSignedByDevice(key, challengeOfDevice(['pair', code], { nonce, origin }), signature))
        throw notTheDevice();
      // The runner checks the passphrase, and whether the passkey was made at the one page for devices.
      const proof = { passphrase };
      await runner.addPasskey({ nonce: passkeyNonce, name, attestation, proof });
      const id = randomBytes(16).toString('base64url');
      const device = await takeDevice(code, { id, key, passkey: attestation.id }, file);
      const text = `The device "${name}" was paired, with the rights "${device.rights}".`;
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
      if (assertion !== undefined) {
        if (assertion.id !== device.passkey) throw notTheDevice();
        await provePasskey(assertion, {
          file: { path: paths.passkeys, uid },
          challenge: challengeFor(['open', nonce]),
          origin,
          now,
        });
      }
      await changeDevices(file, (devices) => {
        if (!devices.some((one) => isSame(one, device))) throw notTheDevice();
        return devices.map((one) => (one.id === id ? { ...one, lastSeenAt: now() } : one));
      });
      return { device, opened: assertion === undefined ? 'locked' : 'passkey' };
    },
    isKnown: (device) => {
      try {
        return readDevices(file).some((one) => isSame(one, device));
      } catch {
        return false;
      }
    },
    watch: (look) => watchFile(paths.devices, { look, clock }),
  };
}

function isSame(one: DeviceSession['device'], other: DeviceSession['device']): boolean {
  return one.id === other.id && one.rights === other.rights && one.passkey === other.passkey;
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
  /** Takes one out, and says so in the record. Throws where there is none. */
  revoke(id: string): Promise<void>;
  dispose(): void;
}

function watchDevices({ paths, clock }: DeviceOptions, onChange: () => void): DeviceWatch {
  const file = { paths, uid: paths.uid };
  const read = (): readonly KnownDevice[] => {
    try {
      return readDevices(file).map(
        ({ key: _key, passkey: _passkey, push: _push, ...shown }) => shown,
      );
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
  const stop = watchFile(paths.devices, { look, clock });
  return {
    state: () => ({ devices: known }),
    revoke: async (id) => {
      await revokeDevice({ ...file, now: () => clock.now(), by: 'person at the app' }, id);
      look();
    },
    dispose: stop,
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
