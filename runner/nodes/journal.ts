import { createHash } from 'node:crypto';
import { closeSync, constants, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { compile, messageOf, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Check, Schema } from '../../shared/base/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import { runEndSchema } from '../../shared/wire/index.ts';
import type { NodeOutcome, NodeTask, RunEnd } from '../../shared/wire/index.ts';
import type { GatewayRunRecord, NodeRunRecord, RunOf } from './runs.ts';

/** The records of the runs with one other machine, in a file of their own. */
export interface RunJournal<R> {
  /** What was there when it was opened, in its shortest form, oldest first. */
  readonly kept: readonly R[];
  /**
   * On the disk when it returns. Throws `audit-unavailable` where it cannot be, and from then on until
   * the journal is opened anew: what came after a gap would tell another story.
   */
  keep(record: R): void;
  /** Writes the file anew with these, which say the same as all that were kept. */
  shorten(records: readonly R[]): void;
  /** Bytes of the file. */
  readonly size: number;
  /** Whether the file is so long that it should be shortened. */
  readonly isLong: boolean;
  /** Something could not be written: from then on nothing is. */
  readonly isBroken: boolean;
  dispose(): void;
}

interface JournalOptions<R> {
  readonly path: string;
  readonly uid: number;
  readonly check: Check<R>;
  /** The shortest records that say the same as these. */
  readonly shortest: (records: readonly R[]) => readonly R[];
}

const maxBytes = 128 * 1024 * 1024;
const long = 4 * 1024 * 1024;

/**
 * Opens a journal; an empty one where there is none. Throws `config-invalid` for a file that is not
 * ours alone or holds what is not a record: a run may not be taken for one that never was. Only a last
 * line without its end is left out: its writer died in the middle, and nothing came of it.
 */
export function openRunJournal<R>(options: JournalOptions<R>): RunJournal<R> {
  const { path, check } = options;
  const kept = options.shortest(readRecords(options));
  let file = -1;
  let written = 0;
  /** Written anew, it had so many bytes: where there is much to say, it is not said again at each turn. */
  let least = 0;
  let broken: Error | null = null;
  const close = (): void => {
    if (file >= 0) closeSync(file);
    file = -1;
  };
  const guarded = (work: () => void): void => {
    try {
      if (broken !== null) throw broken;
      work();
    } catch (error) {
      broken ??= error instanceof Error ? error : new Error(messageOf(error));
      throw refuse(
        'audit-unavailable',
        `What runs on the other machine could not be written down: ${messageOf(error)}`,
        'The connection ends. Have a person look at the disk that holds INTERLOCK_HOME.',
        { cause: error },
      );
    }
  };
  const shorten = (records: readonly R[]): void =>
    guarded(() => {
      close();
      const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
      writeFileAtomic(path, text);
      file = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
      written = Buffer.byteLength(text);
      least = written;
    });
  // At once, so that a line that was cut short is not there to swallow the next one.
  shorten(kept);
  return {
    kept,
    get size() {
      return written;
    },
    get isLong() {
      return written > Math.max(long, 2 * least);
    },
    get isBroken() {
      return broken !== null;
    },
    shorten,
    keep: (record) =>
      guarded(() => {
        // What could not be read again would take all that stands before it along.
        const checked = check(record);
        if (!checked.ok) throw new Error(`it is not a record: ${checked.error}`);
        const line = Buffer.from(`${JSON.stringify(record)}\n`);
        if (writeSync(file, line) !== line.length) throw new Error('the disk is full');
        fdatasyncSync(file);
        written += line.length;
      }),
    dispose: () => {
      broken ??= new Error('the journal is closed');
      close();
    },
  };
}

function readRecords<R>({ path, uid, check }: Omit<JournalOptions<R>, 'shortest'>): readonly R[] {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return [];
  if (file.kind === 'unsafe') throw unfit(path, file.why);
  const lines = file.text.split('\n');
  // What follows the last line break is nothing, or a line that was never finished.
  return lines.slice(0, -1).map((line, at) => {
    const checked = readJson(check, line);
    if (checked.ok) return checked.value;
    throw unfit(path, `cannot be read in line ${at + 1}: ${checked.error.replace(/\.$/u, '')}`);
  });
}

function unfit(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `The record of runs on other machines, ${path}, ${why}.`,
    'Nothing is run there until then. Move it away only when you know what ran: it keeps a run from happening twice.',
  );
}

/** The digest of a task, which says all of it. Both sides make it. */
export function taskDigest(task: NodeTask): string {
  return createHash('sha256').update(JSON.stringify(task)).digest('hex');
}

const run = s.integer({ minimum: 0 });
const digest = s.string({ minLength: 1, maxLength: 128 });
const of = s.object({
  id: s.string({ maxLength: 64 }),
  session: s.nullable(s.string({ maxLength: 192 })),
});

const id = s.optional(s.string({ maxLength: 64 }));

/** The check of a node's records. */
export function nodeRecordCheck<O>(outcome: Schema<O>): Check<NodeRunRecord<O>> {
  const end = runEndSchema(outcome);
  return compile(
    s.union(
      s.object({ kind: s.literal('started'), run, digest, id }),
      s.object({ kind: s.literal('over'), run, digest, end, id }),
      s.object({ kind: s.literal('settled'), run, floor: run, from: s.optional(run) }),
    ),
  );
}

/** The check of a gateway's records. */
export function gatewayRecordCheck<O>(outcome: Schema<O>): Check<GatewayRunRecord<O>> {
  return compile(
    s.union(
      s.object({ kind: s.literal('asked'), run, digest, of: s.optional(of) }),
      s.object({ kind: s.literal('ended'), run, end: runEndSchema(outcome) }),
    ),
  );
}

/** Ends that stay in a file which is shortened: whoever waits for one may not have written it down yet. */
const endsKept = 32;

/** The shortest records of a gateway that say the same: what is open, the last number it gave, the last ends. */
export function openGatewayRecords<O>(
  records: readonly GatewayRunRecord<O>[],
): readonly GatewayRunRecord<O>[] {
  const ended = records.filter(({ kind }) => kind === 'ended').map((each) => each.run);
  const [closed, left] = [new Set(ended), new Set(ended.slice(-endsKept))];
  const last = records.reduce((most, record) => Math.max(most, record.run), 0);
  return records.filter((each) => each.run === last || !closed.has(each.run) || left.has(each.run));
}

/** The record without what only whoever waited is told. */
export function withoutOutput(
  record: GatewayRunRecord<NodeOutcome>,
): GatewayRunRecord<NodeOutcome> {
  if (record.kind !== 'ended' || record.end.kind !== 'done') return record;
  const outcome = { ...record.end.outcome, stdout: '', stderr: '' };
  return { ...record, end: { kind: 'done', outcome } };
}

/** The runs that have an end here, with whose they were. */
export function endedRuns<O>(
  records: readonly GatewayRunRecord<O>[],
): readonly { readonly of: RunOf | undefined; readonly end: RunEnd<O> }[] {
  const asked = new Map<number, RunOf | undefined>();
  return records.flatMap((record) => {
    if (record.kind === 'ended') return [{ of: asked.get(record.run), end: record.end }];
    asked.set(record.run, record.of);
    return [];
  });
}
