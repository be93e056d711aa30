import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeEach, describe, expect, it, test } from 'vitest';
import { openAuthority } from '../../../runner/egress/authority.ts';
import { exportAudit } from '../../../runner/audit/export.ts';
import {
  journalEntry,
  journalReceiver,
  syslogMessage,
  syslogReceiver,
} from '../../../runner/audit/receivers.ts';
import type { AuditRow, LoggedRow } from '../../../runner/audit/rows.ts';
import type { Config } from '../../../shared/engine/config.ts';
import { defaultConfig } from '../../../shared/engine/config.ts';
import { parseConfig } from '../../../shared/engine/config-schema.ts';
import { auditReceivers, readExportState } from '../../../shared/home/audit-export.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import { exportChecks } from '../../../shared/operations/health/audit-export.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import { listenForNotices } from '../service/notify-socket.ts';

const made = mkdtempSync(join(tmpdir(), 'interlock-export-'));
afterAll(() => rmSync(made, { recursive: true, force: true }));
const uid = process.getuid?.() ?? 0;
let count = 0;
let home: string;
let directory: string;

beforeEach(() => {
  home = join(made, String((count += 1)));
  directory = join(home, 'audit');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  mkdirSync(join(home, 'state'), { mode: 0o700 });
});

const noteOf = (text: string): AuditRow => ({ type: 'note', at: 1_000, code: 'x', text });
const line = (seq: number, row: AuditRow = noteOf(`row ${seq}`)): string =>
  `${JSON.stringify({ seq, mac: 'a', row })}\n`;
const append = (from: number, to: number, month = '2026-01'): void => {
  for (let seq = from; seq <= to; seq += 1)
    appendFileSync(join(directory, `${month}.jsonl`), line(seq));
};

/** A record on its way to a syslog of ours, whose clock is ours too. */
function bench(audit: Partial<Config['audit']> = { syslog: 'udp://a:1' }) {
  const clock = fakeClock();
  const sent: number[] = [];
  const told: string[] = [];
  const state = { away: false, audit: { ...defaultConfig.audit, ...audit } };
  const path = homePaths({ INTERLOCK_HOME: home }).auditExport;
  const start = () => {
    const running = exportAudit({
      directory,
      path,
      uid,
      clock,
      settings: () => state.audit,
      open: async () =>
        Promise.resolve({
          send: async (rows) => {
            if (state.away) throw new Error('nobody is there');
            sent.push(...rows.map(({ seq }) => seq));
            return Promise.resolve();
          },
          dispose: () => undefined,
        }),
      told: (sentence) => told.push(sentence),
    });
    clock.advance(1);
    return running;
  };
  /** One turn after another, as far as the disk lets it. */
  const turn = async (ms = 60_000): Promise<void> => {
    await settled(clock);
    clock.advance(ms);
    await settled(clock);
  };
  const health = () =>
    exportChecks(
      {
        paths: homePaths({ INTERLOCK_HOME: home }),
        env: {},
        packageRoot: made,
        platform: 'linux',
        uid,
      },
      { ...defaultConfig, audit: state.audit },
    );
  return {
    clock,
    sent,
    told,
    state,
    start,
    turn,
    health,
    standing: () => readExportState(path, uid)?.syslog,
  };
}

/** Until each receiver waits for its next turn; no time of the clock goes by. */
async function settled(clock: FakeClock): Promise<void> {
  while (clock.pending < auditReceivers.length)
    await new Promise((resolve) => void setImmediate(resolve));
}

