import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { hashOfText, maxFleetText, withFileLock } from '../../shared/home/index.ts';
import type { Device } from '../nodes/device.ts';
import { readDocument, readTick, signDocument } from './documents.ts';
import type { DocumentName, FleetDocument, Tick } from './documents.ts';
import { readTold, writeTold } from './files.ts';
import { bucket, topics } from './keys.ts';

/** The gateway's hand on its fleet: what it was told last, telling it more, and how far each node is. */
export interface FleetControl {
  /**
   * The newest version that this gateway told or saw, whatever nats-server shows; null where there is
   * none. Rejects with `config-invalid` for one that was forged.
   */
  current(name: DocumentName): Promise<FleetDocument | null>;
  /** Of which documents nats-server showed an older version than that, or none, since this was opened. */
  withheld(): readonly DocumentName[];
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

/** Opens what the fleet keeps, and makes it at the first use. Rejects as NATS does. */
export async function openControl(
  connection: NatsConnection,
  options: FleetControlOptions,
): Promise<FleetControl> {
  const { device, keyOf, clock } = options;
  const manager = await jetstreamManager(connection);
  const kv = await new Kvm(connection).create(bucket, {
    history: versionsKept,
    storage: StorageType.File,
  });
  await manager.streams.add({
    name: tickStream,
    subjects: [topics.tick('*')],
    max_msgs_per_subject: 1,
    storage: StorageType.File,
  });
  const withheld = new Set<DocumentName>();
  const find = async (name: DocumentName) => {
    const shown = await readEntry(kv, name, device.publicKey);
    const known = remembered(name, options);
    if ((shown.document?.seq ?? 0) >= (known?.seq ?? 0)) {
      withheld.delete(name);
      if (shown.signed !== null && shown.document?.seq !== known?.seq)
        await remember(name, shown.signed, options);
      return shown;
    }
    withheld.add(name);
    return { ...shown, document: known };
  };
  return {
    current: async (name) => (await find(name)).document,
    withheld: () => [...withheld],
    tell: async (name, text, base) => {
      if (text.length > maxFleetText)
        throw refuse('invalid-request', 'This is too long for a fleet.', 'Say less.');
      const { document: before, revision } = await find(name);
      const beforeHash = before === null ? null : hashOfText(before.text);
      if (beforeHash !== base) throw conflict(before);
      const now = clock.now();
      // By the clock, too: a broker that put an older version back would have nodes take up no newer one.
      const seq = Math.max(now, (before?.seq ?? 0) + 1);
      const signed = signDocument(device, { name, seq, base, at: now, text });
      try {
        if (revision === null) await kv.create(name, signed);
        else await kv.update(name, signed, revision);
      } catch (error) {
        const { document: other } = await find(name);
        if (other?.seq !== before?.seq) throw conflict(other);
        throw error;
      }
      withheld.delete(name);
      // Before the file: a lockout waits for nobody who has it open.
      connection.publish(topics.news, signed);
      await connection.flush();
      await remember(name, signed, options);
      const told = readDocument(signed, device.publicKey);
      if (told === null) throw new Error('what was signed here can be read here');
      return told;
    },
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

type Remembering = Pick<FleetControlOptions, 'device' | 'path' | 'uid'>;

/** What was told last. A lockout waits for no file that is damaged. */
function remembered(name: DocumentName, { device, path, uid }: Remembering): FleetDocument | null {
  try {
    const signed = readTold(path, uid)[name];
    return signed === null ? null : readDocument(signed, device.publicKey);
  } catch (error) {
    if (name === 'lockout') return null;
    throw error;
  }
}

/** Keeps a version, unless a newer one is kept by now. Whoever does so at the same time loses nothing. */
async function remember(name: DocumentName, signed: string, kept: Remembering): Promise<void> {
  const { device, path, uid } = kept;
  const seqOf = (text: string): number => readDocument(text, device.publicKey)?.seq ?? 0;
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

async function readEntry(kv: KV, name: DocumentName, key: string): Promise<Entry> {
  const entry = await kv.get(name);
  const none = { document: null, signed: null };
  if (entry === null) return { ...none, revision: null };
  const { revision } = entry;
  if (entry.operation !== 'PUT') return { ...none, revision };
  const signed = entry.string();
  const document = readDocument(signed, key);
  if (document?.name === name) return { document, signed, revision };
  throw refuse(
    'config-invalid',
    `What the fleet keeps as "${name}" was not signed by this gateway.`,
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
