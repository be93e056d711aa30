import { hookCommand } from '../../../../shared/agents/hook-command.ts';
import { droidFormat } from '../../../../shared/agents/droid/hook.ts';
import type { Started } from '../agent.ts';
import type { Stage } from '../stage.ts';
import type { Known, Launch } from './real-agent.ts';
import { hookSettings } from './settings.ts';
import { startProgram } from './start.ts';

const modelAt = (address: string): object => ({
  model: 'stand-in',
  id: 'custom:stand-in',
  displayName: 'stand-in',
  baseUrl: `${address}/v1`,
  apiKey: 'none',
  provider: 'generic-chat-completion-api',
});

/** Droid, asked once, in the mode in which it asks nobody itself. */
function launch(
  program: string,
  stage: Stage,
  { model, gated, words = [], tools }: Launch,
): Started {
  return startProgram(stage, {
    program,
    args: [
      'exec',
      '--skip-permissions-unsafe',
      '-m',
      'custom:stand-in',
      'Leave a trace.',
      ...words,
    ],
    env: { FACTORY_API_KEY: 'none', FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false' },
    files: {
      '.factory/settings.json': JSON.stringify({
        customModels: [modelAt(model)],
        ...(gated && {
          hooks: hookSettings(droidFormat, hookCommand(stage.hookFor('droid')), tools),
        }),
      }),
    },
  });
}

export const droid: Known = {
  pin: {
    name: 'droid',
    version: '0.225.2',
    package: `@factory/cli-${process.platform}-${process.arch}`,
    program: `@factory/cli-${process.platform}-${process.arch}/bin/droid`,
  },
  host: 'droid',
  launch,
  quick: false,
};
