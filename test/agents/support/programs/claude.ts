import { hookCommand } from '../../../../shared/agents/hook-command.ts';
import { claudeFormat } from '../../../../shared/agents/claude/hook.ts';
import type { Started } from '../agent.ts';
import type { Stage } from '../stage.ts';
import type { Known, Launch } from './real-agent.ts';
import { hookSettings } from './settings.ts';
import { startProgram } from './start.ts';

/** Claude Code, asked once without a person in front of it. */
function launch(
  program: string,
  stage: Stage,
  { model, gated, words = [], tools, terminal = false }: Launch,
): Started {
  return startProgram(stage, {
    program,
    args: [...(terminal ? [] : ['-p']), 'Leave a trace.', ...words],
    terminal,
    env: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    files: {
      // What it asks before a first session in a terminal, answered.
      ...(terminal && {
        '.claude.json': JSON.stringify({
          hasCompletedOnboarding: true,
          theme: 'dark',
          customApiKeyResponses: { approved: ['none'], rejected: [] },
          projects: { [stage.work]: { hasTrustDialogAccepted: true } },
        }),
      }),
      '.claude/settings.json': JSON.stringify({
        ...(gated && {
          hooks: hookSettings(claudeFormat, hookCommand(stage.hookFor('claude')), tools),
        }),
        // A rule of its own, so that only the hook stands between the model and the command.
        permissions: { allow: ['Bash'] },
      }),
    },
  });
}

export const claude: Known = {
  pin: {
    name: 'claude',
    version: '2.1.330',
    package: '@anthropic-ai/claude-code',
    program: `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  },
  host: 'claude',
  launch,
  quick: true,
};
