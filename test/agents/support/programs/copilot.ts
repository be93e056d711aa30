import { hookCommand } from '../../../../shared/agents/hook-command.ts';
import { copilotFormat } from '../../../../shared/agents/copilot/hook.ts';
import type { Started } from '../agent.ts';
import type { Stage } from '../stage.ts';
import type { Known, Launch } from './real-agent.ts';
import { hookSettings } from './settings.ts';
import { startProgram } from './start.ts';

/** Copilot CLI, asked once, in the mode in which it asks nobody itself, and without a login. */
function launch(
  program: string,
  stage: Stage,
  { model, gated, words = [], tools }: Launch,
): Started {
  return startProgram(stage, {
    program,
    args: ['-p', 'Leave a trace.', '--allow-all-tools', ...words],
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_MODEL: 'stand-in',
      COPILOT_AUTO_UPDATE: 'false',
    },
    files: {
      ...(gated && {
        '.copilot/hooks/interlock.json': JSON.stringify({
          ...copilotFormat.root,
          hooks: hookSettings(copilotFormat, hookCommand(stage.hookFor('copilot')), tools),
        }),
      }),
    },
  });
}

export const copilot: Known = {
  pin: {
    name: 'copilot',
    version: '1.0.102',
    package: '@github/copilot',
    program: `@github/copilot-${process.platform}-${process.arch}/copilot`,
  },
  host: 'copilot',
  launch,
  quick: false,
};
