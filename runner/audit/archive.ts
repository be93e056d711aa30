import { createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withFileLock, writeFileAtomic } from '../../shared/home/index.ts';
import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import type { ChainHead, ChainLine } from './chain.ts';
import { chainStart, linksTo, parseLink } from './chain.ts';
import { linesBackward } from './lines.ts';
import { monthFiles } from './log-files.ts';
import type { AuditRow } from './rows.ts';
import { mayHavePasskey, recordedKeys } from './signed-answers.ts';
import type { KeptKey } from './signed-answers.ts';

const hex = s.string({ pattern: '^[0-9a-f]{64}$' });
const passkeyText = s.string({ maxLength: 8_192 });

/** Which months were taken out of the log, and the last row in them; the mac says that we did it. */
const archived = s.object({
  version: s.literal(1),
  /** `YYYY-MM`: months before it are in the archive. */
  before: s.string({ pattern: '^\\d{4}-\\d{2}$' }),
  seq: s.integer({ minimum: 0 }),
  head: hex,
  /** Passkeys that stand in those months, so that what they signed later can be checked. */
  passkeys: s.optional(
    s.array(
      s.object({
        key: s.object({
          id: passkeyText,
          publicKey: passkeyText,
          rpId: passkeyText,
          name: passkeyText,
          person: s.optional(passkeyText),
          change: s.literal('added'),
        }),
        removedAt: s.nullable(s.integer({ minimum: 0 })),
        /** When it could answer in the owner's place. */
        standsIn: s.optional(
          s.array(s.object({ from: s.integer({ minimum: 0 }), until: s.integer({ minimum: 0 }) }), {
            maxItems: 10_000,
          }),
        ),
      }),
      { maxItems: 100_000 },
    ),
  ),
  mac: hex,
});
type Archived = Static<typeof archived>;
const check = compile(archived);

/** Where a log begins whose older months were archived. */
interface LogStart {
  readonly before: string;
  readonly head: ChainHead;
  /** The passkeys of the months before; absent: an older program archived them, and kept none. */
  readonly passkeys?: readonly KeptKey[] | undefined;
}

/** What `archived.json` says; null when nothing was archived, `invalid` when it is not ours. */
export function readLogStart(directory: string, key: Uint8Array): LogStart | null | 'invalid' {
  const path = join(directory, 'archived.json');
  if (!existsSync(path)) return null;
  const checked = readJson(check, readFileSync(path));
  if (!checked.ok) return 'invalid';
  const { before, seq, head, passkeys, mac } = checked.value;
  const start = { before, head: { seq, mac: head }, passkeys };
  const right = Buffer.from(macOf(key, start), 'hex');
  return timingSafeEqual(right, Buffer.from(mac, 'hex')) ? start : 'invalid';
}

/**
 * Moves the months before `before` (`YYYY-MM`) to `archive/`, never the newest one, and writes down
 * where the log begins now. A runner may write meanwhile. Answers the names of the moved files.
 */
export async function archiveMonths(
  directory: string,
  { key, before }: { readonly key: Uint8Array; readonly before: string },
): Promise<readonly string[]> {
  return withFileLock(join(directory, 'archive.lock'), () => {
    const months = monthFiles(directory);
    const old = months.slice(0, -1).filter((path) => basename(path) < before);
    const first = months[old.length];
    if (old.length === 0 || first === undefined) return [];
    // First the word, then the move: in between, verify passes over the files that are still there.
    const passkeys = keysOf(old, { key, start: readLogStart(directory, key) });
    const start = { before: basename(first, '.jsonl'), head: lastOf(old), passkeys };
    writeStart(directory, { key, start });
    const archive = join(directory, 'archive');
    mkdirSync(archive, { recursive: true, mode: 0o700 });
    for (const path of old) renameSync(path, join(archive, basename(path)));
    return old.map((path) => basename(path));
  });
}

function writeStart(
  directory: string,
  { key, start }: { readonly key: Uint8Array; readonly start: LogStart },
): void {
  const { before, head, passkeys } = start;
  const file: Archived = {
    version: 1,
    before,
    seq: head.seq,
    head: head.mac,
    ...(passkeys !== undefined && { passkeys: passkeys as NonNullable<Archived['passkeys']> }),
    mac: macOf(key, start),
  };
  writeFileAtomic(join(directory, 'archived.json'), `${JSON.stringify(file, null, 2)}\n`);
}

/**
 * The passkeys of these months and of those before. Only rows that we wrote count; undefined where it
 * is not known what stood in the months before.
 */
function keysOf(
  paths: readonly string[],
  { key, start }: { readonly key: Uint8Array; readonly start: LogStart | null | 'invalid' },
): readonly KeptKey[] | undefined {
  if (start === 'invalid' || (start !== null && start.passkeys === undefined)) return undefined;
  const notes: AuditRow[] = [];
  let next: ChainLine | null = null;
  const take = (previous: ChainHead): void => {
    if (next !== null && linksTo(key, previous, next))
      notes.push(JSON.parse(next.rowText) as AuditRow);
    next = null;
  };
  for (const path of paths.toReversed())
    for (const { bytes } of linesBackward(path)) {
      const isWanted = mayHavePasskey(bytes) && bytes.includes('"type":"note"');
      if (next === null && !isWanted) continue;
      const link = parseLink(bytes.toString());
      if (link === null) continue;
      take(link);
      if (isWanted) next = link;
    }
  take(start?.head ?? chainStart);
  const keys = recordedKeys(start?.passkeys);
  for (const row of notes.toReversed()) keys.row(row);
  return keys.all();
}

function lastOf(paths: readonly string[]): ChainHead {
  for (const path of paths.toReversed())
    for (const { bytes } of linesBackward(path)) {
      const link = parseLink(bytes.toString());
      if (link !== null) return { seq: link.seq, mac: link.mac };
    }
  throw refuse('audit-unavailable', 'There is no row in the old months.', 'Run: audit verify');
}

function macOf(key: Uint8Array, { before, head, passkeys }: LogStart): string {
  const [version, kept] =
    passkeys === undefined ? [1, ''] : [2, `\n${JSON.stringify(passkeys.map(inOrder))}`];
  return createHmac('sha256', key)
    .update(`interlock audit archive ${version}\n${before}\n${head.seq}\n${head.mac}${kept}`)
    .digest('hex');
}

/** The fields of a passkey in one order, whoever wrote the file. */
function inOrder({ key, removedAt, standsIn }: KeptKey): readonly unknown[] {
  const { id, publicKey, rpId, name, person = null } = key;
  const times = standsIn?.map(({ from, until }) => [from, until]);
  return [id, publicKey, rpId, name, person, removedAt, ...(times === undefined ? [] : [times])];
}
