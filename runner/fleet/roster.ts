import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { deviceId } from '../nodes/device.ts';
import { aloneIn } from './documents.ts';
import type { Trust } from './documents.ts';
import { userKey } from './files.ts';

/** The further gateways of a fleet: the text of its document `gateways`, signed by the fleet's key. */

export const gatewayFields = {
  displayName: s.string({ minLength: 1, maxLength: 64 }),
  /** Its public key, raw, base64url. */
  key: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  /** SHA-256 of its certificate. */
  certificate: s.string({ pattern: '^[0-9a-f]{64}$' }),
  /** Who it is at nats-server. */
  user: userKey,
};
const member = s.object({
  ...gatewayFields,
  /** Milliseconds since the epoch. */
  addedAt: s.integer({ minimum: 0 }),
});
export type FleetGateway = Static<typeof member>;

/** Each has a link to every node. */
const mostGateways = 8;
const roster = s.object({
  version: s.literal(1),
  /** How many gateways were removed so far: what those have signed counts no more. */
  era: s.integer({ minimum: 0, maximum: 1_000 }),
  gateways: s.array(member, { maxItems: mostGateways }),
});
export type Roster = Static<typeof roster>;
const check = compile(roster);

const nobody: Roster = { version: 1, era: 0, gateways: [] };

/** The roster that this text says; null: the fleet has one gateway. Throws `config-invalid`. */
export function readRoster(text: string | null): Roster {
  if (text === null) return nobody;
  const checked = readJson(check, text);
  if (checked.ok) return checked.value;
  throw refuse(
    'config-invalid',
    `What says which gateways the fleet has cannot be read: ${checked.error}`,
    'Bring this machine to the version of the gateway that made the fleet.',
  );
}

/** Whose word counts, by a roster of the fleet with this key. */
export function trustIn(keeper: string, { era, gateways }: Roster): Trust {
  return { ...aloneIn(keeper), era, gateways: gateways.map(({ key }) => key) };
}

/** The roster with one gateway more. Throws `invalid-request` for one too many, or that is there. */
export function withGateway(known: Roster, added: FleetGateway): Roster {
  const { gateways } = known;
  if (gateways.length >= mostGateways)
    throw refuse(
      'invalid-request',
      `A fleet has at most ${String(mostGateways)} further gateways.`,
      'Remove one that is not there any more: interlock fleet gateway remove NAME',
    );
  const names = (one: FleetGateway): readonly string[] => [one.key, one.user, one.displayName];
  if (gateways.some((each) => names(each).some((name) => names(added).includes(name))))
    throw refuse(
      'invalid-request',
      'The fleet has this gateway already, or another one of its name.',
      'Look at "interlock fleet gateway list"; remove that one first, or say another --name there.',
    );
  return { ...known, gateways: [...gateways, added] };
}

/** The roster without it, and whom it named. Throws `invalid-request` where no single one is called so. */
export function withoutGateway(
  known: Roster,
  name: string,
): { readonly roster: Roster; readonly removed: FleetGateway } {
  const isCalled = ({ displayName, key }: FleetGateway): boolean =>
    displayName === name || (name.length >= 6 && deviceId(key).startsWith(name));
  const [removed, ...more] = known.gateways.filter(isCalled);
  if (removed === undefined || more.length > 0)
    throw refuse(
      'invalid-request',
      removed === undefined
        ? 'The fleet has no further gateway of this name.'
        : 'Several gateways are called so.',
      'Look at "interlock fleet gateway list".',
    );
  const gateways = known.gateways.filter((each) => each !== removed);
  return { roster: { ...known, era: known.era + 1, gateways }, removed };
}
