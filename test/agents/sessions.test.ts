import { describe, expect, test, vi } from 'vitest';
import { auditRows, startApprover, startRunnerProcess } from '../runner/service/support.ts';
import { lock } from './support/acts.ts';
import { startScript } from './support/model/server.ts';
import type { Step } from './support/model/server.ts';
import { claude } from './support/programs/claude.ts';
import { codex } from './support/programs/codex.ts';
import { copilot } from './support/programs/copilot.ts';
import { droid } from './support/programs/droid.ts';
import { gemini } from './support/programs/gemini.ts';
import { kilo } from './support/programs/kilo.ts';
import { opencode } from './support/programs/opencode.ts';
import { pi } from './support/programs/pi.ts';
import { realProgram } from './support/programs/real-agent.ts';
import type { Known, Launch } from './support/programs/real-agent.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 600_000 });

const known: readonly Known[] = [claude, codex, gemini, opencode, copilot, pi, droid, kilo];

/** How a session is gone on with, and how a second one is begun where the first one stands. */
const again: Readonly<Record<string, readonly (readonly string[])[]>> = {
  claude: [['--continue'], ['--continue', '--fork-session']],
  codex: [['resume', '--last']],
  gemini: [['--resume', 'latest']],
  opencode: [['--continue'], ['--continue', '--fork']],
  copilot: [['--continue']],
  pi: [['--continue']],
  kilo: [['--continue'], ['--continue', '--fork']],
};

/** A session from its start to its end: what the tools gave back, and what the agent said. */
async function session(
  stage: Stage,
  [of, program]: readonly [Known, string],
  steps: readonly Step[],
  how: Partial<Launch> = {},
): Promise<{ readonly results: readonly string[]; readonly said: string }> {
  const model = await startScript(steps);
  const said = await of.launch(program, stage, { model: model.address, gated: true, ...how }).ended;
  return { results: model.results(), said };
}

/** A test with a real program, where it can be had. */
function withReal(of: Known, name: string, play: (program: string) => Promise<void>): void {
  const found = realProgram(of, process.env);
  if (found.ok) {
    test(name, async () => play(found.path));
    return;
  }
  test.skip(`${name}: not tested, because ${found.why}`);
}

for (const of of known) {
  const found = realProgram(of, process.env);
  if (!found.ok) process.stderr.write(`NOT TESTED: sessions of ${of.host}, because ${found.why}\n`);
}

describe.each(known)('$pin.name $pin.version', (of) => {
  withReal(of, 'locked while its command runs: the command ends, and it is told', async (path) => {
    const stage = await setStage({ policy: { security: 'full', ask: 'off' } });
    await startRunnerProcess(stage.paths);
    stage.tap.handAll();
    const steps = [
      { shell: `${stage.command}; tail -f /dev/null` },
      { shell: stage.command },
    ] as const;
    const working = session(stage, [of, path], steps);
    await expect.poll(() => stage.timesRun(), { interval: 50, timeout: 60_000 }).toBe(1);
    await lock(stage);
    const { results, said } = await working;
    expect(results, said).toHaveLength(2);
    for (const result of results) expect(result).toMatch(/locked/i);
    expect(stage.timesRun()).toBe(1);
    expect(stage.recorded()).toEqual([
      'allow security-full by policy',
      'starting',
      'executed lockout-active',
      'deny lockout-active by policy',
    ]);
  });

  for (const words of again[of.host] ?? [])
    withReal(of, `a session gone on with (${words.join(' ')}) is behind the gate`, async (path) => {
      const rule = { id: 'r1', pattern: 'mktemp' };
      const stage = await setStage({ policy: { ask: 'off', allowlist: [rule] } });
      await startRunnerProcess(stage.paths);
      stage.tap.handAll();
      const first = { shell: stage.command };
      const next = { shell: `${stage.command}; id` };
      await session(stage, [of, path], [first]);
      expect(stage.timesRun()).toBe(1);
      // Gemini CLI tells its model the first result twice.
      const steps = [first, next, next];
      const { results, said } = await session(stage, [of, path], steps, { words });
      expect(results.at(-1), said).toMatch(/no rule|not allowed/i);
      expect(stage.timesRun()).toBe(1);
    });
});

// `script` of other systems takes other arguments.
const inTerminals = process.platform === 'linux' ? [claude, codex, gemini, opencode] : [];

describe.each(inTerminals)('$pin.name $pin.version in a terminal', (of) => {
  withReal(of, 'is behind the gate as it is without one', async (path) => {
    const rule = { id: 'r1', pattern: 'mktemp' };
    const stage = await setStage({ policy: { ask: 'off', allowlist: [rule] } });
    await startRunnerProcess(stage.paths);
    stage.tap.handAll();
    const model = await startScript([{ shell: stage.command }, { shell: `${stage.command}; id` }]);
    const started = of.launch(path, stage, { model: model.address, gated: true, terminal: true });
    started.ended.catch(() => undefined);
    await expect.poll(() => model.results().length, { interval: 100, timeout: 40_000 }).toBe(2);
    expect(model.results()[1]).toMatch(/no rule|not allowed/i);
    expect(stage.timesRun()).toBe(1);
    expect(stage.recorded()[0]).toBe('allow rule-allow by policy');
  });
});

const both = [claude, codex].filter((of) => realProgram(of, process.env).ok);

test.runIf(both.length === 2)(
  'two agents in one folder are each asked about by their own name, and run their own',
  async () => {
    const stage = await setStage({ policy: { allowlist: [{ id: 'r1', pattern: 'mktemp' }] } });
    await startRunnerProcess(stage.paths);
    stage.tap.handAll();
    const steps = Array.from({ length: 3 }, () => ({ shell: stage.command }));
    const sessions = both.map(async (of) => {
      const found = realProgram(of, process.env);
      return session(stage, [of, found.ok ? found.path : ''], steps);
    });
    for (const { results, said } of await Promise.all(sessions)) {
      expect(results, said).toHaveLength(3);
      expect(new Set(results).size).toBe(3);
    }
    expect(stage.timesRun()).toBe(6);
    const names = auditRows(stage.paths).flatMap((row) =>
      row.type === 'decision' ? [row.agent] : [],
    );
    const expected = both.flatMap(({ pin }) => steps.map(() => pin.name));
    expect(names.toSorted()).toEqual(expected);
  },
);

describe('the time that a person has by default', () => {
  const patient = known.filter((of) => realProgram(of, process.env).ok);
  test.runIf(process.env['INTERLOCK_REAL_AGENTS'] !== undefined)(
    'is over before any host gives up: each is told, and nothing runs',
    async () => {
      const stages = await Promise.all(patient.map(async () => setStage()));
      await Promise.all(
        patient.map(async (of, at) => {
          const stage = stages[at];
          const found = realProgram(of, process.env);
          if (stage === undefined || !found.ok) return;
          await startApprover(stage.paths);
          await startRunnerProcess(stage.paths);
          stage.tap.handAll();
          const { results, said } = await session(
            stage,
            [of, found.path],
            [{ shell: stage.command }],
          );
          expect(results, said).toHaveLength(1);
          expect(results[0], of.host).toMatch(/answered|in time/);
          expect(stage.timesRun()).toBe(0);
          expect(stage.recorded()).toEqual(['deny approval-timeout by policy']);
        }),
      );
    },
  );
});