describe('the record on its way elsewhere', () => {
  it('is off by default, and then opens and keeps nothing', async () => {
    append(1, 3);
    const { start, turn, sent, health, standing } = bench({});
    const running = start();
    await turn();
    await running.dispose();
    expect([sent, standing(), health()]).toEqual([[], undefined, []]);
    expect(existsSync(join(home, 'state', 'audit-export.json'))).toBe(false);
  });

  it('begins with what comes after it was set, goes on over months, and leaves starts out', async () => {
    append(1, 3);
    const { start, turn, sent, health } = bench();
    const running = start();
    await turn();
    append(4, 5);
    appendFileSync(join(directory, '2026-01.jsonl'), line(6, { type: 'starting', id: 'a', at: 1 }));
    append(7, 8, '2026-02');
    await turn();
    expect(sent).toEqual([4, 5, 7, 8]);
    expect(health()).toMatchObject([{ level: 'ok', detail: 'Up to row 8.' }]);
    await running.dispose();
  });

  it('waits in the record while the receiver is away, says so once, and comes later in order', async () => {
    append(1, 1);
    const { start, turn, sent, told, state, health } = bench();
    const first = start();
    await turn();
    state.away = true;
    append(2, 500);
    for (let times = 0; times < 4; times += 1) await turn();
    expect(told).toEqual(['The record does not go to syslog: nobody is there']);
    expect(health()).toMatchObject([
      { level: 'warning', detail: expect.stringContaining('What comes after row 1 waits') },
    ]);
    await first.dispose();
    state.away = false;
    const second = start();
    await turn();
    expect(sent).toEqual(Array.from({ length: 499 }, (_, index) => index + 2));
    expect(told).toHaveLength(2);
    expect(health()).toMatchObject([{ level: 'ok' }]);
    await second.dispose();
  });

  it('leaves the oldest out where too many wait, and counts them', async () => {
    append(1, 1);
    const { start, turn, sent, state, health } = bench({ syslog: 'udp://a:1', behind: 1_000 });
    state.away = true;
    const running = start();
    await turn();
    append(2, 1_500);
    await turn();
    state.away = false;
    await turn();
    expect([sent[0], sent.at(-1), sent.length]).toEqual([501, 1_500, 1_000]);
    expect(health()).toMatchObject([
      {
        level: 'warning',
        detail: 'Up to row 1500. 499 rows were left out, since too many waited.',
      },
    ]);
    await running.dispose();
  });

  it('sends nothing twice when the file was cut back, and goes on when a month was archived', async () => {
    append(1, 2);
    const { start, turn, sent } = bench();
    const running = start();
    await turn();
    append(3, 6);
    await turn();
    truncateSync(join(directory, '2026-01.jsonl'), line(1).length * 4);
    append(5, 7);
    await turn();
    expect(sent).toEqual([3, 4, 5, 6, 7]);
    rmSync(join(directory, '2026-01.jsonl'));
    append(8, 8, '2026-02');
    await turn();
    expect(sent.at(-1)).toBe(8);
    await running.dispose();
  });

  it('forgets a receiver that is turned off: what happens meanwhile is not sent later', async () => {
    append(1, 1);
    const { start, turn, sent, state } = bench();
    const running = start();
    await turn();
    const on = state.audit;
    state.audit = defaultConfig.audit;
    await turn();
    append(2, 3);
    state.audit = on;
    await turn();
    append(4, 4);
    await turn();
    expect(sent).toEqual([4]);
    await running.dispose();
  });

  it('begins anew at the end where what it kept is damaged', async () => {
    append(1, 3);
    writeFileSync(join(home, 'state', 'audit-export.json'), '{', { mode: 0o600 });
    const { start, turn, sent } = bench();
    const running = start();
    await turn();
    append(4, 4);
    await turn();
    expect(sent).toEqual([4]);
    await running.dispose();
  });
});

const decision = {
  type: 'decision',
  id: 'i',
  at: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  agent: 'claude',
  command: 'curl \u202e x\nnext',
  decision: 'deny',
  code: 'policy-deny',
} as unknown as AuditRow;

describe('what a receiver gets', () => {
  it('is RFC 5424 with the row as JSON, in one line', () => {
    const text = syslogMessage({ seq: 7, row: decision }, 'höst one', 42);
    expect(text).toMatch(
      /^<108>1 2026-01-02T03:04:05\.006Z hstone interlock 42 decision - @cee: \{/,
    );
    expect(text).not.toContain('\n');
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
      seq: 7,
      command: 'curl \u202e x\nnext',
    });
  });

  it('is cut with a mark where a datagram does not take it', () => {
    const long = { seq: 1, row: noteOf('ä'.repeat(100_000)) };
    for (const text of [syslogMessage(long, 'h', 1), journalEntry(long).toString()]) {
      expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024);
      expect(text).toContain('… (truncated)');
      expect(text).not.toContain('\ufffd');
    }
  });

  it.each(['unix:/dev/log', 'udp://h:1', 'tcp://[::1]:514', 'tls://logs.example.com:6514'])(
    'can be sent to %s',
    (syslog) => {
      expect(parseConfig(JSON.stringify({ version: 1, audit: { syslog } })).ok).toBe(true);
    },
  );
  it.each([
    'logs.example.com',
    'unix:relative',
    'http://h:1',
    'tcp://h',
    'tcp://u:p@h:1',
    'tls://h:1/x',
  ])('cannot be sent to %s', (syslog) => {
    expect(parseConfig(JSON.stringify({ version: 1, audit: { syslog } })).ok).toBe(false);
  });
});

