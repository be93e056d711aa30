import { createHash } from 'node:crypto';
import { createAccount, createOperator, createUser, fromSeed } from '@nats-io/nkeys';
import type { KeyPair } from '@nats-io/nkeys';
import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import { documentNames } from './documents.ts';
import type { DocumentName } from './documents.ts';
import { checkFleet, readFleet, writeFleet } from './files.ts';
import type { Fleet } from './files.ts';

/** The identities of a fleet towards nats-server: its decentralised JWTs, signed with nkeys. */

/** Who somebody is to nats-server: a user key, and what its account says that it may do. */
export interface NatsUser {
  /** Its public key, `U…`: a part of every subject that is its own. */
  readonly user: string;
  readonly seed: string;
  readonly jwt: string;
}

/** What a gateway keeps of the fleet that it made. The seeds make further users; none leaves it. */
interface FleetKeys {
  readonly operatorSeed: string;
  readonly operatorJwt: string;
  readonly system: string;
  readonly systemJwt: string;
  readonly account: string;
  readonly accountSeed: string;
  readonly accountJwt: string;
  readonly gateway: NatsUser;
  readonly registrar: NatsUser;
}

/** Where a fleet keeps what holds for all of it, in JetStream. */
export const bucket = 'interlock';

/** Subjects of a fleet. Each part that a node may choose is one token. */
export const topics = {
  /** What a node sends on a stream of its own, and what is sent to it. */
  up: (user: string, session: string) => `interlock.up.${user}.${session}`,
  /** The same to a further gateway, by its id. */
  to: (gateway: string, user: string, session: string) =>
    `interlock.to.${gateway}.${user}.${session}`,
  down: (user: string, session: string) => `interlock.down.${user}.${session}`,
  /** How far a node has come; the last word of each is kept. */
  tick: (user: string) => `interlock.tick.${user}`,
  /** A document has changed. */
  news: 'interlock.news',
  /** Where nats-server takes up a newer account, which the operator has signed. */
  account: '$SYS.REQ.CLAIMS.UPDATE',
  /** The newest version of a document is asked for here. */
  document: (name: DocumentName) => `$JS.API.DIRECT.GET.KV_${bucket}.$KV.${bucket}.${name}`,
  /** Where what the fleet keeps under this key is written. */
  kept: (key: string) => `$KV.${bucket}.${key}`,
} as const;

const text = new TextDecoder();
const bytes = new TextEncoder();
const seedOf = (key: KeyPair): string => text.decode(key.getSeed());
const keyOf = (seed: string): KeyPair => fromSeed(bytes.encode(seed));

/** Makes the keys of a new fleet. `now` in milliseconds since the epoch. */
function newKeys(name: string, now: number): FleetKeys {
  const [operator, account, system] = [createOperator(), createAccount(), createAccount()];
  const operatorJwt = signedBy(operator, {
    name,
    sub: operator.getPublicKey(),
    now,
    nats: { type: 'operator', version: 2, system_account: system.getPublicKey() },
  });
  const accountJwt = signAccount(operator, { name, account: account.getPublicKey(), now });
  // nats-server wants one for itself. Its key is not kept, so that it never has another user.
  const systemJwt = signedBy(operator, {
    name: 'SYS',
    sub: system.getPublicKey(),
    now,
    nats: { type: 'account', version: 2, limits: { ...unlimited, ...noJetStream } },
  });
  return {
    operatorSeed: seedOf(operator),
    operatorJwt,
    system: system.getPublicKey(),
    systemJwt,
    account: account.getPublicKey(),
    accountSeed: seedOf(account),
    accountJwt,
    gateway: newUser(account, { name: 'gateway', now, allowed: () => ({}) }),
    registrar: newUser(system, {
      name: 'registrar',
      now,
      allowed: (user) => ({
        pub: { allow: [topics.account] },
        sub: { allow: [`${inboxOf(user)}.>`] },
      }),
    }),
  };
}

