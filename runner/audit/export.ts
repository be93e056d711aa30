import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { displayPlain, messageOf } from '../../shared/base/index.ts';
import type { Clock, Disposable } from '../../shared/base/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import {
  auditReceivers,
  readExportState,
  readPrivateFile,
  writeExportState,
} from '../../shared/home/index.ts';
import type { AuditReceiver, ExportStanding, ExportState } from '../../shared/home/index.ts';
import { linesBackward, linesOf } from './lines.ts';
import { monthFiles } from './log-files.ts';
import { isStarting, parseRow } from './rows.ts';
import type { LoggedRow } from './rows.ts';

/** Takes rows of the record to another place. */
export interface Receiver {
  /** Settles when it has them all; rejects where that cannot be said. They may come again then. */
  send(rows: readonly LoggedRow[]): Promise<void>;
  dispose(): unknown;
}

interface ExportOptions {
  /** Of the record. */
  readonly directory: string;
  /** `state/audit-export.json`. */
  readonly path: string;
  readonly uid: number;
  readonly clock: Clock;
  /** What is set now; null while the settings are not valid, and then nothing goes anywhere. */
  readonly settings: () => Config['audit'] | null;
  /** Opens one; may reject. */
  readonly open: (to: AuditReceiver, settings: Config['audit']) => Promise<Receiver>;
  /** Told once when a receiver stops taking rows, and once when it takes them again. */
  readonly told: (sentence: string) => void;
}

/** Opens the receivers of this machine's settings; their code is loaded then. */
export function openReceivers(uid: number, version: string): ExportOptions['open'] {
  return async (to, { syslog, syslogCa, otlpLogs, otlpMetrics, otlpTokenFile }) => {
    const url = to === 'otlp-logs' ? otlpLogs : to === 'otlp-metrics' ? otlpMetrics : null;
    if (url !== null) {
      const { otlpLogReceiver, otlpMetricReceiver } = await import('./otlp.ts');
      const token = otlpTokenFile === null ? null : readToken(otlpTokenFile, uid);
      const make = to === 'otlp-logs' ? otlpLogReceiver : otlpMetricReceiver;
      return make({ url, token, version });
    }
    const { journalReceiver, syslogReceiver } = await import('./receivers.ts');
    if (to === 'journald') return journalReceiver();
    if (syslog === null) throw new Error('No address is set.');
    return syslogReceiver(syslog, syslogCa);
  };
}

function readToken(path: string, uid: number): string {
  const file = readPrivateFile(path, { uid, maxBytes: 4_096 });
  const token = file.kind === 'text' ? file.text.trim() : '';
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Error(`${path} is no file of ours alone (0600) with a token on one line.`);
}

const lookMs = 1_000;
/** Between looks whether it was set by now. */
const offMs = 15_000;
const longestWaitMs = 60_000;
const rowsAtOnce = 200;

/** What is set of a receiver, as a text that changes with it; null where it is off. */
function settingOf(to: AuditReceiver, audit: Config['audit']): string | null {
  if (to === 'journald') return audit.journald ? 'on' : null;
  if (to === 'syslog')
    return audit.syslog === null ? null : JSON.stringify([audit.syslog, audit.syslogCa]);
  const url = to === 'otlp-logs' ? audit.otlpLogs : audit.otlpMetrics;
  return url === null ? null : JSON.stringify([url, audit.otlpTokenFile]);
}

/** How far each receiver has come, on the disk as well as that goes. */
function keptStandings(path: string, uid: number) {
  let state: ExportState = readExportState(path, uid) ?? {};
  return {
    of: (to: AuditReceiver): ExportStanding | undefined => state[to],
    keep: (to: AuditReceiver, standing: ExportStanding | undefined): void => {
      const { [to]: _before, ...others } = state;
      state = standing === undefined ? others : { ...others, [to]: standing };
      try {
        writeExportState(path, state);
      } catch {
        // Rows then come twice after a start, with the numbers that they had.
      }
    },
  };
}

/** The receiver while it works; it is opened anew after it failed. */
function keptOpen(to: AuditReceiver, open: ExportOptions['open']) {
  let receiver: Receiver | null = null;
  return {
    current: async (audit: Config['audit']): Promise<Receiver> =>
      (receiver ??= await open(to, audit)),
    close: async (): Promise<void> => {
      const before = receiver;
      receiver = null;
      await Promise.resolve(before?.dispose()).catch(() => undefined);
    },
  };
}