const rows: readonly LoggedRow[] = [
  { seq: 1, row: decision },
  { seq: 2, row: noteOf('é two') },
];

test.runIf(process.platform === 'linux')(
  'the journal gets fields by its own protocol, and who is away is no success',
  async () => {
    const path = join(home, 'journal');
    const socket = listenForNotices(path);
    await journalReceiver(path).send(rows);
    const heard = socket.heard();
    expect(heard).toHaveLength(2);
    expect(heard[1]).toContain('MESSAGE=x: é two\nPRIORITY=5\nSYSLOG_IDENTIFIER=interlock\n');
    expect(heard[0]).toMatch(/^MESSAGE=deny \(policy-deny\) claude: [^\n]*\nPRIORITY=4\n/);
    expect(heard[0]).toContain('\nINTERLOCK_SEQ=1\n');
    await syslogReceiver(`unix:${path}`, null).send(rows);
    expect(socket.heard()[0]).toMatch(/^<108>1 /);
    socket.close();
    await expect(journalReceiver(path).send(rows)).rejects.toThrow(path);
  },
);

describe('syslog over the network', () => {
  it('comes by UDP, one a datagram', async () => {
    const socket = createSocket('udp4');
    const heard: string[] = [];
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const both = new Promise<void>((resolve) =>
      socket.on('message', (message) => heard.push(message.toString()) === 2 && resolve()),
    );
    await syslogReceiver(`udp://127.0.0.1:${String(socket.address().port)}`, null).send(rows);
    await both;
    socket.close();
    expect(heard.map((one) => one.slice(0, 7))).toEqual(['<108>1 ', '<109>1 ']);
  });

  it('comes by TCP with its length in front, and a refused connection is no success', async () => {
    const heard: Buffer[] = [];
    const server = createServer((socket: Socket) => socket.on('data', (part) => heard.push(part)));
    const port = await listening(server);
    const receiver = syslogReceiver(`tcp://127.0.0.1:${String(port)}`, null);
    await receiver.send(rows);
    expect(framesOf(Buffer.concat(heard))).toHaveLength(2);
    server.close();
    await expect(receiver.send(rows)).rejects.toThrow();
  });

  it('comes by TLS to whom the certificate names, and to nobody else', async () => {
    const path = join(home, 'authority.pem');
    const authority = await openAuthority({ path, uid, now: () => Date.now() });
    const ca = join(home, 'ca.pem');
    writeFileSync(ca, authority.certificate);
    const named = await authority.contextFor('localhost');
    const heard: Buffer[] = [];
    const server = createTlsServer({ SNICallback: (_, done) => done(null, named) }, (socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (part) => heard.push(part));
    });
    const port = String(await listening(server));
    await syslogReceiver(`tls://localhost:${port}`, ca).send(rows);
    expect(framesOf(Buffer.concat(heard))).toHaveLength(2);
    await expect(syslogReceiver(`tls://127.0.0.1:${port}`, ca).send(rows)).rejects.toThrow();
    await expect(syslogReceiver(`tls://localhost:${port}`, null).send(rows)).rejects.toThrow();
    server.close();
    expect(framesOf(Buffer.concat(heard))).toHaveLength(2);
  });
});

async function listening(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return (server.address() as AddressInfo).port;
}

/** Octet-counted messages. */
function framesOf(bytes: Buffer): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at);
    const length = Number(bytes.subarray(at, space).toString());
    found.push(bytes.subarray(space + 1, space + 1 + length).toString());
    at = space + 1 + length;
  }
  return found;
}
