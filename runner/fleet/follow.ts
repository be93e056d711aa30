import type { NatsConnection } from '@nats-io/transport-node';
import { displayPlain, messageOf, RefusalError } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { readFleetState, writeFleetState } from '../../shared/home/index.ts';
import type { Device } from '../nodes/device.ts';
import { documentNames, readDocument, readOrder, signTick } from './documents.ts';
import type { DocumentName } from './documents.ts';
import type { FleetAccess } from './files.ts';
import { topics } from './keys.ts';
import { readRoster, trustIn } from './roster.ts';
import type { FleetGateway, Roster } from './roster.ts';

export interface FollowOptions {
  readonly access: Pick<FleetAccess, 'user'>;
  readonly device: Device;
  /** The key of the gateway that made the fleet, with which this machine was paired: the fleet's own. */
  readonly keeper: string;
  /** Where it is kept what was taken up. */
  readonly path: string;
  readonly uid: number;
  readonly clock: Pick<Clock, 'now'>;
  /** Closes the lock of this machine. Rejects where it could not. */
  readonly lockOut: (reason: string | null) => Promise<unknown>;
  /** The fleet has other further gateways. */
  readonly onGateways: () => void;
  /** For the log and the record. */
  readonly note: (code: string, text: string) => void;
}

const answerMs = 5_000;
/** What may have come while the last one was taken up. */
const mostWaiting = 64;

/** What one node takes up of what its fleet is told, over however many connections it hears of it. */
export interface FleetFollower {
  /**
   * Takes up what nats-server keeps, and what comes as long as this connection stands: every version
   * once, in the order of their numbers. Resolves when what there was is taken up. Never rejects.
   */
  attach(connection: NatsConnection): Promise<void>;
  /** The further gateways of the fleet, as far as it was followed. */
  gateways(): readonly FleetGateway[];
}

/** Opens what a node follows. */
export function openFollower(options: FollowOptions): FleetFollower {
  return new Follower(options);
}

type Note = FollowOptions['note'];

class Follower implements FleetFollower {
  readonly #options: FollowOptions;
  #turn = Promise.resolve();
  #waiting = 0;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  async attach(connection: NatsConnection): Promise<void> {
    const told = new Set<string>();
    /** Each once a connection: a server that forges and repeats must not fill the record. */
    const note: Note = (code, text) => {
      if (told.has(code)) return;
      told.add(code);
      this.#options.note(code, text);
    };
    try {
      connection.subscribe(topics.news, {
        callback: (error, message) => {
          if (error === null) void this.#hear(message.string(), { connection, note });
        },
      });
      for (const name of documentNames) {
        const answer = await connection
          .request(topics.document(name), undefined, { timeout: answerMs })
          .catch(() => null);
        if (answer !== null && answer.data.length > 0)
          await this.#hear(answer.string(), { connection, note });
        // Nobody has told the fleet anything, where there is no such document; unless somebody had.
        else if (!connection.isClosed() && this.#hasFollowed(name))
          note('fleet-missing', `nats-server shows no ${name}, and this machine has followed one.`);
      }
    } catch (error) {
      if (!connection.isClosed()) note('fleet-failed', messageOf(error));
    }
  }

  #hasFollowed(name: DocumentName): boolean {
    const read = stateIn(this.#options);
    return read.ok && lastOf(name, read.value) > 0;
  }

  gateways(): readonly FleetGateway[] {
    return rosterIn(stateIn(this.#options)).gateways;
  }

  /** One after another, whichever connection they came by. Resolves when this one is taken up. */
  async #hear(
    data: string,
    { connection, note }: { readonly connection: NatsConnection; readonly note: Note },
  ): Promise<void> {
    if (this.#waiting >= mostWaiting) return;
    this.#waiting += 1;
    const options = { ...this.#options, note };
    const work = async (): Promise<void> => {
      try {
        const state = await takeUp(data, options);
        if (state !== null) tick(connection, state, options);
        else note('fleet-refused', 'nats-server passed something on that no gateway of it signed.');
      } catch (error) {
        note('fleet-failed', `What the fleet was told was not taken up: ${messageOf(error)}`);
      }
      this.#waiting -= 1;
    };
    this.#turn = this.#turn.then(work);
    await this.#turn;
  }
}

/** What is followed by then; null for what nobody signed whose word counts. Reads what is kept once. */
async function takeUp(data: string, options: FollowOptions): Promise<Followed | null> {
  const { path, keeper, note, lockOut, onGateways } = options;
  const read = stateIn(options);
  const said = readDocument(data, trustIn(keeper, rosterIn(read)));
  if (said === null) return null;
  const { name, seq, text } = said;
  const order = name === 'lockout' ? readOrder(text) : null;
  // Where it is not known which ones were followed, and whatever a later version says: rather stop.
  const isLock = name === 'lockout' && order?.locked !== false;
  if (isLock && (!read.ok || seq > read.value.lockout)) await lockOut(order?.reason ?? null);
  if (!read.ok) throw new RefusalError(read.problem);
  const state = read.value;
  const last = lastOf(name, state);
  if (seq < last)
    note('fleet-older', `nats-server shows an older ${name} than this machine has followed.`);
  if (seq <= last) return state;
  // What cannot be read is not kept: those that counted until now go on doing so.
  const named = name === 'gateways' ? readRoster(text).gateways : [];
  const next =
    name === 'lockout' ? { ...state, lockout: seq } : { ...state, [name]: { seq, text } };
  writeFleetState(path, next);
  if (name === 'policy') note('fleet-policy', 'A gateway sent other bounds of the fleet.');
  if (name === 'gateways') {
    const names = named.map(({ displayName }) => displayPlain(displayName)).join(', ');
    note('fleet-gateways', `Further gateways of the fleet: ${names || 'none'}.`);
    onGateways();
  }
  return next;
}

type Read = ReturnType<typeof readFleetState>;
type Followed = Extract<Read, { readonly ok: true }>['value'];

/** The further gateways; none where it is not known. */
function rosterIn(read: Read): Roster {
  try {
    return readRoster(read.ok ? (read.value.gateways?.text ?? null) : null);
  } catch {
    return readRoster(null);
  }
}

/** The version of a document that was followed last; 0: none. */
function lastOf(name: DocumentName, state: Followed): number {
  return name === 'lockout' ? state.lockout : (state[name]?.seq ?? 0);
}

function tick(
  connection: NatsConnection,
  { policy, lockout }: Followed,
  { access, device, clock }: Pick<FollowOptions, 'access' | 'device' | 'clock'>,
): void {
  const said = { policy: policy?.seq ?? 0, lockout, at: clock.now() };
  if (!connection.isClosed()) connection.publish(topics.tick(access.user), signTick(device, said));
}

type Where = Pick<FollowOptions, 'path' | 'uid' | 'keeper'>;

/** What was followed of this fleet. Of another one, in which the machine was before, its bounds stay. */
function stateIn({ path, uid, keeper }: Where): Read {
  const read = readFleetState(path, uid);
  if (!read.ok) return read;
  const { value } = read;
  if (value.keeper === undefined || value.keeper === keeper)
    return { ...read, value: { ...value, keeper } };
  const policy = value.policy === null ? null : { ...value.policy, seq: 0 };
  return { ...read, value: { version: 1, keeper, gateways: null, policy, lockout: 0 } };
}
