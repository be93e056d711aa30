import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { program } from '../runner/ingress/mcp/support.ts';
import { startApprover, startRunnerProcess } from '../runner/service/support.ts';
import type { Started } from './support/agent.ts';
import { startModel } from './support/model/server.ts';
import { claude } from './support/programs/claude.ts';
import { realProgram } from './support/programs/real-agent.ts';
import { homeOf, startProgram } from './support/programs/start.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 240_000 });

const found = realProgram(claude, process.env);

/** The real Claude Code without a hook, whose own prompt is our tool `approve`. */
async function startClaude(stage: Stage, path: string): Promise<Started> {
  const [command, script] = program;
  const env = { INTERLOCK_HOME: stage.paths.home };
  const interlock = { command, args: [script, 'mcp'], env };
  return startProgram(stage, {
    program: path,
    args: [
      '-p',
      'Leave a trace.',
      '--mcp-config',
      join(homeOf(stage), 'mcp.json'),
      '--permission-prompt-tool',
      'mcp__interlock__approve',
    ],
    env: {
      ANTHROPIC_BASE_URL: await startModel(stage.command),
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      MCP_TIMEOUT: '120000',
    },
    files: { 'mcp.json': JSON.stringify({ mcpServers: { interlock } }) },
  });
}

if (!found.ok) {
  process.stderr.write(`NOT TESTED: the permission prompt of Claude Code, because ${found.why}\n`);
  test.skip(`the permission prompt of Claude Code: not tested, because ${found.why}`);
} else {
  describe(`the permission prompt of Claude Code ${claude.pin.version}`, () => {
    test('a yes: the runner runs the command, once, and has it on record', async () => {
      const stage = await setStage();
      const approver = await startApprover(stage.paths);
      await startRunnerProcess(stage.paths);
      const { ended } = await startClaude(stage, found.path);
      const asked = await approver.next('ask');
      expect(asked.ask).toMatchObject({ command: stage.command, cwd: stage.work });
      approver.decide(asked, { decision: 'allow-once' });
      expect(await ended).toContain('done');
      expect(stage.timesRun()).toBe(1);
      expect(stage.recorded()).toEqual(['allow allow-once by person', 'starting', 'executed 0']);
    });

    test('a no: nothing runs', async () => {
      const stage = await setStage();
      const approver = await startApprover(stage.paths);
      await startRunnerProcess(stage.paths);
      const { ended } = await startClaude(stage, found.path);
      approver.decide(await approver.next('ask'), { decision: 'deny' });
      await ended;
      expect(stage.timesRun()).toBe(0);
      expect(stage.recorded()).toEqual(['deny confirm-rejected by person']);
    });

    test('no runner: nothing runs', async () => {
      const stage = await setStage();
      const { ended } = await startClaude(stage, found.path);
      await ended;
      expect(stage.timesRun()).toBe(0);
    });
  });
}
