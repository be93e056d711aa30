import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { compile, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { linesOf } from './lines.ts';
import type { Line } from './lines.ts';
import {
  anything,
  bytesOf,
  deciders,
  numberOfDecider,
  farOf,
  flag,
  flagsOf,
  high,
  recordBytes,
  recordWords,
  testOf,
  timeOf,
} from './index-records.ts';
import type { Wanted } from './index-records.ts';
import { mostNames, Names, Store } from './index-store.ts';
import { isStarting, parseRow } from './rows.ts';
import type { DecisionRow, OutcomeRow } from './rows.ts';
import { searchedText, signatureBytes, signText } from './signature.ts';

/** Decisions that share a signature of their text. */
const blockRecords = 512;
/** Decisions without an outcome of which the ids are read again at a start. */
const mostOpen = 10_000;

const place = s.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const names = s.array(s.string({ maxLength: 100_000 }), { maxItems: mostNames });
const headSchema = s.object({
  version: s.literal(1),
  count: place,
  agents: names,
  codes: names,
  last: s.object({ offset: place, length: place, sha256: s.string({ pattern: '^[0-9a-f]{64}$' }) }),
});
const checkHead = compile(headSchema);

/** Where the last line that was taken in stands, and what it is. */
interface Last {
  readonly offset: number;
  readonly length: number;
  readonly sha256: string;
}

/** Decisions to run whose outcome was not seen yet, by id; shared by all months of a log. */
export type OpenDecisions = Map<string, { readonly month: MonthIndex; readonly at: number }>;

/** What the record of a decision says. */
export interface Found {
  /** Its place among the decisions of the month, the oldest first. */
  readonly at: number;
  readonly offset: number;
  readonly length: number;
  readonly exitCode: number | null;
  /** Where the line of its outcome is, where that says more than how it ended. */
  readonly left: { readonly path: string; readonly offset: number } | null;
}

/**
 * Where the decisions of one file of the log are and what is asked about them, in records of one size
 * beside the log: nothing of it is kept in memory, and what a start needs is read. It is made from the
 * log and never the truth: where the line that it ends with is another one by now, where it is cut, or
 * of another version, it is made anew. Where it cannot be written it is kept in memory.
 */
export class MonthIndex {
  readonly path: string;
  readonly #base: string;
  /** Months since the year 0. */
  readonly #number: number;
  readonly #records: Store;
  readonly #signatures: Store;
  readonly #agents = new Names();
  readonly #codes = new Names();
  #count = 0;
  #last: Last | null = null;
  /** Of the block that is not full yet. */
  #signature = new Uint8Array(signatureBytes);
  /** Records of the lines being taken in until they are written, and the place of the first. */
  #pending: number[] = [];
  #pendingFrom = 0;

  /** @param path of the log's file @param folder where the index is kept */
  constructor(path: string, folder: string) {
    this.path = path;
    this.#base = join(folder, basename(path, '.jsonl'));
    const [year = 0, month = 1] = basename(path, '.jsonl').split('-').map(Number);
    this.#number = year * 12 + month - 1;
    const head = readHead(`${this.#base}.json`);
    this.#records = new Store(`${this.#base}.records`);
    this.#signatures = new Store(`${this.#base}.words`);
    if (head === null || !this.#fits(head)) return;
    this.#count = head.count;
    this.#last = head.last;
    for (const name of head.agents) this.#agents.numberOf(name);
    for (const name of head.codes) this.#codes.numberOf(name);
    this.#signature.set(
      this.#signatures.read(this.#block(head.count) * signatureBytes, signatureBytes),
    );
  }

  get count(): number {
    return this.#count;
  }

  agents(): readonly string[] {
    return this.#agents.all();
  }

  /** Adds the decisions that still wait for an outcome, as far as an earlier runner has seen them. */
  addOpen(open: OpenDecisions): void {
    const waiting: number[] = [];
    for (const { view, from } of this.#backward()) {
      for (let at = view.length / recordWords - 1; at >= 0; at -= 1) {
        const flags = flagsOf(view, at);
        if ((flags & flag.allow) !== 0 && (flags & flag.ended) === 0) waiting.push(from + at);
        if (waiting.length >= mostOpen) break;
      }
    }
    if (waiting.length === 0) return;
    const fd = openSync(this.path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      for (const at of waiting) {
        const [found] = this.found([at]);
        if (found === undefined) continue;
        const bytes = Buffer.alloc(found.length);
        readSync(fd, bytes, 0, found.length, found.offset);
        const row = parseRow(bytes)?.row;
        if (row?.type === 'decision') open.set(row.id, { month: this, at });
      }
    } finally {
      closeSync(fd);
    }
  }

  /** Takes in what was added to the log since the last call. */
  async update(open: OpenDecisions): Promise<void> {
    if (this.#last !== null && !(await isStillThere(this.path, this.#last))) this.#reset(open);
    const from = this.#last === null ? 0 : this.#last.offset + this.#last.length + 1;
    if (statSync(this.path).size <= from) return;
    let last: Line | undefined;
    for await (const lines of linesOf(this.path, { from })) {
      this.#pendingFrom = this.#count;
      for (const line of lines) this.#take(line, open);
      this.#write();
      last = lines.at(-1);
    }
    if (last === undefined) return;
    const sha256 = createHash('sha256').update(last.bytes).digest('hex');
    this.#last = { offset: last.offset, length: last.bytes.length, sha256 };
    this.#keep();
  }

  /** Places of the records that match, the newest first, so many behind the first ones; and how many match. */
  matching(
    wanted: Wanted,
    page: { readonly offset: number; readonly limit: number },
  ): { readonly total: number; readonly places: readonly number[] } {
    const test = testOf(wanted, this.#agents, this.#codes);
    const places: number[] = [];
    let total = 0;
    const end = page.offset + page.limit;
    if (test === null) return { total: 0, places };
    if (test === anything) {
      const newest = this.#count - 1 - page.offset;
      for (let at = newest; at >= 0 && at > newest - page.limit; at -= 1) places.push(at);
      return { total: this.#count, places };
    }
    for (const { view, from } of this.#backward())
      for (let at = view.length / recordWords - 1; at >= 0; at -= 1) {
        if (!test(view, at)) continue;
        if (total >= page.offset && total < end) places.push(from + at);
        total += 1;
      }
    return { total, places };
  }

  /** The places that match of each block whose text may have all the words, the newest block first. */
  *blocks(
    wanted: Wanted,
    mayHave: (signature: Uint8Array) => boolean,
  ): Generator<readonly number[]> {
    const test = testOf(wanted, this.#agents, this.#codes);
    if (test === null) return;
    for (let block = this.#block(this.#count); block >= 0; block -= 1) {
      if (!mayHave(this.#signatureOf(block))) continue;
      const from = block * blockRecords;
      const view = this.#view(from, Math.min(from + blockRecords, this.#count));
      const places: number[] = [];
      for (let at = view.length / recordWords - 1; at >= 0; at -= 1)
        if (test(view, at)) places.push(from + at);
      if (places.length > 0) yield places;
    }
  }

  /** What the records at these places say, in the same order. */
  found(places: readonly number[]): readonly Found[] {
    return places.flatMap((at) => {
      const view = this.#view(at, at + 1);
      if (view.length < recordWords) return [];
      const flags = flagsOf(view, 0);
      return {
        at,
        offset: farOf(view, 0),
        length: view[2] ?? 0,
        exitCode: (flags & flag.exit) === 0 ? null : ((view[5] ?? 0) << 16) >> 16,
        left: (flags & flag.left) === 0 ? null : this.#leftOf(view),
      };
    });
  }

  /** Goes through the decisions that match, the newest first. */
  each(
    wanted: Wanted,
    visit: (place: number, about: Pick<DecisionRow, 'at' | 'code' | 'by'>) => void,
  ): void {
    const test = testOf(wanted, this.#agents, this.#codes);
    if (test === null) return;
    const codes = this.#codes.all();
    for (const { view, from } of this.#backward())
      for (let at = view.length / recordWords - 1; at >= 0; at -= 1) {
        if (!test(view, at)) continue;
        const code = codes[(view[at * recordWords + 7] ?? 0) >>> 16] ?? '';
        const by = deciders[(flagsOf(view, at) >>> 4) & 3] ?? 'policy';
        visit(from + at, { at: timeOf(view, at), code, by });
      }
  }

  #leftOf(view: Uint32Array): Found['left'] {
    const number = this.#number + ((view[5] ?? 0) >>> 16);
    const name = `${String(Math.floor(number / 12))}-${String((number % 12) + 1).padStart(2, '0')}`;
    return { path: join(dirname(this.path), `${name}.jsonl`), offset: farOf(view, 6) };
  }

  close(): void {
    this.#records.close();
    this.#signatures.close();
  }

  /** The block in which the next decision, or the last one of so many, is. */
  #block(count: number): number {
    return Math.floor(count / blockRecords);
  }

  #fits({ count }: { readonly count: number }): boolean {
    return (
      this.#records.size() >= count * recordBytes &&
      this.#signatures.size() >= (this.#block(count) + 1) * signatureBytes
    );
  }

  #reset(open: OpenDecisions): void {
    for (const [id, { month }] of open) if (month === this) open.delete(id);
    this.#records.clear();
    this.#signatures.clear();
    this.#agents.clear();
    this.#codes.clear();
    this.#signature.fill(0);
    [this.#count, this.#last] = [0, null];
  }

  #take(line: Line, open: OpenDecisions): void {
    if (isStarting(line.bytes)) return;
    const row = parseRow(line.bytes)?.row;
    if (row?.type === 'outcome') {
      const decided = open.get(row.id);
      if (decided === undefined) return;
      const { month } = decided;
      month.#end(decided.at, row, { offset: line.offset, months: this.#number - month.#number });
      open.delete(row.id);
    } else if (row?.type === 'decision') {
      if (row.decision === 'allow') open.set(row.id, { month: this, at: this.#count });
      this.#add(line, row);
    }
  }

  #add({ offset, bytes }: Line, row: DecisionRow): void {
    const flags = (row.decision === 'allow' ? flag.allow : 0) | (numberOfDecider(row.by) << 4);
    this.#pending.push(
      offset >>> 0,
      high(offset) | (this.#agents.numberOf(row.agent) << 16),
      bytes.length,
      row.at >>> 0,
      high(row.at) | (flags << 24),
      0,
      0,
      this.#codes.numberOf(row.code) << 16,
    );
    signText(this.#signature, searchedText(row));
    this.#count += 1;
    if (this.#count % blockRecords === 0) this.#writeSignature(this.#block(this.#count) - 1);
  }

  #end(
    at: number,
    row: OutcomeRow,
    line: { readonly offset: number; readonly months: number },
  ): void {
    const isPending = at >= this.#pendingFrom && this.#pending.length > 0;
    const view = isPending ? this.#pending : [...this.#view(at, at + 1)];
    const base = isPending ? (at - this.#pendingFrom) * recordWords : 0;
    const hasLeft = row.planted !== undefined || row.notes !== undefined;
    const flags = flag.ended | (row.exitCode === null ? 0 : flag.exit) | (hasLeft ? flag.left : 0);
    view[base + 4] = (view[base + 4] ?? 0) | (flags << 24);
    view[base + 5] = ((row.exitCode ?? 0) & 0xffff) | (line.months << 16);
    if (hasLeft) {
      view[base + 6] = line.offset >>> 0;
      view[base + 7] = ((view[base + 7] ?? 0) & 0xffff0000) | high(line.offset);
    }
    if (!isPending) this.#records.write(at * recordBytes, bytesOf(view));
  }

  #write(): void {
    if (this.#pending.length > 0)
      this.#records.write(this.#pendingFrom * recordBytes, bytesOf(this.#pending));
    this.#pending = [];
  }

  #writeSignature(block: number): void {
    this.#signatures.write(block * signatureBytes, this.#signature);
    this.#signature.fill(0);
  }

  /** After what it speaks of: what is cut off in between is seen by its size, or taken in once more. */
  #keep(): void {
    this.#signatures.write(this.#block(this.#count) * signatureBytes, this.#signature);
    if (!this.#records.isOnDisk || !this.#signatures.isOnDisk) return;
    const head = {
      version: 1,
      count: this.#count,
      agents: this.#agents.all(),
      codes: this.#codes.all(),
      last: this.#last,
    };
    try {
      const made = `${this.#base}.json.new`;
      writeFileSync(made, JSON.stringify(head), { mode: 0o600 });
      renameSync(made, `${this.#base}.json`);
    } catch {
      // The next start makes it anew.
    }
  }

  #signatureOf(block: number): Uint8Array {
    if (block === this.#block(this.#count)) return this.#signature;
    return this.#signatures.read(block * signatureBytes, signatureBytes);
  }

  #view(from: number, to: number): Uint32Array {
    const bytes = this.#records.read(from * recordBytes, Math.max(0, to - from) * recordBytes);
    return new Uint32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4));
  }

  *#backward(): Generator<{ readonly view: Uint32Array; readonly from: number }> {
    const most = 32_768;
    for (let end = this.#count; end > 0; end -= most) {
      const from = Math.max(0, end - most);
      yield { view: this.#view(from, end), from };
    }
  }
}

async function isStillThere(path: string, { offset, length, sha256 }: Last): Promise<boolean> {
  for await (const [first] of linesOf(path, { from: offset }))
    return (
      first?.bytes.length === length &&
      createHash('sha256').update(first.bytes).digest('hex') === sha256
    );
  return false;
}

function readHead(path: string): Static<typeof headSchema> | null {
  try {
    const checked = checkHead(JSON.parse(readFileSync(path, 'utf8')));
    return checked.ok ? checked.value : null;
  } catch {
    return null;
  }
}
