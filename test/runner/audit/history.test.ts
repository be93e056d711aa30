import { expect, describe, it } from 'vitest';
import type { AuditLog } from '../../../runner/audit/rows.ts';
import { failingDisk } from './failing-disk.ts';
import type { LogBench } from './support.ts';
import { decision, logBench, outcome } from './support.ts';

const months = [Date.UTC(2023, 10, 20), Date.UTC(2023, 11, 20), Date.UTC(2024, 0, 20)];

/** 90 decisions over three months; every third by codex, every tenth refused; all others ended. */
async function filled(bench: LogBench): Promise<AuditLog> {
  const log = await bench.open();
  for (const [month, at] of months.entries()) {
    const ids = Array.from({ length: 30 }, (_, index) => month * 30 + index);
    for (const id of ids) {
      const denied = id % 10 === 0;
      await log.durable(
        decision(`d${id}`, {
          at,
          agent: id % 3 === 0 ? 'codex' : 'claude',
          ...(denied && { decision: 'deny', code: 'policy-deny' }),
        }),
      );
      if (!denied) log.append({ type: 'starting', id: `d${id}`, at });
      if (!denied) await log.durable(outcome(`d${id}`, { at, exitCode: id % 5 }));
    }
  }
  return log;
}

const idsOf = async (log: AuditLog, query: Partial<Parameters<AuditLog['history']>[0]>) => {
  const { total, entries } = await log.history({ offset: 0, limit: 100, ...query });
  return { total, ids: entries.map(({ id }) => id) };
};

describe('the history', () => {
  it('pages from the newest to the oldest over all months, none missing, none twice', async () => {
    const bench = logBench();
    const log = await filled(bench);
    const seen: string[] = [];
    for (let offset = 0; offset < 100; offset += 7) {
      const { total, ids } = await idsOf(log, { offset, limit: 7 });
      expect(total).toBe(90);
      seen.push(...ids);
    }
    expect(seen).toEqual(Array.from({ length: 90 }, (_, index) => `d${89 - index}`));
    await log.dispose();
  });

  it('finds by code: an ask that was taken back is not one that nobody answered', async () => {
    const log = await filled(logBench());
    const at = months[2] ?? 0;
    const denied = { at, decision: 'deny' } as const;
    await log.durable(decision('gone', { ...denied, code: 'requester-gone' }));
    await log.durable(decision('late', { ...denied, code: 'approval-timeout' }));
    expect(await idsOf(log, { code: 'requester-gone' })).toEqual({ total: 1, ids: ['gone'] });
    expect(await idsOf(log, { code: 'approval-timeout' })).toEqual({ total: 1, ids: ['late'] });
  });

  it('finds by who decided and from when on', async () => {
    const log = await filled(logBench());
    const at = months[2] ?? 0;
    await log.durable(decision('mine', { at: at + 5, by: 'person' }));
    await log.durable(decision('nobody', { at: at + 6, decision: 'deny', by: 'fallback' }));
    expect(await idsOf(log, { by: 'person' })).toEqual({ total: 1, ids: ['mine'] });
    expect(await idsOf(log, { since: at + 6 })).toEqual({ total: 1, ids: ['nobody'] });
    expect(await idsOf(log, { since: at + 5, by: 'policy' })).toEqual({ total: 0, ids: [] });
    await log.dispose();
  });

  it('finds by agent and by words, with pages of their own', async () => {
    const log = await filled(logBench());
    expect((await idsOf(log, { agent: 'codex', limit: 2 })).ids).toEqual(['d87', 'd84']);
    expect((await idsOf(log, { agent: 'codex', offset: 29 })).ids).toEqual(['d0']);
    expect(await idsOf(log, { search: 'POLICY-deny', limit: 2, offset: 1 })).toEqual({
      total: 9,
      ids: ['d70', 'd60'],
    });
    expect(await idsOf(log, { search: 'echo d4', agent: 'claude', limit: 2 })).toMatchObject({
      total: 8,
      ids: ['d49', 'd47'],
    });
    await log.dispose();
  });

  it('names every agent that has rows, whatever is searched for', async () => {
    const log = await filled(logBench());
    for (const query of [{}, { agent: 'codex' }, { search: 'nothing like it' }]) {
      const { agents } = await log.history({ offset: 0, limit: 1, ...query });
      expect(agents).toEqual(['claude', 'codex']);
    }
    await log.durable(decision('new', { at: months[2] ?? 0, agent: 'aider' }));
    const { agents } = await log.history({ offset: 0, limit: 1 });
    expect(agents).toEqual(['aider', 'claude', 'codex']);
    await log.dispose();
  });

  it('knows how a command ended as soon as it did, also in a later month', async () => {
    const bench = logBench();
    const log = await filled(bench);
    const exitOf = async (id: string) =>
      (await log.history({ offset: 0, limit: 1, search: id })).entries[0]?.exitCode;
    await log.durable(decision('late', { at: months[2] ?? 0 }));
    expect(await exitOf('echo late')).toBeNull();
    await log.durable(outcome('late', { at: Date.UTC(2024, 1, 2), exitCode: 3 }));
    expect(await exitOf('echo late')).toBe(3);
    expect(await exitOf('echo d44')).toBe(4);
    await log.dispose();
    expect(bench.files()).toHaveLength(4);
  });

  it('forgets rows that the disk did not take', async () => {
    const bench = logBench();
    const disk = failingDisk();
    const log = await bench.open({ openFile: disk.open });
    await log.durable(decision('before'));
    disk.fail('sync');
    const release = disk.holdSync();
    const lost = expect(log.durable(decision('lost'))).rejects.toThrow();
    expect((await idsOf(log, {})).ids).toEqual(['lost', 'before']);
    release();
    await lost;
    disk.heal();
    await log.durable(decision('after'));
    expect((await idsOf(log, {})).ids).toEqual(['after', 'before']);
    await log.dispose();
  });
});
