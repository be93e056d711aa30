import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { hashOfText, maxFleetText, withFileLock } from '../../shared/home/index.ts';
import type { Device } from '../nodes/device.ts';
import {
  aloneIn,
  documentNames,
  nextSeq,
  readDocument,
  readTick,
  signDocument,
} from './documents.ts';
import type { DocumentName, FleetDocument, Tick, Trust } from './documents.ts';
import { readTold, writeTold } from './files.ts';
import { bucket, topics } from './keys.ts';
import { readRoster, trustIn } from './roster.ts';
import type { Roster } from './roster.ts';

/** A gateway's hand on its fleet: what it was told last, telling it more, and how far each node is. */
export interface FleetControl {
  /** Its further gateways, as the fleet's own key signed them last. */
  roster(): Promise<Roster>;
  /**
   * Puts another roster in the place of that one. Where one gateway is removed, what holds for all is
   * signed anew, since it may have been the one to sign it. At the gateway that made the fleet alone.
   */
  setRoster(next: Roster, base: Roster): Promise<void>;
  /** Users at nats-server of all gateways that it has had, as far back as nats-server keeps versions. */
  gatewayUsers(): Promise<readonly string[]>;
  /**
   * The newest version that this gateway told or saw, whatever nats-server shows; null where there is
   * none. Rejects with `config-invalid` for one that was forged.
   */
  current(name: DocumentName): Promise<FleetDocument | null>;
  /** Of which documents nats-server showed an older version than that, or none, since this was opened. */
  withheld(): readonly DocumentName[];
  /**
   * Puts back, as it was signed, what nats-server shows an older version of or none, as after it lost its
   * store, and tells every node. Answers of which documents; who the gateways are only the first one can
   * put back.
   */
  restore(): Promise<readonly DocumentName[]>;
  /**
   * Puts a text in the place of the one with this hash (null: of none), and tells every node. Rejects
   * with `invalid-request`, and changes nothing, where another one stands there.
   */
  tell(name: DocumentName, text: string, base: string | null): Promise<FleetDocument>;
  /** How far each node had come when it said so last. */
  ticks(): Promise<ReadonlyMap<string, Tick>>;
  /** Calls back with each tick from now on; answers how to stop. */
  onTick(told: (tick: Tick) => void): () => void;
}

export interface FleetControlOptions {
  readonly device: Device;
  /** The key of the gateway that made the fleet. */
  readonly keeper: string;
  /** The key of a paired node; null for any other. */
  readonly keyOf: (id: string) => string | null;
  readonly clock: Pick<Clock, 'now'>;
  /** Where it is kept what was told last. */
  readonly path: string;
  readonly uid: number;
}

const tickStream = 'interlock_ticks';
const versionsKept = 16;
const readMs = 2_000;
const missingMs = 2_000;