interface Named {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** For a user that is revoked for good, whatever the clock said when it was made. */
const forEver = 253_402_300_799;

interface AccountClaims {
  readonly name: string;
  readonly account: string;
  readonly now: number;
  readonly revoked?: readonly string[];
}

function signAccount(
  operator: KeyPair,
  { name, account, now, revoked = [] }: AccountClaims,
): string {
  const revocations = Object.fromEntries(revoked.map((user) => [user, forEver]));
  return signedBy(operator, {
    name,
    sub: account,
    now,
    nats: {
      type: 'account',
      version: 2,
      limits: unlimited,
      default_permissions: {},
      ...(revoked.length > 0 && { revocations }),
    },
  });
}

const accountClaims = compile(
  s.object({
    iat: s.integer({ minimum: 0 }),
    iss: s.string(),
    name: s.string(),
    sub: s.string(),
    jti: s.string(),
    nats: s.record(s.unknown()),
  }),
);
const revocationsOf = compile(s.record(s.integer({ minimum: 0 })));

/** The users that a fleet has revoked, and when its account was signed, in seconds. */
function accountOf({ accountJwt }: Pick<Fleet, 'accountJwt'>): {
  readonly iat: number;
  readonly revoked: readonly string[];
} {
  const [, claims = ''] = accountJwt.split('.');
  const read = readJson(accountClaims, Buffer.from(claims, 'base64url'));
  const found = revocationsOf(read.ok ? (read.value.nats['revocations'] ?? {}) : null);
  if (read.ok && found.ok) return { iat: read.value.iat, revoked: Object.keys(found.value) };
  throw refuse(
    'config-invalid',
    'The account of the fleet does not hold what it should.',
    'Put keys/fleet.json back from a backup.',
  );
}

/** The users that nats-server of this fleet is to let in no more. Throws `config-invalid`. */
export function revokedUsers(fleet: Pick<Fleet, 'accountJwt'>): ReadonlySet<string> {
  return new Set(accountOf(fleet).revoked);
}

/**
 * The fleet with these users revoked, too; the same where they are already. Its account is newer than
 * the last one, though the clock was put back: nats-server keeps the newest.
 */
export function withRevoked(fleet: Fleet, users: readonly string[], now: number): Fleet {
  const { iat, revoked } = accountOf(fleet);
  const more = users.filter((user) => !revoked.includes(user));
  if (more.length === 0) return fleet;
  const { name, account, operatorSeed } = fleet;
  const accountJwt = signAccount(keyOf(operatorSeed), {
    name,
    account,
    now: Math.max(now, (iat + 1) * 1_000),
    revoked: [...revoked, ...more],
  });
  return { ...fleet, accountJwt };
}

/**
 * A user for one node. It may say what is its own and hear what is meant for it or for all, and
 * nothing else: not speak for another node, nor listen to one, nor change what the fleet keeps.
 */
function newNodeUser(
  { accountSeed }: Pick<FleetKeys, 'accountSeed'>,
  { name, now }: Named,
): NatsUser {
  return newUser(keyOf(accountSeed), {
    name,
    now,
    allowed: (user) => ({
      pub: {
        allow: [
          topics.up(user, '*'),
          topics.to('*', user, '*'),
          topics.tick(user),
          ...documentNames.map(topics.document),
        ],
      },
      sub: { allow: [topics.down(user, '*'), topics.news, `${inboxOf(user)}.>`] },
    }),
  });
}

/**
 * The JWT of a further gateway, whose own machine made its key. It may take up what nodes send to it,
 * answer them, and write what any gateway may; who the gateways are it cannot.
 */
export function newGatewayUser(
  { accountSeed }: Pick<FleetKeys, 'accountSeed'>,
  { name, user, id, now }: Named & { readonly user: string; readonly id: string },
): string {
  const writes = ['policy', 'lockout', 'removed.*'].map(topics.kept);
  const reads = ['$JS.API.INFO', '$JS.API.STREAM.INFO.*', '$JS.API.STREAM.NAMES'];
  const gets = [`$JS.API.DIRECT.GET.KV_${bucket}.>`, '$JS.API.STREAM.MSG.GET.*'];
  const listens = ['$JS.API.CONSUMER.>', '$JS.ACK.>', '$JS.FC.>'];
  const nats = {
    type: 'user',
    version: 2,
    ...noLimits,
    pub: {
      allow: [topics.down('*', '*'), topics.news, ...writes, ...reads, ...gets, ...listens],
    },
    sub: {
      allow: [topics.to(id, '*', '*'), topics.news, topics.tick('*'), `${inboxOf(user)}.>`],
    },
    // To a node that asks whether it is there, at an inbox of that node's.
    resp: { max: 1, ttl: 10_000_000_000 },
  };
  return signedBy(keyOf(accountSeed), { name, sub: user, now, nats });
}

/** A user of its own for a machine that wants to be a gateway; its seed never leaves that machine. */
export function newUserKey(): { readonly user: string; readonly seed: string } {
  const key = createUser();
  return { user: key.getPublicKey(), seed: seedOf(key) };
}

/** Where answers to one user's requests go: no other may listen there. */
export function inboxOf(user: string): string {
  return `_INBOX_${user}`;
}

const noLimits = { subs: -1, data: -1, payload: -1 };

interface NewUser extends Named {
  readonly allowed: (user: string) => object;
}

function newUser(account: KeyPair, { name, now, allowed }: NewUser): NatsUser {
  const key = createUser();
  const user = key.getPublicKey();
  const nats = { type: 'user', version: 2, ...noLimits, ...allowed(user) };
  return { user, seed: seedOf(key), jwt: signedBy(account, { name, sub: user, now, nats }) };
}

/** Of an account: -1 is "as much as the server has". A user has to prove its key each time. */
const unlimited = {
  subs: -1,
  data: -1,
  payload: -1,
  imports: 0,
  exports: 0,
  wildcards: true,
  conn: -1,
  leaf: 0,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: -1,
  disallow_bearer: true,
};

const noJetStream = { mem_storage: 0, disk_storage: 0, streams: 0, consumer: 0 };

interface Claims {
  readonly name: string;
  readonly sub: string;
  readonly now: number;
  readonly nats: object;
}

function signedBy(issuer: KeyPair, { name, sub, now, nats }: Claims): string {
  const claims = { iat: Math.floor(now / 1_000), iss: issuer.getPublicKey(), name, nats, sub };
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('base64url');
  const body = [
    { typ: 'JWT', alg: 'ed25519-nkey' },
    { ...claims, jti },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${body}.${Buffer.from(issuer.sign(bytes.encode(body))).toString('base64url')}`;
}

type Place = Pick<Fleet, 'servers' | 'ca'>;

/** Makes a fleet and keeps it. Throws `invalid-request` for a server or a name that cannot be, or a second one. */
export function createFleet(
  path: string,
  {
    uid,
    name,
    now,
    ...where
  }: Place & { readonly uid: number; readonly name: string; readonly now: number },
): Fleet {
  if (readFleet(path, uid) !== null)
    throw refuse(
      'invalid-request',
      'This is the gateway of a fleet already.',
      `Its keys are in ${path}. Moved away, every node of it has to be paired anew.`,
    );
  const made = checkFleet({ version: 1, name, ...where, ...newKeys(name, now) });
  if (!made.ok)
    throw refuse(
      'invalid-request',
      `No fleet can be made of this: ${made.error}`,
      'Say --server tls://HOST:PORT (nats:// only on this machine), and a --name of letters, digits, - and _.',
    );
  writeFleet(path, made.value);
  return made.value;
}

/** The text of a file that lets one more machine reach nats-server, and pair over it. */
export function newAccess(
  made: Fleet,
  { name, now }: { readonly name: string; readonly now: number },
): { readonly user: string; readonly text: string } {
  const { servers, ca } = made;
  const own = newNodeUser(made, { name, now });
  return {
    user: own.user,
    text: `${JSON.stringify({ version: 1, servers, ca, ...own }, null, 2)}\n`,
  };
}

/** What nats-server of this fleet has to be set to. It holds no secret. */
export function serverConfig(fleet: Fleet): string {
  const { name, servers, operatorJwt, account, accountJwt, system, systemJwt } = fleet;
  const isTls = servers.some((each) => each.startsWith('tls:'));
  const port = /:(\d+)$/u.exec(servers[0] ?? '')?.[1] ?? '4222';
  return [
    `# nats-server for the fleet "${name}" of Interlock: nats-server -c FILE`,
    `server_name: ${name}-1`,
    `listen: "${isTls ? '0.0.0.0' : '127.0.0.1'}:${port}"`,
    ...(isTls
      ? [
          'tls {',
          '  cert_file: "/etc/nats/server.pem"',
          '  key_file: "/etc/nats/server-key.pem"',
          '}',
        ]
      : []),
    'max_payload: 1MB',
    'jetstream { store_dir: "/var/lib/nats" }',
    `operator: ${operatorJwt}`,
    '# Where it keeps which machines were removed.',
    'resolver { type: full, dir: "/var/lib/nats/jwt", allow_delete: false, interval: "2m" }',
    `resolver_preload: { ${account}: ${accountJwt}, ${system}: ${systemJwt} }`,
    '',
  ].join('\n');
}
