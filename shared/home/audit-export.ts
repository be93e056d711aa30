import { compile, readJson, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { readPrivateFile, writeFileAtomic } from './files.ts';

/** Whereto the record goes beside its own files. */
export const auditReceivers = ['journald', 'syslog', 'otlp-logs', 'otlp-metrics'] as const;
export type AuditReceiver = (typeof auditReceivers)[number];

const count = s.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const standing = s.object({
  /** The file of the record, by its name, and the byte in it, up to which all has gone. */
  file: s.nullable(s.string({ maxLength: 64 })),
  offset: count,
  /** Number of the last row that has gone. */
  seq: count,
  /** Rows that were left out because too many waited. */
  skipped: count,
  /** Why the receiver does not take them, as a sentence, and since when; null while it does. */
  problem: s.nullable(s.string({ maxLength: 1_000 })),
  since: s.number(),
});
/** How far one receiver has come. */
export type ExportStanding = Static<typeof standing>;

const schema = s.object({
  version: s.literal(1),
  receivers: s.object({
    journald: s.optional(standing),
    syslog: s.optional(standing),
    'otlp-logs': s.optional(standing),
    'otlp-metrics': s.optional(standing),
  }),
});
const check = compile(schema);
export type ExportState = Readonly<Partial<Record<AuditReceiver, ExportStanding>>>;

/** What is known of the receivers; null where the file cannot be read or believed. */
export function readExportState(path: string, uid: number): ExportState | null {
  const file = readPrivateFile(path, { uid, maxBytes: 64 * 1024 });
  if (file.kind === 'missing') return {};
  const checked = file.kind === 'text' ? readJson(check, file.text) : null;
  return checked?.ok === true ? checked.value.receivers : null;
}

/** Throws what the file system throws. */
export function writeExportState(path: string, receivers: ExportState): void {
  writeFileAtomic(path, `${JSON.stringify({ version: 1, receivers })}\n`);
}
