import { jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import type { KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { hashOfText, maxFleetText } from '../../shared/home/index.ts';
import type { Device } from '../nodes/device.ts';
import { readDocument, readTick, signDocument } from './documents.ts';
import type { DocumentName, FleetDocument, Tick } from './documents.ts';
import { bucket, topics } from './keys.ts';

/** The gateway's hand on its fleet: what it was told last, telling it more, and how far each node is. */
export interface FleetControl {
  /** The newest version; null where there is none. Rejects with `config-invalid` for one that was forged. */
  current(name: DocumentName): Promise<FleetDocument | null>;
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
}

const tickStream = 'interlock_ticks';
const versionsKept = 16;
const readMs = 2_000;

/** Opens what the fleet keeps, and makes it at the first use. Rejects as NATS does. */
export async function openControl(
  connection: NatsConnection,
  { device, keyOf, clock }: FleetControlOptions,
): Promise<FleetControl> {
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
  const find = async (name: DocumentName) => readEntry(kv, name, device.publicKey);
  return {
    current: async (name) => (await find(name)).document,
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
      connection.publish(topics.news, signed);
      await connection.flush();
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

async function readEntry(
  kv: KV,
  name: DocumentName,
  key: string,
): Promise<{ readonly document: FleetDocument | null; readonly revision: number | null }> {
  const entry = await kv.get(name);
  if (entry === null) return { document: null, revision: null };
  if (entry.operation !== 'PUT') return { document: null, revision: entry.revision };
  const document = readDocument(entry.string(), key);
  if (document?.name === name) return { document, revision: entry.revision };
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
