import {
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHistory, createLogIndex } from '../../../runner/audit/history.ts';
import type { DecisionRow, OutcomeRow } from '../../../runner/audit/rows.ts';
import { hasWords, wordsOf } from '../../../runner/audit/search.ts';
import {
  mayHaveAll,
  searchedText,
  signatureBytes,
  signText,
} from '../../../runner/audit/signature.ts';
import { decision, logBench, outcome } from './support.ts';
import type { LogBench } from './support.ts';

const at = Date.UTC(2023, 10, 20);

/** A month's file with these rows, as the writer leaves it but for its macs. */
function logged(bench: LogBench, rows: readonly (DecisionRow | OutcomeRow)[]): string {
  const path = join(bench.directory, '2023-11.jsonl');
  writeFileSync(path, rows.map((row, seq) => `${JSON.stringify({ seq, row })}\n`).join(''), {
    flag: 'a',
  });
  return path;
}

async function emptyBench(): Promise<LogBench> {
  const bench = logBench();
  await (await bench.open()).dispose();
  return bench;
}

const agents = ['claude', 'codex', 'über'];
const codes = ['rule-allow', 'policy-deny', 'allow-once'];
const someRow = fc.record({
  agent: fc.constantFrom(...agents),
  code: fc.constantFrom(...codes),
  by: fc.constantFrom('policy', 'person', 'fallback', 'advisor'),
  decision: fc.constantFrom('allow', 'deny'),
  command: fc.constantFrom(
    'git status',
    'npm test',
    'rm -rf İstanbul',
    'echo "a\\b" \t x',
    'ls 98765',
  ),
  later: fc.nat({ max: 5_000 }),
  exit: fc.option(fc.integer({ min: -1, max: 255 })),
});
const someQuery = fc.record(
  {
    agent: fc.constantFrom(...agents, 'nobody'),
    code: fc.constantFrom(...codes, 'grant'),
    by: fc.constantFrom('policy', 'person', 'fallback', 'advisor'),
    decision: fc.constantFrom('allow', 'deny'),
    since: fc.nat({ max: 5_000 }).map((later) => at + later),
    search: fc.constantFrom(
      'git',
      'IS',
      'rm İ',
      'a\\b',
      '98765',
      'zzz',
      'status rule',
      'é',
      'test npm',
    ),
  },
  { requiredKeys: [] },
);

