import { fileURLToPath } from 'node:url';
import { pluginText } from '../../../../shared/agents/plugin.ts';
import { toolGroups } from '../../../../shared/agents/hook-entries.ts';
import { pluginTemplate } from '../../../../shared/agents/plugin.ts';
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

/** OpenCode, asked once, with our plugin as the installer writes it. */
function launch(
  program: string,
  stage: Stage,
  { model, gated, words = [], tools = toolGroups, terminal = false }: Launch,
): Started {
  return startProgram(stage, {
    program,
    args: ['run', ...(terminal ? ['-i'] : []), 'Leave a trace.', ...words],
    terminal,
    env: { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1' },
    files: {
      '.config/opencode/opencode.json': JSON.stringify(config(model)),
      ...(gated && {
        '.config/opencode/plugins/interlock.js': pluginText(
          pluginTemplate(root, 'assets/agents/opencode/interlock.js'),
          {
            command: stage.hookFor('opencode'),
            tools,
          },
        ),
      }),
    },
  });
}

export const opencode: Known = {
  pin: {
    name: 'opencode',
    version: '1.18.33',
    package: 'opencode-ai',
    program: `opencode-${process.platform}-${process.arch}/bin/opencode`,
  },
  host: 'opencode',
  launch,
  quick: false,
};
