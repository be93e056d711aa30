import { describe, expect, it } from 'vitest';
import type { FailingDisk } from './failing-disk.ts';
import { failingDisk } from './failing-disk.ts';
import type { LogBench } from './support.ts';
import { decision, logBench, outcome } from './support.ts';

const idsOf = (bench: LogBench): readonly string[] =>
  bench.rows().map(({ row }) => (row.type === 'note' ? row.code : `${row.type} ${row.id}`));

async function openOn(disk: FailingDisk, bench: LogBench) {
  const log = await bench.open({ openFile: disk.open });
  await log.durable(decision('before'));
  return log;
}

const before = ['audit-began', 'decision before'];

describe('a disk that is full or broken', () => {
  it.each([
    ['takes nothing of a row', 0],
    ['takes a byte of a row', 1],
    ['takes half of a row', 200],
  ])(
    '%s: the row does not count, and the chain goes on when there is room again',
    async (_n, takes) => {
      const bench = logBench();
      const disk = failingDisk();
      const log = await openOn(disk, bench);
      disk.fail('write', takes);
      await expect(log.durable(decision('lost'))).rejects.toThrow();
      await expect(log.durable(decision('lost too'))).rejects.toThrow();
      expect((await bench.verify()).problems).toEqual([]);
      disk.heal();
      await log.durable(decision('after'));
      await log.dispose();
      expect(idsOf(bench)).toEqual([...before, 'decision after']);
      expect(await bench.verify()).toMatchObject({ ok: true, rows: 3, head: { seq: 3 } });
    },
  );

  it('cannot be cut back: nothing more is written until it can', async () => {
    const bench = logBench();
    const disk = failingDisk();
    const log = await openOn(disk, bench);
    disk.fail('write', 50);
    disk.fail('cut');
    await expect(log.durable(decision('lost'))).rejects.toThrow();
    expect(() => log.append({ type: 'starting', id: 'x', at: 1 })).toThrow('ENOSPC');
    disk.heal();
    await log.durable(decision('after'));
    await log.dispose();
    expect(idsOf(bench)).toEqual([...before, 'decision after']);
    expect((await bench.verify()).ok).toBe(true);
  });

  it('cannot be cut back before the end: the next start takes the half row out', async () => {
    const bench = logBench();
    const disk = failingDisk();
    const log = await openOn(disk, bench);
    disk.fail('write', 50);
    disk.fail('cut');
    await expect(log.durable(decision('lost'))).rejects.toThrow();
    await log.dispose();
    const again = await bench.open();
    await again.durable(decision('after'));
    await again.dispose();
    expect(idsOf(bench)).toEqual([...before, 'audit-half-row', 'decision after']);
    expect((await bench.verify()).ok).toBe(true);
  });

  it('fails to sync: permissions are withdrawn, what happened stays', async () => {
    const bench = logBench();
    const disk = failingDisk();
    const log = await openOn(disk, bench);
    disk.fail('sync');
    const results = await Promise.allSettled([
      log.durable(decision('allowed')),
      log.durable(outcome('before')),
      log.durable(decision('refused', { decision: 'deny', code: 'policy-deny' })),
      log.durable(decision('allowed too')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    expect(idsOf(bench)).toEqual([
      ...before,
      'outcome before',
      'decision refused',
      'audit-disk-failed',
    ]);
    expect((await bench.verify()).problems).toEqual([]);
    disk.heal();
    await log.durable(decision('after'));
    await log.dispose();
    expect(idsOf(bench).at(-1)).toBe('decision after');
    expect(await bench.verify()).toMatchObject({ ok: true, rows: 6 });
  });

  it('fails to sync and takes nothing more: the log is put right as soon as it does', async () => {
    const bench = logBench();
    const disk = failingDisk();
    const log = await openOn(disk, bench);
    disk.fail('sync');
    disk.fail('write', 30);
    disk.fail('cut');
    const lost = expect(log.durable(decision('lost'))).rejects.toThrow();
    await lost;
    disk.heal();
    disk.fail('sync');
    const [first, second] = await Promise.allSettled([
      log.durable(outcome('before')),
      log.durable(decision('lost again')),
    ]);
    expect([first.status, second.status]).toEqual(['rejected', 'rejected']);
    disk.heal();
    await log.durable(decision('after'));
    await log.dispose();
    expect(idsOf(bench)).toEqual([
      ...before,
      'outcome before',
      'audit-disk-failed',
      'decision after',
    ]);
    expect((await bench.verify()).ok).toBe(true);
  });

  it('fails while the month changes: the row is refused, and the next one goes through', async () => {
    const bench = logBench();
    const disk = failingDisk();
    const log = await openOn(disk, bench);
    const december = Date.UTC(2023, 11, 1);
    disk.fail('sync');
    await expect(log.durable(decision('lost', { at: december }))).rejects.toThrow();
    disk.heal();
    disk.fail('open');
    await expect(log.durable(decision('lost', { at: december }))).rejects.toThrow();
    disk.heal();
    await log.durable(decision('after', { at: december }));
    await log.dispose();
    expect(bench.files()).toEqual(['2023-11.jsonl', '2023-12.jsonl']);
    expect(idsOf(bench)).toEqual([...before, 'decision after']);
    expect((await bench.verify()).ok).toBe(true);
  });

  it('is full at the start: what the start found is written once there is room', async () => {
    const bench = logBench();
    const disk = failingDisk();
    disk.fail('write');
    const log = await bench.open({ openFile: disk.open });
    await expect(log.durable(decision('lost'))).rejects.toThrow();
    disk.heal();
    await log.durable(decision('after'));
    await log.dispose();
    expect(idsOf(bench)).toEqual(['audit-began', 'decision after']);
  });

  it('confirms many rows at once with few syncs, each after its own row', async () => {
    const bench = logBench();
    const disk = failingDisk();
    const log = await openOn(disk, bench);
    const ids = Array.from({ length: 500 }, (_, index) => `d${index}`);
    await Promise.all(ids.map(async (id) => log.durable(decision(id))));
    expect(disk.syncs()).toBeLessThan(10);
    await log.dispose();
    expect(idsOf(bench).slice(2)).toEqual(ids.map((id) => `decision ${id}`));
  });
});