/** Opens what the fleet keeps, and makes it at the first use. Rejects as NATS does. */
export async function openControl(
  connection: NatsConnection,
  options: FleetControlOptions,
): Promise<FleetControl> {
  const { device, keeper, keyOf } = options;
  const manager = await jetstreamManager(connection);
  const kv = await openBucket(connection, device.publicKey === keeper);
  if (device.publicKey === keeper)
    await manager.streams.add({
      name: tickStream,
      subjects: [topics.tick('*')],
      max_msgs_per_subject: 1,
      storage: StorageType.File,
    });
  const hand = new Hand(connection, kv, options);
  return {
    roster: async () => hand.roster(),
    setRoster: async (next, base) => hand.setRoster(next, base),
    gatewayUsers: async () => {
      const users = new Set<string>();
      for await (const entry of await kv.history({ key: 'gateways' satisfies DocumentName })) {
        if (entry.operation !== 'PUT') continue;
        const text = readDocument(entry.string(), aloneIn(keeper))?.text ?? null;
        for (const { user } of readRoster(text).gateways) users.add(user);
      }
      return [...users];
    },
    current: async (name) => (await hand.find(name)).document,
    withheld: () => [...hand.withheld],
    restore: async () => hand.restore(),
    tell: async (name, text, base) => hand.tell(name, text, base),
    ticks: async () => {
      const { state } = await manager.streams.info(tickStream);
      const found = new Map<string, Tick>();
      if (state.messages === 0) return found;
      const consumer = await jetstream(connection).consumers.get(tickStream);
      const messages = await consumer.fetch({ max_messages: state.messages, expires: readMs });
      for await (const message of messages) {
        const tick = readTick(message.string(), keyOf);
        if (tick !== null) found.set(tick.id, tick);
      }
      return found;
    },
    onTick: (told) => {
      const subscription = connection.subscribe(topics.tick('*'), {
        callback: (error, message) => {
          const tick = error === null ? readTick(message.string(), keyOf) : null;
          if (tick !== null) told(tick);
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}

/**
 * Resolves once what the fleet keeps is at nats-server: its first gateway makes it, also after the store
 * was lost, and the others wait for that. Rejects when the connection ends.
 */
export async function whenKept(
  connection: NatsConnection,
  { device, keeper, clock }: Pick<FleetControlOptions, 'device' | 'keeper'> & { clock: Clock },
  onMissing: (error: unknown) => void,
): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    try {
      await openBucket(connection, device.publicKey === keeper);
      return;
    } catch (error) {
      if (connection.isClosed()) throw error;
      if (turn === 0) onMissing(error);
    }
    await new Promise<void>((resolve) => void clock.after(missingMs, resolve));
  }
}

/** What the fleet keeps; its first gateway makes it. */
export async function openBucket(connection: NatsConnection, mayMake: boolean): Promise<KV> {
  const kvs = new Kvm(connection);
  if (!mayMake) return kvs.open(bucket);
  return kvs.create(bucket, { history: versionsKept, storage: StorageType.File });
}

/** What one gateway does with the documents of its fleet. */
class Hand {
  readonly withheld = new Set<DocumentName>();
  readonly #connection: NatsConnection;
  readonly #kv: KV;
  readonly #options: FleetControlOptions;

  constructor(connection: NatsConnection, kv: KV, options: FleetControlOptions) {
    this.#connection = connection;
    this.#kv = kv;
    this.#options = options;
  }

  /** What nats-server shows, or what is known to be newer. */
  async find(name: DocumentName): Promise<Entry> {
    return this.#findBy(name, await this.#trustFor(name));
  }

  async #findBy(name: DocumentName, trust: Trust): Promise<Entry> {
    const options = this.#options;
    const shown = await readEntry(this.#kv, name, trust);
    const known = remembered(name, trust, options);
    if ((shown.document?.seq ?? 0) >= (known?.seq ?? 0)) {
      this.withheld.delete(name);
      if (shown.signed !== null && shown.document?.seq !== known?.seq)
        await remember(name, shown.signed, trust, options);
      return shown;
    }
    this.withheld.add(name);
    return { ...shown, document: known };
  }

  async roster(): Promise<Roster> {
    return readRoster((await this.find('gateways')).document?.text ?? null);
  }

  /** Whose word counts for it. A lockout does without what is remembered, where that cannot be read. */
  async #trustFor(name: DocumentName): Promise<Trust> {
    const own = aloneIn(this.#options.keeper);
    if (name === 'gateways') return own;
    if (name !== 'lockout') return trustIn(own.keeper, await this.roster());
    const roster = this.roster().catch(async () => {
      const shown = await readEntry(this.#kv, 'gateways', own);
      return readRoster(shown.document?.text ?? null);
    });
    return trustIn(own.keeper, await roster);
  }

  async restore(): Promise<readonly DocumentName[]> {
    const { device, keeper, path, uid } = this.#options;
    const back: DocumentName[] = [];
    for (const name of documentNames) {
      const { revision } = await this.find(name);
      const signed = readTold(path, uid)[name] ?? null;
      if (!this.withheld.has(name) || signed === null) continue;
      if (name === 'gateways' && device.publicKey !== keeper) continue;
      try {
        if (revision === null) await this.#kv.create(name, signed);
        else await this.#kv.update(name, signed, revision);
      } catch (error) {
        // Another gateway was first, or it is withheld still.
        await this.find(name);
        if (this.withheld.has(name)) throw error;
        continue;
      }
      await this.find(name);
      if (this.withheld.has(name)) continue;
      this.#connection.publish(topics.news, signed);
      back.push(name);
    }
    await this.#connection.flush();
    return back;
  }

  async tell(name: DocumentName, text: string, base: string | null): Promise<FleetDocument> {
    if (text.length > maxFleetText)
      throw refuse('invalid-request', 'This is too long for a fleet.', 'Say less.');
    const trust = await this.#trustFor(name);
    const before = await this.#findBy(name, trust);
    if (hashOf(before.document) !== base) throw conflict(before.document);
    return this.#put({ name, text, base }, before, trust);
  }

  async setRoster(next: Roster, base: Roster): Promise<void> {
    const removes = next.era > base.era;
    const trust = trustIn(this.#options.keeper, next);
    const [policy, lockout] = [await this.find('policy'), await this.find('lockout')];
    const before = await this.find('gateways');
    if (JSON.stringify(readRoster(before.document?.text ?? null)) !== JSON.stringify(base))
      throw conflict(before.document);
    const said = { name: 'gateways', text: JSON.stringify(next) } as const;
    await this.#put({ ...said, base: hashOf(before.document) }, before, trust);
    if (!removes) return;
    for (const entry of [policy, lockout]) {
      if (entry.document === null) continue;
      const { name, text } = entry.document;
      await this.#put({ name, text, base: hashOf(entry.document) }, entry, trust, true);
    }
  }

  /** Signs it and brings it there, against the revision that was read; `anyway`: against any. */
  async #put(
    said: Pick<FleetDocument, 'name' | 'text' | 'base'>,
    { document: before, revision }: Entry,
    trust: Trust,
    anyway = false,
  ): Promise<FleetDocument> {
    const { device, clock } = this.#options;
    const now = clock.now();
    // By the clock, too: a broker that put an older version back would have nodes take up no newer one.
    const seq = nextSeq(trust.era, now, before?.seq ?? 0);
    const signed = signDocument(device, { ...said, seq, at: now });
    const told = readDocument(signed, trust);
    if (told === null) throw notMember();
    try {
      if (anyway) await this.#kv.put(said.name, signed);
      else if (revision === null) await this.#kv.create(said.name, signed);
      else await this.#kv.update(said.name, signed, revision);
    } catch (error) {
      const { document: other } = await this.find(said.name);
      if (other?.seq !== before?.seq) throw conflict(other);
      throw error;
    }
    this.withheld.delete(said.name);
    // Before the file: a lockout waits for nobody who has it open.
    this.#connection.publish(topics.news, signed);
    await this.#connection.flush();
    await remember(said.name, signed, trust, this.#options);
    return told;
  }
}

const hashOf = (document: FleetDocument | null): string | null =>
  document === null ? null : hashOfText(document.text);

function notMember(): Error {
  return refuse(
    'policy-deny',
    'This machine is no gateway of the fleet any more, or its fleet takes no more from it.',
    'Say it at the gateway that made the fleet; "interlock fleet gateway list" shows who counts.',
  );
}

type Remembering = Pick<FleetControlOptions, 'path' | 'uid'>;

/** What was told last. A lockout waits for no file that is damaged. */
export function remembered(
  name: DocumentName,
  trust: Trust,
  { path, uid }: Remembering,
): FleetDocument | null {
  try {
    const signed = readTold(path, uid)[name] ?? null;
    return signed === null ? null : readDocument(signed, trust);
  } catch (error) {
    if (name === 'lockout') return null;
    throw error;
  }
}

/** Keeps a version, unless a newer one is kept by now. Whoever does so at the same time loses nothing. */
async function remember(
  name: DocumentName,
  signed: string,
  trust: Trust,
  { path, uid }: Remembering,
): Promise<void> {
  const seqOf = (text: string): number => readDocument(text, trust)?.seq ?? 0;
  try {
    await withFileLock(`${path}.lock`, () => {
      const last = readTold(path, uid);
      if (seqOf(last[name] ?? '') < seqOf(signed)) writeTold(path, { ...last, [name]: signed });
    });
  } catch (error) {
    if (name !== 'lockout') throw error;
  }
}

interface Entry {
  readonly document: FleetDocument | null;
  readonly signed: string | null;
  readonly revision: number | null;
}

async function readEntry(kv: KV, name: DocumentName, trust: Trust): Promise<Entry> {
  const entry = await kv.get(name);
  const none = { document: null, signed: null };
  if (entry === null) return { ...none, revision: null };
  const { revision } = entry;
  if (entry.operation !== 'PUT') return { ...none, revision };
  const signed = entry.string();
  const document = readDocument(signed, trust);
  if (document?.name === name) return { document, signed, revision };
  throw refuse(
    'config-invalid',
    `What the fleet keeps as "${name}" was signed by none of its gateways.`,
    'Nodes do not follow it. Find out who can write there, and remove it from nats-server.',
  );
}

function conflict(there: FleetDocument | null): Error {
  return refuse(
    'invalid-request',
    there === null
      ? 'The fleet has nothing there that yours could take the place of.'
      : `The fleet was told something else there, by ${hashOfText(there.text)}.`,
    'Look at what stands there, and say it as --base: interlock fleet policy show',
  );
}
