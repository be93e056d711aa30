import { hookCommand } from '../../../../shared/agents/hook-command.ts';
import { claudeFormat } from '../../../../shared/agents/claude/hook.ts';
import type { Agent } from '../agent.ts';
import { startModel } from '../model/server.ts';
import type { Known } from './real-agent.ts';
import { hookSettings } from './settings.ts';
import { startProgram } from './start.ts';

/** Claude Code, asked once without a person in front of it. */
function agent(program: string): Agent {
  return {
    host: 'claude',
    start: async (stage) =>
      startProgram(stage, {
        program,
        args: ['-p', 'Leave a trace.'],
        env: {
          ANTHROPIC_BASE_URL: await startModel(stage.command),
          ANTHROPIC_API_KEY: 'none',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_TELEMETRY: '1',
          DISABLE_AUTOUPDATER: '1',
        },
        files: {
          '.claude/settings.json': JSON.stringify({
            hooks: hookSettings(claudeFormat, hookCommand(stage.hookFor('claude'))),
            // A rule of its own, so that only the hook stands between the model and the command.
            permissions: { allow: ['Bash'] },
          }),
        },
      }),
  };
}

export const claude: Known = {
  pin: {
    name: 'claude',
    version: '2.1.330',
    package: '@anthropic-ai/claude-code',
    program: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  },
  agent,
  quick: true,
};
