import { createHash } from 'node:crypto';
import { createAccount, createOperator, createUser, fromSeed } from '@nats-io/nkeys';
import type { KeyPair } from '@nats-io/nkeys';
import { refuse } from '../../shared/base/index.ts';
import { writeFileAtomic } from '../../shared/home/index.ts';
import { documentNames } from './documents.ts';
import type { DocumentName } from './documents.ts';
import { checkFleet, readFleet } from './files.ts';
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
}

/** Where a fleet keeps what holds for all of it, in JetStream. */
export const bucket = 'interlock';

/** Subjects of a fleet. Each part that a node may choose is one token. */
export const topics = {
  /** What a node sends on a stream of its own, and what is sent to it. */
  up: (user: string, session: string) => `interlock.up.${user}.${session}`,
  down: (user: string, session: string) => `interlock.down.${user}.${session}`,
  /** How far a node has come; the last word of each is kept. */
  tick: (user: string) => `interlock.tick.${user}`,
  /** A document has changed. */
  news: 'interlock.news',
  /** The newest version of a document is asked for here. */
  document: (name: DocumentName) => `$JS.API.DIRECT.GET.KV_${bucket}.$KV.${bucket}.${name}`,
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
  const accountJwt = signedBy(operator, {
    name,
    sub: account.getPublicKey(),
    now,
    nats: { type: 'account', version: 2, limits: unlimited, default_permissions: {} },
  });
  // nats-server wants one for itself. Nobody has its key, so that it has no users.
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
  };
}

/**
 * A user for one node. It may say what is its own and hear what is meant for it or for all, and
 * nothing else: not speak for another node, nor listen to one, nor change what the fleet keeps.
 */
function newNodeUser(
  { accountSeed }: Pick<FleetKeys, 'accountSeed'>,
  { name, now }: { readonly name: string; readonly now: number },
): NatsUser {
  return newUser(keyOf(accountSeed), {
    name,
    now,
    allowed: (user) => ({
      pub: {
        allow: [topics.up(user, '*'), topics.tick(user), ...documentNames.map(topics.document)],
      },
      sub: { allow: [topics.down(user, '*'), topics.news, `${inboxOf(user)}.>`] },
    }),
  });
}

/** Where answers to one user's requests go: no other may listen there. */
export function inboxOf(user: string): string {
  return `_INBOX_${user}`;
}

interface NewUser {
  readonly name: string;
  readonly now: number;
  readonly allowed: (user: string) => object;
}

function newUser(account: KeyPair, { name, now, allowed }: NewUser): NatsUser {
  const key = createUser();
  const user = key.getPublicKey();
  const nats = { type: 'user', version: 2, subs: -1, data: -1, payload: -1, ...allowed(user) };
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
  writeFileAtomic(path, `${JSON.stringify(made.value, null, 2)}\n`);
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
    'resolver: MEMORY',
    `resolver_preload: { ${account}: ${accountJwt}, ${system}: ${systemJwt} }`,
    '',
  ].join('\n');
}
