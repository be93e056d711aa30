import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { closeOpenDecisions, endsInRecord, lateEnd } from '../../../runner/audit/recover.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { seeded } from '../../fuzz/random.ts';
import { decision, openHomeAudit, outcome, verifyHome } from './support.ts';
import { killCount, killSeed, ranBelow, tallyOf } from './tally.ts';

const fixture = fileURLToPath(
  new URL('../../../dist/test/fixtures/audit/writer.js', import.meta.url),
);
/** A fresh home every so often, so that looking at the whole log after each kill stays cheap. */
const killsPerHome = 40;

interface Told {
  readonly confirmed: readonly string[];
  readonly ended: readonly string[];
  readonly lines: number;
}

/** One life of the writer: killed at its n-th word. Answers all that it said before it died. */
async function live(home: string, life: string, killAt: number): Promise<Told> {
  const child = spawn(process.execPath, [fixture, home, life], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = new Promise<string>((resolve) =>
    child.once('close', (code, signal) => resolve(`${signal ?? code}`)),
  );
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const words: (readonly [string, string])[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [word = '', id = ''] = line.split(' ');
    words.push([word, id]);
    if (words.length === killAt) child.kill('SIGKILL');
  }
  expect([await gone, complaints]).toEqual(['SIGKILL', '']);
  const idsOf = (wanted: string): readonly string[] =>
    words.filter(([word]) => word === wanted).map(([, id]) => id);
  return { confirmed: idsOf('confirmed'), ended: idsOf('ended'), lines: words.length };
}

/** Nothing confirmed is missing, nothing ran that was not allowed, nothing that ran is denied. */
function checkAgainst(told: readonly Told[], paths: HomePaths): void {
  const tally = tallyOf(paths);
  const ran = ranBelow(join(paths.home, '..', 'ran'));
  const missing = (ids: readonly string[], ...sets: readonly ReadonlySet<string>[]) =>
    ids.filter((id) => !sets.some((set) => set.has(id)));
  expect({
    confirmedWithoutRow: missing(
      told.flatMap(({ confirmed }) => confirmed),
      tally.allowed,
      tally.denied,
    ),
    endedWithoutRow: missing(
      told.flatMap(({ ended }) => ended),
      tally.executed,
    ),
    ranWithoutPermission: missing(ran, tally.allowed),
    ranWithoutStart: missing(ran, tally.started),
    ranAndRefused: ran.filter((id) => tally.denied.has(id) || tally.notExecuted.has(id)),
    lost: tally.notes.filter((code) => code === 'audit-rows-missing'),
  }).toEqual({
    confirmedWithoutRow: [],
    endedWithoutRow: [],
    ranWithoutPermission: [],
    ranWithoutStart: [],
    ranAndRefused: [],
    lost: [],
  });
}

test(
  `a writer that is killed ${String(killCount)} times loses, doubles and invents nothing`,
  { timeout: 60_000 + killCount * 6_000 },
  async () => {
    const random = seeded(killSeed);
    let halfRows = 0;
    let decisions = 0;
    for (let kills = 0; kills < killCount; kills += killsPerHome) {
      const home = mkdtempSync(join(tmpdir(), 'il-crash-'));
      onTestFinished(() => rmSync(home, { recursive: true, force: true }));
      const paths = homePaths({ INTERLOCK_HOME: home });
      const told: Told[] = [];
      for (let kill = kills; kill < Math.min(kills + killsPerHome, killCount); kill += 1) {
        // Some die while they open and heal the log, most under load.
        const killAt = random.chance(25) ? 1 + random.below(4) : 4 + random.below(160);
        told.push(await live(home, String(kill), killAt));
        const where = `seed ${String(killSeed)}, kill ${String(kill)}`;
        const before = await verifyHome(paths);
        // The one thing a kill may leave is half a row at the end, which the next start takes out.
        const other = before.problems.filter(
          ({ text }) => !text.startsWith('The last row was cut'),
        );
        expect({ where, other }).toEqual({ where, other: [] });
        halfRows += before.problems.length;
        if (random.chance(50)) continue;
        const audit = await openHomeAudit(paths);
        await closeOpenDecisions(audit, Date.now);
        await audit.dispose();
        expect({ where, ...(await verifyHome(paths)) }).toMatchObject({ ok: true, problems: [] });
        checkAgainst(told, paths);
        const { allowed, closed } = tallyOf(paths);
        expect([...allowed].filter((id) => !closed.has(id))).toEqual([]);
      }
      decisions += told.flatMap(({ confirmed }) => confirmed).length;
      rmSync(home, { recursive: true, force: true });
    }
    console.info(
      `${String(killCount)} kills, seed ${String(killSeed)}: ${String(decisions)} confirmed decisions, ${String(halfRows)} half rows healed`,
    );
    expect(decisions).toBeGreaterThan(killCount);
  },
);

test('an end is in the record where its host told it, and not where a recovery guessed it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'interlock-ends-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const paths = homePaths({ INTERLOCK_HOME: home });
  const audit = await openHomeAudit(paths);
  const at = Date.UTC(2026, 4, 10);
  for (const id of ['told-1', 'cut-2', 'late-3', 'open-4']) {
    await audit.durable(decision(id, { at }));
    audit.append({ type: 'starting', id, at });
  }
  await audit.durable(outcome('told-1', { at }));
  await audit.durable(outcome('late-3', { at, code: 'stale-on-recovery' }));
  await audit.durable(outcome('cut-2', { at, code: 'stale-on-recovery' }));
  audit.append({ type: 'note', at, code: lateEnd, text: 'late-3 on build ended with 0.' });
  await audit.dispose();
  const ids = new Set(['told-1', 'cut-2', 'late-3', 'open-4', 'never-5']);
  expect([...endsInRecord(paths.auditDirectory, ids)].toSorted()).toEqual(['late-3', 'told-1']);
});
