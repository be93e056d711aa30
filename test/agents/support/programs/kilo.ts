import { fileURLToPath } from 'node:url';
import { pluginTemplate, pluginText } from '../../../../shared/agents/plugin.ts';
import { toolGroups } from '../../../../shared/agents/hook-entries.ts';
import type { Started } from '../agent.ts';
import type { Stage } from '../stage.ts';
import type { Known, Launch } from './real-agent.ts';
import { startProgram } from './start.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const config = (model: string): object => ({
  model: 'stand-in/m',
  small_model: 'stand-in/m',
  autoupdate: false,
  share: 'disabled',
  provider: {
    'stand-in': {
      npm: '@ai-sdk/openai-compatible',
      name: 'stand-in',
      options: { baseURL: `${model}/v1`, apiKey: 'none' },
      models: { m: { name: 'm' } },
    },
  },
});

/** Kilo, asked once, in the mode in which it asks nobody itself, with our plugin as it is installed. */
function launch(
  program: string,
  stage: Stage,
  { model, gated, words = [], tools = toolGroups }: Launch,
): Started {
  return startProgram(stage, {
    program,
    args: ['run', '--auto', 'Leave a trace.', ...words],
    env: { KILO_DISABLE_MODELS_FETCH: '1', KILO_DISABLE_AUTOUPDATE: '1' },
    files: {
      '.config/kilo/kilo.json': JSON.stringify(config(model)),
      ...(gated && {
        '.config/kilo/plugin/interlock.js': pluginText(
          pluginTemplate(root, 'assets/agents/kilo/interlock.js'),
          { command: stage.hookFor('kilo'), tools },
        ),
      }),
    },
  });
}

export const kilo: Known = {
  pin: {
    name: 'kilo',
    version: '7.7.9',
    package: `@kilocode/cli-${process.platform}-${process.arch}`,
    program: `@kilocode/cli-${process.platform}-${process.arch}/bin/kilo`,
  },
  host: 'kilo',
  launch,
  quick: false,
};
