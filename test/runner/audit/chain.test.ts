import { mkdtempSync, rmSync, truncateSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCheckpoint, readCheckpoint } from '../../../runner/audit/chain.ts';
import type { ChainHead } from '../../../runner/audit/chain.ts';
import { appendLink, chainStart, parseLink } from '../../../runner/audit/chain.ts';
import type { VerifyReport } from '../../../runner/audit/verify.ts';
import { verifyChain } from '../../../runner/audit/verify.ts';

const key = Buffer.alloc(32, 7);

function logOf(rows: readonly object[]): { readonly lines: string[]; readonly head: ChainHead } {
  let head = chainStart;
  const lines = rows.map((row) => {
    const next = appendLink(key, head, JSON.stringify(row));
    head = next.head;
    return next.line;
  });
  return { lines, head };
}

async function verify(
  lines: readonly string[],
  options: { readonly checkpoint?: ChainHead | null; readonly key?: Uint8Array } = {},
): Promise<VerifyReport> {
  async function* sources() {
    for (const [index, text] of lines.entries()) yield { file: 'f', line: index + 1, text };
  }
  return verifyChain({
    key: options.key ?? key,
    lines: sources(),
    known: options.checkpoint ? [options.checkpoint] : [],
  });
}

const rows = Array.from({ length: 8 }, (_, index) => ({
  type: 'note',
  at: index,
  text: `row ${index}`,
}));

describe('the audit chain', () => {
  it('verifies what was written', async () => {
    const { lines, head } = logOf(rows);
    expect(await verify(lines, { checkpoint: head })).toMatchObject({ ok: true, rows: 8, head });
  });

  it('keeps the exact text of a row, whatever is in it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const rowText = JSON.stringify({ value });
        const { line } = appendLink(key, chainStart, rowText);
        expect(parseLink(line)?.rowText).toBe(rowText);
      }),
    );
  });

  it('finds an edited row and says where', async () => {
    const { lines } = logOf(rows);
    lines[3] = lines[3]?.replace('row 3', 'row X') ?? '';
    expect((await verify(lines)).problems).toMatchObject([{ kind: 'edited', line: 4 }]);
  });

  it('finds a deleted row', async () => {
    const { lines } = logOf(rows);
    lines.splice(3, 1);
    expect((await verify(lines)).problems).toMatchObject([
      { kind: 'deleted', line: 4, text: 'Rows 4 to 4 are missing before this one.' },
    ]);
  });

  it('finds two rows that changed places', async () => {
    const { lines } = logOf(rows);
    [lines[2], lines[3]] = [lines[3] ?? '', lines[2] ?? ''];
    const kinds = (await verify(lines)).problems.map(({ kind }) => kind);
    expect(kinds).toContain('reordered');
  });

  it('finds rows that were cut from the end, by the checkpoint', async () => {
    const { lines, head } = logOf(rows);
    expect((await verify(lines.slice(0, 6), { checkpoint: head })).problems).toMatchObject([
      { kind: 'truncated', text: 'The log ends at row 6; row 8 had been written.' },
    ]);
  });

  it('finds an emptied log', async () => {
    const { head } = logOf(rows);
    expect((await verify([], { checkpoint: head })).ok).toBe(false);
  });

  it('finds a tail that was rewritten with another key', async () => {
    const { lines, head } = logOf(rows);
    const forged = appendLink(
      Buffer.alloc(32, 8),
      { seq: 7, mac: parseLink(lines[6] ?? '')?.mac ?? '' },
      '{}',
    );
    const report = await verify([...lines.slice(0, 7), forged.line], { checkpoint: head });
    expect(report.problems.map(({ kind }) => kind)).toEqual(['edited', 'truncated']);
  });

  it('tells half a line from a row', async () => {
    const { lines } = logOf(rows);
    expect((await verify([...lines, '{"seq":9,"mac":"00'])).problems).toMatchObject([
      { kind: 'malformed', line: 9 },
    ]);
  });

  it('notices any single change of any byte', async () => {
    const { lines, head } = logOf(rows);
    const text = lines.join('\n');
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 1),
        fc.integer({ min: 33, max: 126 }),
        async (at, code) => {
          const changed = text.slice(0, at) + String.fromCodePoint(code) + text.slice(at + 1);
          fc.pre(changed !== text);
          expect((await verify(changed.split('\n'), { checkpoint: head })).ok).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the checkpoint', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'interlock-checkpoint-'))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const head = (seq: number): ChainHead => ({ seq, mac: 'a'.repeat(64) });

  function saved(path: string, heads: readonly ChainHead[]): void {
    const checkpoint = openCheckpoint(path, key);
    for (const one of heads) checkpoint.save(one);
    checkpoint.close();
  }
  function read(path: string, withKey: Uint8Array = key): ChainHead | null {
    const checkpoint = openCheckpoint(path, withKey);
    checkpoint.close();
    expect(readCheckpoint(path, withKey)).toEqual(checkpoint.found);
    return checkpoint.found;
  }

  it('remembers the newest head over restarts', () => {
    const path = join(directory, 'checkpoint');
    expect(read(path)).toBeNull();
    saved(path, [head(1), head(2), head(3)]);
    expect(read(path)).toEqual(head(3));
    saved(path, [head(4)]);
    expect(read(path)).toEqual(head(4));
  });

  it('falls back to the head before when the newest slot is spoilt', () => {
    const path = join(directory, 'checkpoint');
    saved(path, [head(1), head(2)]);
    const bytes = readFileSync(path);
    bytes[256] = 0x78;
    writeFileSync(path, bytes);
    expect(read(path)).toEqual(head(1));
  });

  it('lets a head that goes back stand, as after rows that were taken out again', () => {
    const path = join(directory, 'checkpoint');
    saved(path, [head(8), head(9), head(5)]);
    expect(read(path)).toEqual(head(5));
    saved(path, [head(3)]);
    expect(read(path)).toEqual(head(3));
  });

  it('believes no head that was made without the key, and no half file', () => {
    const path = join(directory, 'checkpoint');
    saved(path, [head(1)]);
    expect(read(path, Buffer.alloc(32, 9))).toBeNull();
    truncateSync(path, 100);
    expect(read(path)).toBeNull();
  });
});
