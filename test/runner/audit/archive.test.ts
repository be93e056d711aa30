import { readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { archiveMonths, readLogStart } from '../../../runner/audit/archive.ts';
import { readAuditSeal } from '../../../runner/audit/key.ts';
import type { NoteRow } from '../../../runner/audit/rows.ts';
import type { LogBench } from './support.ts';
import { decision, logBench } from './support.ts';

async function threeMonths(): Promise<LogBench> {
  const bench = logBench();
  const log = await bench.open();
  for (const at of [Date.UTC(2023, 10, 20), Date.UTC(2023, 11, 20), Date.UTC(2024, 0, 20)])
    for (const id of ['a', 'b']) await log.durable(decision(`${id}${at}`, { at }));
  await log.dispose();
  return bench;
}

async function archive(bench: LogBench, before: string): Promise<readonly string[]> {
  const key = (await readAuditSeal(bench.secrets))?.key;
  if (key === undefined) throw new Error('there is no key');
  return archiveMonths(bench.directory, { key, before });
}

it('takes old months out, beside a writer, and the rest still verifies', async () => {
  const bench = await threeMonths();
  const log = await bench.open();
  expect(await archive(bench, '2024-01')).toEqual(['2023-11.jsonl', '2023-12.jsonl']);
  await log.durable(decision('after', { at: Date.UTC(2024, 0, 21) }));
  expect((await log.history({ offset: 0, limit: 9 })).total).toBe(3);
  await log.dispose();
  expect(bench.files()).toEqual(['2024-01.jsonl']);
  expect(readdirSync(join(bench.directory, 'archive'))).toHaveLength(2);
  expect(await bench.verify()).toMatchObject({ ok: true, rows: 3, head: { seq: 8 } });
});

it('never takes the newest month, and goes on from where it was', async () => {
  const bench = await threeMonths();
  expect(await archive(bench, '2023-12')).toEqual(['2023-11.jsonl']);
  expect(await archive(bench, '2030-01')).toEqual(['2023-12.jsonl']);
  expect(await archive(bench, '2030-01')).toEqual([]);
  expect((await bench.verify()).ok).toBe(true);
});

it('is not needed for files that a crash left between the word and the move', async () => {
  const bench = await threeMonths();
  await archive(bench, '2024-01');
  renameSync(
    join(bench.directory, 'archive', '2023-12.jsonl'),
    join(bench.directory, '2023-12.jsonl'),
  );
  expect((await bench.verify()).ok).toBe(true);
  expect(await archive(bench, '2024-01')).toEqual(['2023-12.jsonl']);
});

it('misses months that somebody else took away, and rows that were cut behind the begin', async () => {
  const bench = await threeMonths();
  const path = join(bench.directory, '2023-11.jsonl');
  renameSync(path, join(bench.directory, 'gone'));
  expect(await bench.problems()).toEqual(['deleted 2023-12.jsonl:1']);
  const other = await threeMonths();
  await archive(other, '2023-12');
  const file = join(other.directory, '2023-12.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(1).join('\n'));
  expect(await other.problems()).toEqual(['deleted 2023-12.jsonl:1']);
});

it('believes no begin that was written without the key', async () => {
  const bench = await threeMonths();
  await archive(bench, '2024-01');
  const path = join(bench.directory, 'archived.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('2024-01', '2023-12'));
  expect(await bench.problems()).toContain('edited archived.json:0');
});

const passkeyNote = (change: 'added' | 'removed', at: number): NoteRow => ({
  type: 'note',
  at,
  code: `passkey-${change}`,
  text: '',
  passkey: { id: 'aa', publicKey: 'bb', rpId: 'localhost', name: 'laptop', person: 'Ben', change },
});
const signedBy = (id: string) => ({
  passkey: { id, name: 'laptop' },
  person: 'Ben',
  askDigest: 'd'.repeat(64),
  assertion: { id, clientDataJSON: 'a', authenticatorData: 'a', signature: 'a' },
});

/** Months with a passkey that was added in the first and removed in the second. */
async function monthsWithPasskey(): Promise<LogBench> {
  const bench = logBench();
  const log = await bench.open();
  log.append(passkeyNote('added', Date.UTC(2023, 10, 1)));
  await log.durable(decision('a', { at: Date.UTC(2023, 10, 20) }));
  log.append(passkeyNote('removed', Date.UTC(2023, 11, 20)));
  await log.durable(decision('b', { at: Date.UTC(2024, 0, 20) }));
  await log.dispose();
  return bench;
}

it('keeps the passkeys of the months that it takes out, also those that were removed, step by step', async () => {
  const bench = await monthsWithPasskey();
  const key = (await readAuditSeal(bench.secrets))?.key ?? new Uint8Array();
  const kept = () => (readLogStart(bench.directory, key) as { passkeys?: object[] }).passkeys;
  await archive(bench, '2023-12');
  expect(kept()).toMatchObject([{ key: { id: 'aa', person: 'Ben' }, removedAt: null }]);
  await archive(bench, '2024-01');
  expect(kept()).toMatchObject([{ key: { id: 'aa' }, removedAt: Date.UTC(2023, 11, 20) }]);
  expect((await bench.verify()).ok).toBe(true);
});

it('keeps when a passkey stood in for the owner, so that a yes of later months is held to it', async () => {
  const bench = logBench();
  const [from, until] = [Date.UTC(2023, 10, 21), Date.UTC(2023, 11, 10)];
  const log = await bench.open();
  log.append(passkeyNote('added', Date.UTC(2023, 10, 1)));
  const handOver = { person: 'Ben', until, passkeys: ['aa'] };
  log.append({ type: 'note', at: from, code: 'handed-over', text: '', handOver });
  const yes = { decision: 'allow', by: 'person', code: 'allow-once' } as const;
  for (const [id, at] of [
    ['c', Date.UTC(2023, 11, 5)],
    ['d', Date.UTC(2023, 11, 15)],
  ] as const)
    await log.durable(decision(id, { ...yes, at, proof: signedBy('aa') }));
  await log.dispose();
  const alone = async () =>
    (await bench.verify()).problems.flatMap(({ text }) =>
      text.includes('stand in') ? [text.slice(0, 9)] : [],
    );
  expect(await alone()).toEqual(['Request d']);
  await archive(bench, '2023-12');
  const kept = (await readAuditSeal(bench.secrets))?.key ?? new Uint8Array();
  expect(readLogStart(bench.directory, kept)).toMatchObject({
    passkeys: [{ standsIn: [{ from, until }] }],
  });
  expect(await alone()).toEqual(['Request d']);
  const path = join(bench.directory, 'archived.json');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(String(until), String(until + 1e10)));
  expect(await bench.problems()).toContain('edited archived.json:0');
});

it('still tells of an answer by a key that never was, was gone, or signed something else', async () => {
  const bench = await monthsWithPasskey();
  await archive(bench, '2023-12');
  const log = await bench.open();
  const at = Date.UTC(2023, 11, 20);
  await log.durable(decision('c', { at, code: 'allow-once', proof: signedBy('zz') }));
  await log.durable(decision('d', { at, code: 'allow-once', proof: signedBy('aa') }));
  const late = { at: Date.UTC(2024, 5, 1), code: 'allow-once', proof: signedBy('aa') };
  await log.durable(decision('e', late));
  await log.dispose();
  const { problems } = await bench.verify();
  expect(problems.map(({ text }) => text)).toEqual([
    'Request d was allowed by somebody who did not stand in for the owner.',
    'Request e was allowed by somebody who did not stand in for the owner.',
    'Request c was signed by a passkey that was not there.',
    'What was signed for request d is not this answer.',
    'Request e was signed by a passkey that was not there.',
  ]);
});

it('takes no passkey from a row that was changed, and believes none that was put in afterwards', async () => {
  const bench = await monthsWithPasskey();
  const month = join(bench.directory, '2023-11.jsonl');
  writeFileSync(month, readFileSync(month, 'utf8').replace('"publicKey":"bb"', '"publicKey":"cc"'));
  await archive(bench, '2023-12');
  const path = join(bench.directory, 'archived.json');
  const text = readFileSync(path, 'utf8');
  expect(JSON.parse(text)).toMatchObject({ passkeys: [] });
  expect((await bench.verify()).ok).toBe(true);
  const forged = { key: passkeyNote('added', 1).passkey, removedAt: null };
  writeFileSync(path, JSON.stringify({ ...JSON.parse(text), passkeys: [forged] }));
  expect(await bench.problems()).toContain('edited archived.json:0');
  const { passkeys: _dropped, ...older } = JSON.parse(text) as { passkeys: unknown };
  writeFileSync(path, JSON.stringify(older));
  expect(await bench.problems()).toContain('edited archived.json:0');
});
