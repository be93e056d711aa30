import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { displayPlain } from '../../shared/base/index.ts';
import { datagramAddress, sendDatagram } from '../../shared/home/index.ts';
import type { Receiver } from './export.ts';
import type { AuditRow, LoggedRow } from './rows.ts';

/** A row in one line, for whoever reads a log with their eyes. */
export function rowSentence(row: AuditRow): string {
  return displayPlain(sentenceOf(row)).replaceAll(/\s+/g, ' ');
}

function sentenceOf(row: AuditRow): string {
  if (row.type === 'decision') return `${row.decision} (${row.code}) ${row.agent}: ${row.command}`;
  if (row.type === 'note') return `${row.code}: ${row.text}`;
  if (row.type === 'starting') return `starting ${row.id}`;
  const exit = row.exitCode === null ? '' : `, exit ${String(row.exitCode)}`;
  return `${row.outcome} ${row.id}${exit}`;
}

/** By syslog's scale: what was denied, and notes, stand out. */
export function severityOf(row: AuditRow): number {
  if (row.type === 'note') return 5;
  return row.type === 'decision' && row.decision === 'deny' ? 4 : 6;
}

const longestDatagram = 48 * 1024;
const mark = '… (truncated)';

/** Cut at a character, so that it stays UTF-8; no more than one datagram takes. */
function fitting(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const cut = Buffer.from(text).subarray(0, most - Buffer.byteLength(mark));
  return `${new TextDecoder().decode(cut, { stream: true })}${mark}`;
}

const journalSocket = '/run/systemd/journal/socket';

/** The journal's own protocol: one datagram an entry, a field a line. */
export function journalEntry({ seq, row }: LoggedRow): Buffer {
  const fields: Readonly<Record<string, string>> = {
    MESSAGE: fitting(rowSentence(row), 16 * 1024),
    PRIORITY: String(severityOf(row)),
    SYSLOG_IDENTIFIER: 'interlock',
    SYSLOG_FACILITY: '13',
    INTERLOCK_SEQ: String(seq),
    INTERLOCK_TYPE: row.type,
    INTERLOCK_ROW: fitting(JSON.stringify(row), longestDatagram / 2),
  };
  return Buffer.concat(
    Object.entries(fields).map(([name, value]) => {
      const bytes = Buffer.from(value);
      if (!bytes.includes(10)) return Buffer.from(`${name}=${value}\n`);
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(bytes.length));
      return Buffer.concat([Buffer.from(`${name}\n`), length, bytes, Buffer.from('\n')]);
    }),
  );
}

export function journalReceiver(socket: string = journalSocket): Receiver {
  return datagramReceiver(socket, journalEntry);
}

function datagramReceiver(path: string, write: (row: LoggedRow) => Buffer): Receiver {
  const address = datagramAddress(path);
  if (address === null) throw new Error(`${path} is not an address of a socket here.`);
  return {
    send: async (rows) => {
      for (const row of rows) {
        const problem = sendDatagram(address, write(row));
        if (problem !== null) throw new Error(`${path}: ${problem}`);
      }
      return Promise.resolve();
    },
    dispose: () => undefined,
  };
}

/** RFC 5424, facility "log audit", with the row as JSON behind the cookie that collectors look for. */
export function syslogMessage({ seq, row }: LoggedRow, host: string, pid: number): string {
  const priority = 13 * 8 + severityOf(row);
  const at = new Date(row.at).toISOString();
  const name = host.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 255) || '-';
  const text = fitting(JSON.stringify({ seq, ...row }), longestDatagram);
  return `<${String(priority)}>1 ${at} ${name} interlock ${String(pid)} ${row.type} - @cee: ${text}`;
}

const patienceMs = 3_000;
const quietMs = 1_000;

/** Where `audit.syslog` leads. Throws where the address is none, or the certificates cannot be read. */
export function syslogReceiver(to: string, ca: string | null): Receiver {
  const host = hostname();
  const write = (row: LoggedRow): Buffer => Buffer.from(syslogMessage(row, host, process.pid));
  if (to.startsWith('unix:')) return datagramReceiver(to.slice('unix:'.length), write);
  const { protocol, hostname: named, port } = new URL(to);
  const peer = named.replaceAll(/^\[|\]$/g, '');
  const authority = ca === null ? undefined : readFileSync(ca);
  if (protocol === 'udp:')
    return {
      send: async (rows) => overUdp(rows.map(write), peer, Number(port)),
      dispose: () => undefined,
    };
  const connect = () =>
    protocol === 'tls:'
      ? connectTls({
          host: peer,
          port: Number(port),
          servername: peer,
          ...(authority !== undefined && { ca: authority }),
        })
      : connectTcp({ host: peer, port: Number(port) });
  return {
    send: async (rows) =>
      overStream(rows.map(write), connect, protocol === 'tls:' ? 'secureConnect' : 'connect'),
    dispose: () => undefined,
  };
}

async function overUdp(messages: readonly Buffer[], host: string, port: number): Promise<void> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(port, host, () => {
        let left = messages.length;
        for (const message of messages)
          socket.send(message, (error) => {
            if (error !== null) return reject(error);
            left -= 1;
            if (left === 0) resolve();
          });
      });
    });
  } finally {
    socket.close();
  }
}

/**
 * A connection for these, with their lengths in front (RFC 6587, RFC 5425). Syslog has no word for
 * "taken": they count as such once all is sent and the other end has closed in turn, or has said
 * nothing against it for a while.
 */
async function overStream(
  messages: readonly Buffer[],
  connect: () => ReturnType<typeof connectTcp>,
  ready: 'connect' | 'secureConnect',
): Promise<void> {
  const socket = connect();
  try {
    await new Promise<void>((resolve, reject) => {
      let isSent = false;
      const settle = (why: string): void => (isSent ? resolve() : reject(new Error(why)));
      socket.once('error', reject);
      socket.once('close', () => settle('The connection was closed.'));
      socket.setTimeout(patienceMs, () => settle('It does not take them in time.'));
      socket.once(ready, () => {
        const framed = messages.flatMap((one) => [Buffer.from(`${String(one.length)} `), one]);
        // Read, so that an end of the other side is seen.
        socket.resume();
        socket.end(Buffer.concat(framed), () => {
          isSent = true;
          socket.setTimeout(quietMs);
        });
      });
    });
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}
