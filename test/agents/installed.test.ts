import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { auditRows, startRunnerProcess } from '../runner/service/support.ts';
import type { Started } from './support/agent.ts';
import { startModel } from './support/model/server.ts';
import { claude } from './support/programs/claude.ts';
import { realProgram } from './support/programs/real-agent.ts';
import { homeOf, startProgram } from './support/programs/start.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 240_000 });

const found = realProgram(claude, process.env);
const cli = join(import.meta.dirname, '..', '..', 'dist', 'runner', 'cli', 'main.js');
const before = `${JSON.stringify({ permissions: { allow: ['Bash'] } }, null, 2)}\n`;

/** What a person types, in the agent's home. */
function typed(stage: Stage, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    cwd: stage.work,
    encoding: 'utf8',
    env: { ...process.env, HOME: homeOf(stage), INTERLOCK_HOME: stage.paths.home },
  });
  return `${String(status)} ${stdout}${stderr}`;
}

function settingsOf(stage: Stage): string {
  const path = join(homeOf(stage), '.claude', 'settings.json');
  mkdirSync(dirname(path), { recursive: true });
  return path;
}

async function startClaude(stage: Stage, path: string): Promise<Started> {
  return startProgram(stage, {
    program: path,
    args: ['-p', 'Leave a trace.'],
    env: {
      ANTHROPIC_BASE_URL: await startModel(stage.command),
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    files: {},
  });
}

if (!found.ok) {
  process.stderr.write(`NOT TESTED: Claude Code as it is installed, because ${found.why}\n`);
  test.skip(`Claude Code as it is installed: not tested, because ${found.why}`);
} else {
  describe(`Claude Code ${claude.pin.version} behind "interlock install claude"`, () => {
    test('signs with its own key, runs what a rule allows through the runner, and comes out as it was', async () => {
      const rule = { id: 'r1', pattern: 'mktemp' };
      const stage = await setStage({ policy: { allowlist: [rule] } });
      writeFileSync(settingsOf(stage), before);
      expect(typed(stage, 'install', 'claude')).toMatch(/^0 /);
      await startRunnerProcess(stage.paths);
      await (
        await startClaude(stage, found.path)
      ).ended;
      expect(stage.timesRun()).toBe(1);
      expect(stage.recorded()).toEqual(['allow rule-allow by policy', 'starting', 'executed 0']);
      expect(auditRows(stage.paths)).toContainEqual(
        expect.objectContaining({ type: 'decision', agent: 'claude', command: stage.command }),
      );
      expect(typed(stage, 'uninstall', 'claude')).toMatch(/^0 /);
      expect(readFileSync(settingsOf(stage), 'utf8')).toBe(before);
    });

    test('runs nothing while there is no runner', async () => {
      const stage = await setStage({ policy: { security: 'full', ask: 'off' } });
      writeFileSync(settingsOf(stage), before);
      expect(typed(stage, 'install', 'claude')).toMatch(/^0 /);
      await (
        await startClaude(stage, found.path)
      ).ended;
      expect(stage.timesRun()).toBe(0);
    });
  });
}
