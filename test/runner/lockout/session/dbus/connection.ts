import { once } from 'node:events';
import { connect } from 'node:net';
import { decode, encode, fields, kinds, o, s, u } from './message.ts';
import type { Received, Value } from './message.ts';

/** A connection to a bus, good enough to own a name, emit, and answer. */
export interface BusConnection {
  own(name: string): Promise<void>;
  emit(path: string, member: `${string}.${string}`, ...body: readonly Value[]): void;
  readonly close: () => void;
}

export interface ConnectOptions {
  /** Answers a call with the values of its reply; null answers with an error. */
  readonly onCall?: (call: { path: string; member: string }) => readonly Value[] | null;
}

const bus = 'org.freedesktop.DBus';

export async function connectToBus(
  path: string,
  { onCall = () => null }: ConnectOptions = {},
): Promise<BusConnection> {
  const socket = connect(path);
  await once(socket, 'connect');
  const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
  socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
  await once(socket, 'data');
  socket.write('BEGIN\r\n');

  let serial = 0;
  const send = (
    kind: number,
    named: readonly (readonly [number, Value])[],
    body: readonly Value[],
  ): number => {
    serial += 1;
    socket.write(encode({ kind, serial, fields: named, body }));
    return serial;
  };
  const waiting = new Map<number, () => void>();
  const answer = ({ serial: asked, fields: head }: Received): void => {
    const call = { path: text(head, fields.path), member: text(head, fields.member) };
    const reply = onCall(call);
    const to = [
      [fields.destination, s(text(head, fields.sender))],
      [fields.replyTo, u(asked)],
    ] as const;
    if (reply === null)
      send(kinds.error, [...to, [fields.error, s(`${bus}.Error.UnknownMethod`)]], []);
    else send(kinds.answer, to, reply);
  };
  let rest: Buffer = Buffer.alloc(0);
  socket
    .on('error', () => undefined)
    .on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      for (let next = decode(rest); next !== null; next = decode(rest)) {
        rest = rest.subarray(next.size);
        const { kind, fields: head } = next.message;
        if (kind === kinds.call) answer(next.message);
        else if (kind !== kinds.signal) waiting.get(Number(head.get(fields.replyTo)))?.();
      }
    });
  const ask = async (member: string, ...body: readonly Value[]): Promise<void> => {
    const to = [
      [fields.path, o('/org/freedesktop/DBus')],
      [fields.interface, s(bus)],
      [fields.member, s(member)],
      [fields.destination, s(bus)],
    ] as const;
    const asked = send(kinds.call, to, body);
    await new Promise<void>((resolve, reject) => {
      waiting.set(asked, resolve);
      socket.once('close', () => reject(new Error(`the bus hung up on ${member}`)));
    });
  };

  await ask('Hello');
  return {
    own: async (name) => ask('RequestName', s(name), u(0)),
    emit: (at, member, ...body) => {
      const cut = member.lastIndexOf('.');
      const named = [
        [fields.path, o(at)],
        [fields.interface, s(member.slice(0, cut))],
        [fields.member, s(member.slice(cut + 1))],
      ] as const;
      send(kinds.signal, named, body);
    },
    close: () => socket.destroy(),
  };
}

function text(head: Received['fields'], field: number): string {
  return String(head.get(field) ?? '');
}
