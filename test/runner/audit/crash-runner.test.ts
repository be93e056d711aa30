import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closeOpenDecisions } from '../../../runner/audit/recover.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { seeded } from '../../fuzz/random.ts';
import { exec, makeHome, startRunnerProcess } from '../service/support.ts';
import { openHomeAudit, verifyHome } from './support.ts';
import { killCount, killSeed, ranBelow, tallyOf } from './tally.ts';

/** A real runner takes its time to start: one kill for every ten of the small writer. */
const kills = Math.ceil(killCount / 10);
const lanes = 6;

interface Sent {
  readonly id: string | null;
  readonly file: string;
  readonly ended: string;
}

/** Sends commands, some of which are to be refused, until the runner is gone. */
async function lane(paths: HomePaths, name: string, onEnd: () => void): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  for (let count = 0; ; count += 1) {
    const file = join(paths.home, '..', 'ran', `${name}-${String(count)}`);
    const run = exec(paths, {
      argv: ['sh', '-c', 'echo ran >> "$0"', file],
      ...(count % 3 === 2 && { security: 'deny' }),
    });
    const isGone = await run.done.then(
      () => false,
      () => true,
    );
    const last = run.events.at(-1);
    const id = last !== undefined && 'id' in last ? (last.id ?? null) : null;
    const type = isGone ? 'gone' : (last?.type ?? 'gone');
    sent.push({ id, file, ended: last?.type === 'refused' ? last.refusal.code : type });
    if (isGone) return sent;
    onEnd();
  }
}

test(
  `a runner that is killed ${String(kills)} times under load: what ran is what was allowed, once`,
  { timeout: 60_000 + kills * 20_000 },
  async () => {
    const random = seeded(killSeed);
    const paths = await makeHome({ security: 'full', ask: 'off' });
    mkdirSync(join(paths.home, '..', 'ran'));
    const sent: Sent[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      const runner = await startRunnerProcess(paths);
      // So many that some lane has come to its third command, which is refused.
      let left = 2 * lanes + 1 + random.below(40);
      const onEnd = (): void => {
        left -= 1;
        if (left === 0) runner.child.kill('SIGKILL');
      };
      const names = Array.from(
        { length: lanes },
        (_, number) => `${String(kill)}-${String(number)}`,
      );
      sent.push(...(await Promise.all(names.map(async (name) => lane(paths, name, onEnd)))).flat());
      expect((await runner.ended).signal).toBe('SIGKILL');
    }
    const audit = await openHomeAudit(paths);
    await closeOpenDecisions(audit, Date.now);
    await audit.dispose();

    expect((await verifyHome(paths)).problems).toEqual([]);
    const tally = tallyOf(paths);
    expect(tally.notes).not.toContain('audit-rows-missing');
    expect([...tally.allowed].filter((id) => !tally.closed.has(id))).toEqual([]);
    // Each command appends a line to a file of its own: run twice, it would have two.
    const ran = ranBelow(join(paths.home, '..', 'ran'));
    const lines = ran.map((name) => readFileSync(join(paths.home, '..', 'ran', name), 'utf8'));
    expect(lines.filter((text) => text !== 'ran\n')).toEqual([]);
    // Each row to its own file: a command that ended with 0 has written it, one that was not started
    // has not. In between is what was cut off: it may have come to its writing or not.
    const fileOf = (id: string): string =>
      /ran\/(?<name>[\w-]+)/.exec(tally.commands.get(id) ?? '')?.groups?.['name'] ?? `none: ${id}`;
    const failed = new Set(tally.failed.map(({ id }) => id));
    const succeeded = [...tally.executed].filter((id) => !failed.has(id)).map(fileOf);
    expect(succeeded.filter((name) => !ran.includes(name))).toEqual([]);
    const started = new Set([...tally.started].map(fileOf));
    expect(started.size).toBe(tally.started.size);
    expect(ran.filter((name) => !started.has(name))).toEqual([]);
    const never = [...tally.notExecuted, ...tally.denied].map(fileOf);
    expect(never.filter((name) => ran.includes(name))).toEqual([]);
    if (tally.failed.length > 0) console.warn('Commands that failed', tally.failed);

    const finished = sent.filter(({ ended }) => ended === 'finished');
    expect(finished.length).toBeGreaterThan(0);
    for (const { id, file } of finished)
      expect([existsSync(file), tally.executed.has(id ?? '')]).toEqual([true, true]);
    const refused = sent.filter(({ ended }) => ended === 'policy-deny');
    expect(refused.length).toBeGreaterThan(0);
    for (const { id, file } of refused)
      expect([existsSync(file), tally.denied.has(id ?? '')]).toEqual([false, true]);
    console.info(
      `${String(kills)} kills of a runner, seed ${String(killSeed)}: ${String(ran.length)} ran, ${String(tally.allowed.size)} allowed, ${String(tally.denied.size)} refused, ${String(sent.length)} sent`,
    );
  },
);
