import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { auditKeyName } from '../../../runner/audit/key.ts';
import type { LogBench } from './support.ts';
import { decision, logBench, outcome } from './support.ts';

const codes = (bench: LogBench): readonly string[] =>
  bench.rows().map(({ row }) => (row.type === 'note' ? row.code : row.type));

async function filled(bench: LogBench, count: number): Promise<void> {
  const log = await bench.open();
  for (let index = 0; index < count; index += 1) await log.durable(decision(`d${index}`));
  await log.dispose();
}

const newest = (bench: LogBench): string => join(bench.directory, bench.files().at(-1) ?? '');

describe('the audit log', () => {
  it('begins with a row that says so, and verifies', async () => {
    const bench = logBench();
    await filled(bench, 3);
    expect(codes(bench)).toEqual(['audit-began', 'decision', 'decision', 'decision']);
    expect(await bench.verify()).toMatchObject({
      ok: true,
      rows: 4,
      head: { seq: 4 },
      files: ['2023-11.jsonl'],
    });
  });

  it('goes on with the chain after a restart and over the end of a month', async () => {
    const bench = logBench();
    await filled(bench, 2);
    const log = await bench.open();
    const december = Date.UTC(2023, 11, 3);
    await log.durable(decision('later', { at: december }));
    log.append({ type: 'starting', id: 'later', at: december });
    await log.durable(outcome('later', { at: december }));
    await log.dispose();
    expect(bench.files()).toEqual(['2023-11.jsonl', '2023-12.jsonl']);
    expect(await bench.verify()).toMatchObject({ ok: true, rows: 6 });
    expect(bench.rows().map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('never writes to an older file, whatever the clock says', async () => {
    const bench = logBench();
    const log = await bench.open();
    await log.durable(decision('a', { at: Date.UTC(2024, 5, 1) }));
    await log.durable(decision('b', { at: Date.UTC(2023, 0, 1) }));
    await log.dispose();
    const again = await bench.open();
    await again.durable(decision('c', { at: Date.UTC(2023, 0, 1) }));
    await again.dispose();
    expect(bench.files()).toEqual(['2023-11.jsonl', '2024-06.jsonl']);
    expect(await bench.verify()).toMatchObject({ ok: true, rows: 4 });
  });

  it('takes out the half row that a crash left, and says so', async () => {
    const bench = logBench();
    await filled(bench, 2);
    appendFileSync(newest(bench), '{"seq":4,"mac":"ab');
    expect(await bench.problems()).toEqual(['malformed 2023-11.jsonl:4']);
    await filled(bench, 1);
    expect(codes(bench).slice(-2)).toEqual(['audit-half-row', 'decision']);
    expect(await bench.verify()).toMatchObject({ ok: true, rows: 5 });
  });

  it('notices at the start that rows were cut off, and every later look finds it too', async () => {
    const bench = logBench();
    await filled(bench, 5);
    const text = readFileSync(newest(bench), 'utf8');
    truncateSync(newest(bench), text.split('\n').slice(0, 3).join('\n').length + 1);
    expect(await bench.problems()).toEqual(['truncated 2023-11.jsonl:3']);
    await filled(bench, 4);
    expect(codes(bench).at(3)).toBe('audit-rows-missing');
    expect(bench.rows().map(({ seq }) => seq)).toEqual([1, 2, 3, 7, 8, 9, 10, 11]);
    const { problems } = await bench.verify();
    expect(problems).toMatchObject([
      { kind: 'deleted', line: 4, text: expect.stringContaining('Rows 4 to 6 are missing') },
    ]);
    expect(problems[0]?.text).toContain('noticed it at its start');
  });

  it('notices a log that was taken away whole', async () => {
    const bench = logBench();
    await filled(bench, 3);
    rmSync(newest(bench));
    expect((await bench.verify()).ok).toBe(false);
    await filled(bench, 1);
    expect(codes(bench)).toEqual(['audit-rows-missing', 'decision']);
    expect(await bench.problems()).toEqual(['deleted 2023-11.jsonl:1']);
  });

  it('notices a log that was taken away with its checkpoint', async () => {
    const bench = logBench();
    await filled(bench, 3);
    rmSync(bench.directory, { recursive: true });
    expect((await bench.verify()).ok).toBe(false);
    await filled(bench, 1);
    expect(codes(bench)).toEqual(['audit-rows-missing', 'decision']);
  });

  it('notices a checkpoint that is gone', async () => {
    const bench = logBench();
    await filled(bench, 3);
    rmSync(join(bench.directory, 'checkpoint'));
    expect(await bench.problems()).toEqual(['truncated 2023-11.jsonl:0']);
    await filled(bench, 1);
    expect(codes(bench).at(-2)).toBe('audit-rows-missing');
  });

  it('goes on after a last row that somebody spoilt, and verify tells where', async () => {
    const bench = logBench();
    await filled(bench, 3);
    const text = readFileSync(newest(bench), 'utf8');
    writeFileSync(newest(bench), text.replace(/\{"seq":4.*\n$/u, 'rubbish\n'));
    await filled(bench, 2);
    expect(await bench.problems()).toEqual([
      'malformed 2023-11.jsonl:4',
      'deleted 2023-11.jsonl:5',
    ]);
  });

  it('has one writer; a second is told so', async () => {
    const bench = logBench();
    const log = await bench.open();
    await expect(bench.open()).rejects.toMatchObject({ refusal: { code: 'concurrency-busy' } });
    await log.dispose();
    await (await bench.open()).dispose();
  });

  it('is not continued with another key', async () => {
    const bench = logBench();
    await filled(bench, 1);
    await bench.secrets.remove(auditKeyName);
    await expect(bench.open()).rejects.toMatchObject({ refusal: { code: 'audit-unavailable' } });
    await expect(bench.verify()).rejects.toMatchObject({ refusal: { code: 'audit-unavailable' } });
  });

  it('verifies while a runner writes', async () => {
    const bench = logBench();
    const log = await bench.open();
    for (let round = 0; round < 30; round += 1) {
      const ids = Array.from({ length: 20 }, (_, index) => `d${round}-${index}`);
      const writing = Promise.all(ids.map(async (id) => log.durable(decision(id))));
      expect((await bench.verify()).problems).toEqual([]);
      await writing;
    }
    await log.dispose();
    expect(bench.clock.pending).toBe(0);
  });
});

describe('decisions that were left open', () => {
  it('are found from the end of the log, with whether their start was reached', async () => {
    const bench = logBench();
    const log = await bench.open();
    await log.durable(decision('ended'));
    await log.durable(decision('denied', { decision: 'deny', code: 'policy-deny' }));
    await log.durable(decision('waiting'));
    await log.durable(decision('started', { at: Date.UTC(2023, 11, 1) }));
    log.append({ type: 'starting', id: 'started', at: 2 });
    await log.durable(outcome('ended'));
    await log.dispose();
    const again = await bench.open();
    expect(await again.openDecisions()).toEqual([
      { id: 'waiting', starting: false },
      { id: 'started', starting: true },
    ]);
    again.append({ type: 'note', at: 1, code: 'recovery-done', text: '' });
    expect(await again.openDecisions()).toEqual([]);
    await again.dispose();
  });
});

describe('tampering at rest is told for good', () => {
  const record = async (count: number): Promise<LogBench> => {
    const bench = logBench();
    await filled(bench, count);
    return bench;
  };
  const cut = (bench: LogBench, left: number): void => {
    const kept = bench.lines().slice(0, left);
    writeFileSync(newest(bench), kept.map((line) => `${line}\n`).join(''));
  };
  const startAndStop = async (bench: LogBench): Promise<void> => {
    const log = await bench.open({});
    await log.durable(decision('later'));
    await log.dispose();
  };

  it.each([
    ['rows cut', (bench) => cut(bench, 3)],
    [
      'rows cut, and the checkpoint deleted',
      (bench) => {
        cut(bench, 3);
        rmSync(join(bench.directory, 'checkpoint'));
      },
    ],
    [
      'everything deleted',
      ({ directory }) => {
        rmSync(directory, { recursive: true });
        mkdirSync(directory, { mode: 0o700 });
      },
    ],
  ] satisfies (readonly [string, (bench: LogBench) => void])[])('%s', async (_name, tamper) => {
    const bench = await record(8);
    tamper(bench);
    expect((await bench.verify()).ok).toBe(false);
    await startAndStop(bench);
    expect((await bench.verify()).ok).toBe(false);
    await startAndStop(bench);
    expect((await bench.verify()).problems.map(({ text }) => text).join(' ')).toMatch(
      /missing|gone/,
    );
  });

  it('an older copy put back', async () => {
    const bench = await record(4);
    const copy = mkdtempSync(join(tmpdir(), 'il-copy-'));
    onTestFinished(() => rmSync(copy, { recursive: true }));
    cpSync(bench.directory, copy, { recursive: true });
    await startAndStop(bench);
    rmSync(bench.directory, { recursive: true });
    cpSync(copy, bench.directory, { recursive: true });
    expect((await bench.verify()).ok).toBe(false);
    await startAndStop(bench);
    expect((await bench.verify()).ok).toBe(false);
  });

  it('and an honest log stays whole over every start', async () => {
    const bench = await record(4);
    for (let n = 0; n < 3; n += 1) await startAndStop(bench);
    expect(await bench.verify()).toMatchObject({ ok: true, problems: [] });
  });
});
