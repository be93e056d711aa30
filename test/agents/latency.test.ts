import { cpus, loadavg } from 'node:os';
import { describe, expect, test, vi } from 'vitest';
import { startRunnerProcess } from '../runner/service/support.ts';
import { table } from '../support/table.ts';
import { startScript } from './support/model/server.ts';
import { claude } from './support/programs/claude.ts';
import { codex } from './support/programs/codex.ts';
import { copilot } from './support/programs/copilot.ts';
import { droid } from './support/programs/droid.ts';
import { gemini } from './support/programs/gemini.ts';
import { kilo } from './support/programs/kilo.ts';
import { opencode } from './support/programs/opencode.ts';
import { pi } from './support/programs/pi.ts';
import { realProgram } from './support/programs/real-agent.ts';
import type { Known } from './support/programs/real-agent.ts';
import { setStage } from './support/stage.ts';
import { nativeClient } from './support/tap.ts';

vi.setConfig({ testTimeout: 900_000 });

const known: readonly Known[] = [claude, codex, gemini, opencode, copilot, pi, droid, kilo];
const wanted = process.env['INTERLOCK_MEASURE_AGENTS'] === '1';

/** Calls of the shell tool in one session; the first one, which loads everything, is left out. */
const calls = 11;

type Way = 'without' | 'decides' | 'runs';

/** From the model's word to its result, in milliseconds: the median of a session's calls of `true`. */
async function callMs(of: Known, program: string, way: Way): Promise<number> {
  const stage = await setStage({ policy: { security: 'full', ask: 'off' } });
  await startRunnerProcess(stage.paths);
  const hookFor: typeof stage.hookFor = (host) => ({
    ...stage.hookFor(host),
    // Nothing of the test stands between the host and its hook.
    node: process.execPath,
    ...(nativeClient !== null && { client: nativeClient }),
    ...(way === 'decides' && { decideOnly: true }),
  });
  // Some hosts end a session that makes the same call again and again.
  const model = await startScript(
    Array.from({ length: calls }, (_none, at) => ({ shell: `true ${String(at)}` })),
  );
  const launch = { model: model.address, gated: way !== 'without' };
  const said = await of.launch(program, { ...stage, hookFor }, launch).ended;
  expect(model.results(), said).toHaveLength(calls);
  for (const result of model.results()) expect(result).not.toMatch(/interlock|gate|hook program/i);
  const times = model
    .tookMs()
    .slice(1)
    .toSorted((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? NaN;
}

/** What a call takes, two sessions of each way in turns, the quicker one. */
async function measure(of: Known, program: string): Promise<readonly string[]> {
  const best: Record<Way, number> = { without: Infinity, decides: Infinity, runs: Infinity };
  for (let round = 0; round < 2; round += 1)
    for (const way of ['without', 'decides', 'runs'] as const)
      best[way] = Math.min(best[way], await callMs(of, program, way));
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  const added = (way: Way): string => `${ms(best[way])} (+${ms(best[way] - best.without)})`;
  return [`${of.pin.name} ${of.pin.version}`, ms(best.without), added('decides'), added('runs')];
}

describe.runIf(wanted)('what the gate costs an agent', () => {
  test('a call of the shell tool, per host', async () => {
    const rows: (readonly string[])[] = [];
    for (const of of known) {
      const found = realProgram(of, process.env);
      if (found.ok) {
        const row = await measure(of, found.path);
        rows.push(row);
        process.stdout.write(`${row.join('   ')}\n`);
      } else process.stdout.write(`NOT MEASURED: ${of.host}, because ${found.why}\n`);
    }
    const head = ['a call of `true`', 'without the gate', '`--decide-only`', 'by the runner'];
    const load = loadavg().map((value) => value.toFixed(1));
    process.stdout.write(
      `${table(
        head,
        rows.map((row) => [...row]),
      )}\n`,
    );
    process.stdout.write(`Load: ${load.join(', ')} on ${String(cpus().length)} cores.\n`);
    expect(rows.length).toBeGreaterThan(0);
  });
});