/** What sends rows on to one receiver, turn by turn. */
function senderTo(
  to: AuditReceiver,
  options: ExportOptions,
  standings: ReturnType<typeof keptStandings>,
) {
  const { clock, open } = options;
  const { keep } = standings;
  const { current, close } = keptOpen(to, open);
  let isDisposed = false;
  let wanted: string | null = null;
  let failures = 0;
  let cancel = (): void => undefined;
  let under: Promise<void> = Promise.resolve();
  const pump = async (audit: Config['audit']): Promise<void> => {
    const before = standings.of(to);
    let standing = before ?? endOf(options.directory, clock.now());
    if (before === undefined) keep(to, standing);
    try {
      for (;;) {
        const batch = await nextRows(options.directory, standing, audit.behind);
        if (batch.rows.length === 0 && batch.at.seq === standing.seq) break;
        const receiver = await current(audit);
        if (batch.rows.length > 0) await receiver.send(batch.rows);
        const isBack = standing.problem !== null;
        standing = { ...batch.at, problem: null, since: clock.now() };
        keep(to, standing);
        failures = 0;
        if (isBack) options.told(`The record goes to ${to} again.`);
        if (isDisposed) return;
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      await close();
      const problem = displayPlain(messageOf(error)).slice(0, 500);
      if (standing.problem === null) {
        options.told(`The record does not go to ${to}: ${problem}`);
        keep(to, { ...standing, problem, since: clock.now() });
      }
    }
  };
  const look = async (): Promise<void> => {
    const audit = options.settings();
    const now = audit === null ? null : settingOf(to, audit);
    if (audit !== null && now !== wanted) {
      await close();
      failures = 0;
      // What happens while it is off is not sent later.
      if (now === null && standings.of(to) !== undefined) keep(to, undefined);
      wanted = now;
    }
    if (audit !== null && now !== null) await pump(audit);
  };
  const once = async (): Promise<void> => {
    try {
      await look();
    } catch (error) {
      failures += 1;
      options.told(`The record cannot be read for ${to}: ${messageOf(error)}`);
    }
    const tried = Math.min(lookMs * 2 ** Math.min(failures, 10), longestWaitMs);
    try {
      if (!isDisposed) cancel = clock.after(wanted === null ? offMs : tried, turn);
    } catch (error) {
      options.told(`The record goes to ${to} no more: ${messageOf(error)}`);
    }
  };
  const turn = (): void => {
    under = once();
  };
  const stop = async (): Promise<void> => {
    isDisposed = true;
    cancel();
    await under;
    await close();
  };
  return { turn, stop };
}

/**
 * Sends the record on, to each receiver by itself and in its order. The record's own files are what waits
 * while a receiver is away; where it is kept is only how far each has come. Nothing waits for this.
 */
export function exportAudit(options: ExportOptions): Disposable {
  const standings = keptStandings(options.path, options.uid);
  const all = auditReceivers.map((to) => senderTo(to, options, standings));
  const cancelFirst = options.clock.after(1, () => {
    for (const { turn } of all) turn();
  });
  return {
    dispose: async () => {
      cancelFirst();
      await Promise.all(all.map(async ({ stop }) => stop()));
    },
  };
}

type Place = Pick<ExportStanding, 'file' | 'offset' | 'seq' | 'skipped'>;

/** The end of the record: what was before a receiver was set is not sent to it. */
function endOf(directory: string, now: number): ExportStanding {
  const path = monthFiles(directory).at(-1);
  const begun = { skipped: 0, problem: null, since: now };
  if (path === undefined) return { file: null, offset: 0, seq: 0, ...begun };
  for (const { offset, bytes } of linesBackward(path)) {
    const logged = parseRow(bytes);
    if (logged !== null)
      return {
        file: basename(path),
        offset: offset + bytes.length + 1,
        seq: logged.seq,
        ...begun,
      };
  }
  return { file: basename(path), offset: 0, seq: 0, ...begun };
}

/**
 * The next rows after a place, and the place after them. Where more than `behind` wait, the oldest are
 * left out and counted. Rows are told apart by their numbers: a file that was cut back or archived in
 * between brings none twice.
 */
async function nextRows(
  directory: string,
  from: Place,
  behind: number,
): Promise<{ readonly rows: readonly LoggedRow[]; readonly at: Place }> {
  const rows: LoggedRow[] = [];
  let at = from;
  const newest = endOf(directory, 0).seq;
  const least = Math.max(from.seq, newest - behind);
  for (const path of monthFiles(directory)) {
    const file = basename(path);
    if (from.file !== null && file < from.file) continue;
    const start = file === from.file ? from.offset : 0;
    const begin = start <= statSync(path).size ? start : 0;
    for await (const lines of linesOf(path, { from: begin }))
      for (const { offset, bytes } of lines) {
        const logged = parseRow(bytes);
        const { seq } = logged ?? at;
        const isLeftOut = logged !== null && seq > at.seq && seq <= least;
        at = {
          file,
          offset: offset + bytes.length + 1,
          seq: Math.max(seq, at.seq),
          skipped: at.skipped + (isLeftOut ? 1 : 0),
        };
        if (logged === null || isStarting(bytes) || seq <= from.seq || isLeftOut) continue;
        rows.push(logged);
        if (rows.length >= rowsAtOnce) return { rows, at };
      }
  }
  return { rows, at };
}
