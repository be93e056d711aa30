import type { NatsConnection } from '@nats-io/transport-node';
import { messageOf, RefusalError } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { readFleetState, writeFleetState } from '../../shared/home/index.ts';
import type { FleetState } from '../../shared/home/index.ts';
import type { Device } from '../nodes/device.ts';
import { documentNames, readDocument, readOrder, signTick } from './documents.ts';
import type { DocumentName } from './documents.ts';
import type { FleetAccess } from './files.ts';
import { topics } from './keys.ts';

export interface FollowOptions {
  readonly access: Pick<FleetAccess, 'user'>;
  readonly device: Device;
  /** Of the gateway: whose word counts here. */
  readonly gatewayKey: string;
  /** Where it is kept what was taken up. */
  readonly path: string;
  readonly uid: number;
  readonly clock: Pick<Clock, 'now'>;
  /** Closes the lock of this machine. Rejects where it could not. */
  readonly lockOut: (reason: string | null) => Promise<unknown>;
  /** For the log and the record. */
  readonly note: (code: string, text: string) => void;
}

const answerMs = 5_000;
/** What may have come while the last one was taken up. */
const mostWaiting = 64;

/**
 * Takes up what the fleet is told, as long as the connection stands: what there is already, and what
 * comes. Every version once, in the order of their numbers. Never rejects.
 */
export async function followFleet(
  connection: NatsConnection,
  options: FollowOptions,
): Promise<void> {
  const waiting: string[] = [];
  const told = new Set<string>();
  /** Each once a connection: a server that forges and repeats must not fill the record. */
  const note = (code: string, text: string): void => {
    if (told.has(code)) return;
    told.add(code);
    options.note(code, text);
  };
  let isBusy = false;
  const hear = async (data: string): Promise<void> => {
    if (waiting.length < mostWaiting) waiting.push(data);
    if (isBusy) return;
    isBusy = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        if (await takeUp(next, { ...options, note })) tick(connection, options);
        else
          note('fleet-refused', 'nats-server passed something on that the gateway did not sign.');
      } catch (error) {
        note('fleet-failed', `What the fleet was told was not taken up: ${messageOf(error)}`);
      }
    }
    isBusy = false;
  };
  try {
    connection.subscribe(topics.news, {
      callback: (error, message) => {
        if (error === null) void hear(message.string());
      },
    });
    for (const name of documentNames) {
      const answer = await connection
        .request(topics.document(name), undefined, { timeout: answerMs })
        .catch(() => null);
      if (answer !== null && answer.data.length > 0) await hear(answer.string());
      // Nobody has told the fleet anything, where there is no such document; unless somebody had.
      else if (!connection.isClosed() && followed(name, options) > 0)
        note('fleet-missing', `nats-server shows no ${name}, and this machine has followed one.`);
    }
  } catch (error) {
    if (!connection.isClosed()) note('fleet-failed', messageOf(error));
  }
}

/** False for what the gateway did not sign. */
async function takeUp(data: string, options: FollowOptions): Promise<boolean> {
  const { path, uid, gatewayKey, note, lockOut } = options;
  const said = readDocument(data, gatewayKey);
  if (said === null) return false;
  const { name, seq, text } = said;
  const read = readFleetState(path, uid);
  const order = name === 'lockout' ? readOrder(text) : null;
  // Where it is not known which ones were followed, and whatever a later version says: rather stop.
  const isLock = name === 'lockout' && order?.locked !== false;
  if (isLock && (!read.ok || seq > read.value.lockout)) await lockOut(order?.reason ?? null);
  if (!read.ok) throw new RefusalError(read.problem);
  const state = read.value;
  if (seq < followed(name, options))
    note('fleet-older', `nats-server shows an older ${name} than this machine has followed.`);
  if (name === 'lockout') {
    if (seq > state.lockout) writeFleetState(path, { ...state, lockout: seq });
  } else if (seq > (state.policy?.seq ?? 0)) {
    writeFleetState(path, { ...state, policy: { seq, text } });
    note('fleet-policy', 'The gateway sent other bounds of the fleet.');
  }
  return true;
}

/** The version of a document that was followed last; 0: none, or not known. */
function followed(name: DocumentName, { path, uid }: Pick<FollowOptions, 'path' | 'uid'>): number {
  const read = readFleetState(path, uid);
  if (!read.ok) return 0;
  return name === 'lockout' ? read.value.lockout : (read.value.policy?.seq ?? 0);
}

function tick(connection: NatsConnection, options: FollowOptions): void {
  const { policy, lockout } = stateOf(options);
  const { access, device, clock } = options;
  const said = { policy: policy?.seq ?? 0, lockout, at: clock.now() };
  connection.publish(topics.tick(access.user), signTick(device, said));
}

function stateOf({ path, uid }: Pick<FollowOptions, 'path' | 'uid'>): FleetState {
  const read = readFleetState(path, uid);
  if (read.ok) return read.value;
  throw new RefusalError(read.problem);
}