describe('the index of the log', () => {
  it('finds what a look at every row finds, whatever is asked, at once and after a restart', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(someRow, { maxLength: 40 }),
        fc.array(someRow, { maxLength: 40 }),
        fc.array(someQuery, { minLength: 1, maxLength: 6 }),
        async (first, second, queries) => {
          const bench = await emptyBench();
          const rows: DecisionRow[] = [];
          const exits = new Map<string, number | null>();
          const add = (some: typeof first): void => {
            for (const { later, exit, ...row } of some) {
              const made = decision(`d${rows.length}`, {
                ...(row as Partial<DecisionRow>),
                at: at + later,
              });
              rows.push(made);
              const end = outcome(made.id, { at: at + later, exitCode: exit });
              const isEnded = made.decision === 'allow' && exit !== -1;
              if (isEnded) exits.set(made.id, exit);
              logged(bench, isEnded ? [made, end] : [made]);
            }
          };
          const index = createLogIndex(bench.directory);
          const again = createLogIndex(bench.directory);
          const expectAll = async (of: ReturnType<typeof createLogIndex>): Promise<void> => {
            const history = createHistory(of, () => 0);
            for (const query of [{}, ...queries]) {
              const words = wordsOf(query.search);
              const expected = rows
                .filter(
                  (row) =>
                    (query.agent === undefined || row.agent === query.agent) &&
                    (query.code === undefined || row.code === query.code) &&
                    (query.by === undefined || row.by === query.by) &&
                    (query.decision === undefined || row.decision === query.decision) &&
                    (query.since === undefined || row.at >= query.since) &&
                    hasWords(row, words),
                )
                .toReversed();
              const read = await history.read({ offset: 3, limit: 10, ...query });
              expect(read.total).toBe(expected.length);
              expect(read.entries.map(({ id, exitCode }) => [id, exitCode])).toEqual(
                expected.slice(3, 13).map(({ id }) => [id, exits.get(id) ?? null]),
              );
            }
          };
          add(first);
          await expectAll(index);
          add(second);
          await expectAll(index);
          index.close();
          await expectAll(again);
          again.close();
        },
      ),
      { numRuns: 12 },
    );
  });

  const many = (count: number, from = 0): DecisionRow[] =>
    Array.from({ length: count }, (_, n) =>
      decision(`d${from + n}`, { at, command: `echo number-${from + n}`, decision: 'deny' }),
    );
  const read = async (bench: LogBench, query: object = {}) => {
    const index = createLogIndex(bench.directory);
    const found = await createHistory(index, () => 0).read({ offset: 0, limit: 3, ...query });
    index.close();
    return { total: found.total, ids: found.entries.map(({ id }) => id) };
  };
  const indexFile = (bench: LogBench, ending: string): string =>
    join(bench.directory, 'index', `2023-11.${ending}`);

  it('reads only what was added, when it is opened again', async () => {
    const bench = await emptyBench();
    const path = logged(bench, many(2_000));
    expect(await read(bench, { search: 'number-1503' })).toEqual({ total: 1, ids: ['d1503'] });
    expect(statSync(indexFile(bench, 'records')).size).toBe(2_000 * 32);
    // Another first line of the same length is not met: nobody reads that far back.
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace('number-0', 'numbar-0'));
    logged(bench, many(1, 2_000));
    expect(await read(bench)).toEqual({ total: 2_001, ids: ['d2000', 'd1999', 'd1998'] });
    expect(await read(bench, { search: 'numbar' })).toEqual({ total: 0, ids: [] });
  });

  it.each([
    ['records that were cut', (bench: LogBench) => truncateSync(indexFile(bench, 'records'), 100)],
    ['words that were cut', (bench: LogBench) => truncateSync(indexFile(bench, 'words'), 1)],
    ['a head that is gone', (bench: LogBench) => rmSync(indexFile(bench, 'json'))],
    [
      'a head that is none',
      (bench: LogBench) => writeFileSync(indexFile(bench, 'json'), '{"version":1}'),
    ],
    [
      'a folder in its place',
      (bench: LogBench) => {
        rmSync(join(bench.directory, 'index'), { recursive: true });
        writeFileSync(join(bench.directory, 'index'), '');
      },
    ],
  ])('is made anew with %s', async (_what, harm) => {
    const bench = await emptyBench();
    logged(bench, many(700));
    await read(bench);
    harm(bench);
    expect(await read(bench)).toEqual({ total: 700, ids: ['d699', 'd698', 'd697'] });
    expect(await read(bench, { search: 'number-42' })).toMatchObject({ total: 11 });
  });

  it('is made anew where the line that it ends with is another one', async () => {
    const bench = await emptyBench();
    const path = logged(bench, many(30));
    await read(bench);
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, 20);
    writeFileSync(path, `${lines.join('\n')}\n`);
    const decisions = lines.filter((line) => line.includes('"type":"decision"')).length;
    logged(bench, many(5, 100));
    expect(await read(bench)).toEqual({ total: decisions + 5, ids: ['d104', 'd103', 'd102'] });
  });

  it('is kept in files that nobody else can read', async () => {
    const bench = await emptyBench();
    logged(bench, many(3));
    await read(bench);
    const folder = join(bench.directory, 'index');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(folder))
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('says what a command left, also where that is told in a later month', async () => {
    const bench = await emptyBench();
    logged(bench, [decision('one', { at })]);
    const left = outcome('one', { at, exitCode: 0, planted: ['/p/Makefile'] });
    writeFileSync(
      join(bench.directory, '2024-02.jsonl'),
      `${JSON.stringify({ seq: 9, row: left })}\n`,
    );
    const index = createLogIndex(bench.directory);
    const history = createHistory(index, () => 0);
    const { entries } = await history.read({ offset: 0, limit: 1 });
    expect(entries[0]).toMatchObject({ exitCode: 0, planted: ['/p/Makefile'] });
    index.close();
  });

  it('answers in the middle of a long search, goes on when asked again, and ends with all', async () => {
    const bench = await emptyBench();
    logged(bench, many(1_200));
    const index = createLogIndex(bench.directory);
    let now = 0;
    const history = createHistory(index, () => (now += 1));
    const query = { offset: 0, limit: 100, search: 'number' };
    let answer = await history.read(query);
    expect(answer.more).toBe(true);
    expect(answer.total).toBeLessThan(100);
    const seen = [answer.total];
    while (answer.more === true) {
      answer = await history.read({ ...query, offset: answer.total });
      seen.push(answer.total);
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(answer.total).toBe(1_200);
    const page = await history.read({ ...query, offset: 1_100 });
    expect(page.entries.map(({ id }) => id).slice(0, 2)).toEqual(['d99', 'd98']);
    index.close();
  });

  it('keeps nothing of months whose file is gone', async () => {
    const bench = await emptyBench();
    const path = logged(bench, many(3));
    await read(bench);
    writeFileSync(join(bench.directory, 'index', 'notes.txt'), 'not ours');
    renameSync(path, join(bench.directory, '2023-12.jsonl'));
    await read(bench);
    expect(readdirSync(join(bench.directory, 'index')).toSorted()).toEqual([
      '2023-12.json',
      '2023-12.records',
      '2023-12.words',
      'notes.txt',
    ]);
  });
});

describe('the signature of a block', () => {
  it('never denies a word that stands in a text', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 8 }),
        fc.nat(),
        fc.nat({ max: 12 }),
        (commands, from, length) => {
          const signature = new Uint8Array(signatureBytes);
          const texts = commands.map((command) => searchedText(decision('d', { command })));
          for (const text of texts) signText(signature, text);
          for (const text of texts) {
            const start = from % (text.length + 1);
            expect(mayHaveAll([text.slice(start, start + length)])(signature)).toBe(true);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('denies most words that are in none', () => {
    const signature = new Uint8Array(signatureBytes);
    for (let n = 0; n < 512; n += 1)
      signText(
        signature,
        searchedText(decision('d', { command: `npm run task-${n} -- --port ${3000 + n}` })),
      );
    const words = ['kubectl', 'terraform', '98765', 'secrets/', 'xyzzy', 'docker'];
    expect(words.filter((word) => mayHaveAll([word])(signature))).toEqual([]);
  });
});
