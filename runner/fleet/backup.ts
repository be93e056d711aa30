import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { writeFileAtomic } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { deviceFrom } from '../nodes/device.ts';
import { lettersOf } from '../nodes/pairing.ts';
import type { FleetControl } from './control.ts';
import { fleet, readFleet, readKeptGateway, writeFleet } from './files.ts';
import type { Fleet } from './files.ts';
import { withRevoked } from './keys.ts';
import { tellServer } from './revoke.ts';
import { withoutGateway } from './roster.ts';

/**
 * What the gateway has that made the fleet and no other: sealed with a code (age, by its passphrase), so
 * that the file may lie anywhere and the code on paper. Machines and gateways that come later do not
 * change it.
 */

const pem = s.string({ minLength: 1, maxLength: 16_384 });
const backup = s.object({
  interlock: s.literal('fleet-backup'),
  version: s.literal(1),
  fleet,
  /** `keys/nodes-gateway.pem`: the fleet's own key. */
  device: pem,
  /** `keys/nodes-certificate.pem`. */
  certificate: pem,
});
export type FleetBackup = Static<typeof backup>;
const checkBackup = compile(backup);

/** Twenty bytes, as 32 letters that none mistakes for another: nobody tries them all. */
const codeBytes = 20;
const longestText = 512 * 1024;

/** Seals a backup. The code is kept nowhere. */
export async function sealBackup(
  kept: Omit<FleetBackup, 'interlock' | 'version'>,
): Promise<{ readonly text: string; readonly code: string }> {
  const { armor, Encrypter } = await import('age-encryption');
  const bytes = randomBytes(codeBytes);
  const letters = [0, 5, 10, 15].map((at) => lettersOf(bytes.subarray(at, at + 5))).join('');
  const encrypter = new Encrypter();
  // That slows whoever guesses a passphrase down; nobody guesses this one.
  encrypter.setScryptWorkFactor(10);
  encrypter.setPassphrase(letters);
  const said: FleetBackup = { interlock: 'fleet-backup', version: 1, ...kept };
  const sealed = await encrypter.encrypt(JSON.stringify(said));
  return {
    text: `${armor.encode(sealed).trim()}\n`,
    code: (letters.match(/.{4}/gu) ?? []).join('-'),
  };
}

/** What a file of `sealBackup` holds. Rejects with `invalid-request` for another code, or another file. */
export async function openBackup(text: string, code: string): Promise<FleetBackup> {
  const { armor, Decrypter } = await import('age-encryption');
  const read = async (): Promise<string> => {
    if (text.length > longestText) return '';
    const decrypter = new Decrypter();
    decrypter.addPassphrase(typedCode(code));
    return decrypter.decrypt(armor.decode(text), 'text');
  };
  // What the library says may hold parts of the file; the sentence says all that helps.
  const opened = readJson(checkBackup, await read().catch(() => ''));
  if (opened.ok && deviceFrom(opened.value.device) !== null) return opened.value;
  throw refuse(
    'invalid-request',
    'The code does not open this file, or it is not a backup of a fleet.',
    'Say a file of "interlock fleet backup", and the 32 letters that it showed.',
  );
}

/** The code as it was shown, however it is typed. */
function typedCode(typed: string): string {
  return typed
    .toUpperCase()
    .replaceAll(/[\s-]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/gu, '1');
}

export type RestorePaths = Pick<
  HomePaths,
  'fleet' | 'fleetGateway' | 'gatewayRuns' | 'nodesCertificate' | 'nodesDevice'
>;

export interface Restored {
  readonly fleet: Fleet;
  /** Who this machine was at nats-server, as a further gateway; null: it was none. */
  readonly formerUser: string | null;
}

/**
 * Makes this home that of the gateway which made the fleet. Begun and cut off, it is begun anew. Throws
 * `invalid-request`, and changes nothing, for the home of another fleet.
 */
export function restoreBackup(
  paths: RestorePaths,
  kept: FleetBackup,
  { uid, now }: { readonly uid: number; readonly now: number },
): Restored {
  const own = readFleet(paths.fleet, uid);
  const former = readKeptGateway(paths.fleetGateway, uid);
  if (own !== null && own.account !== kept.fleet.account) throw ofAnother(own.name);
  const joined = former?.joined ?? null;
  const keeper = deviceFrom(kept.device)?.publicKey;
  if (joined !== null && joined.keeper !== keeper) throw ofAnother(joined.name);
  const formerUser = former?.user ?? null;
  // What was given out under another key says nothing of the numbers of this one.
  if (own === null && existsSync(paths.gatewayRuns))
    renameSync(paths.gatewayRuns, `${paths.gatewayRuns}.before-${String(now)}`);
  writeFileAtomic(paths.nodesDevice, kept.device);
  writeFileAtomic(paths.nodesCertificate, kept.certificate);
  const restored = withRevoked(own ?? kept.fleet, formerUser === null ? [] : [formerUser], now);
  writeFleet(paths.fleet, restored);
  rmSync(paths.fleetGateway, { force: true });
  return { fleet: restored, formerUser };
}

function ofAnother(name: string): Error {
  return refuse(
    'invalid-request',
    `This machine is a gateway of the fleet "${name}", which is another one.`,
    'Restore the backup on a gateway of its own fleet, or on a machine that is the gateway of none.',
  );
}

/**
 * Takes what this machine was as a further gateway out of the fleet, and has nats-server let no gateway
 * in that was removed after the backup was made, as far as it still shows who they were.
 */
export async function settleRestored(
  control: Pick<FleetControl, 'roster' | 'setRoster' | 'gatewayUsers'>,
  paths: Pick<HomePaths, 'fleet'>,
  {
    formerUser,
    uid,
    now,
  }: { readonly formerUser: string | null; readonly uid: number; readonly now: number },
): Promise<void> {
  const roster = await control.roster();
  const former = roster.gateways.find(({ user }) => user === formerUser);
  const next = former === undefined ? roster : withoutGateway(roster, former.displayName).roster;
  const there = new Set(next.gateways.map(({ user }) => user));
  const gone = (await control.gatewayUsers()).filter((user) => !there.has(user));
  const kept = readFleet(paths.fleet, uid);
  if (kept === null) throw new Error('what was restored is there');
  const revoked = withRevoked(kept, gone, now);
  writeFleet(paths.fleet, revoked);
  if (next !== roster) await control.setRoster(next, roster);
  await tellServer(revoked);
}
