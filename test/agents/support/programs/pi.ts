import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pluginTemplate, pluginText } from '../../../../shared/agents/plugin.ts';
import { toolGroups } from '../../../../shared/agents/hook-entries.ts';
import type { Started } from '../agent.ts';
import type { Stage } from '../stage.ts';
import type { Known, Launch } from './real-agent.ts';
import { startProgram } from './start.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

const newerNode = `node-${process.platform}-${process.arch}`;

const models = (address: string): object => ({
  providers: {
    'stand-in': {
      baseUrl: `${address}/v1`,
      api: 'openai-completions',
      apiKey: 'none',
      models: [{ id: 'm' }],
    },
  },
});

/** pi, asked once, with our extension as the installer writes it. It wants a newer Node than ours. */
function launch(
  program: string,
  stage: Stage,
  { model, gated, words = [], tools = toolGroups }: Launch,
): Started {
  const node = join(dirname(program), '../../..', newerNode, 'bin/node');
  return startProgram(stage, {
    program: node,
    args: [program, '--provider', 'stand-in', '--model', 'm', '-p', 'Leave a trace.', ...words],
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' },
    files: {
      '.pi/agent/models.json': JSON.stringify(models(model)),
      ...(gated && {
        '.pi/agent/extensions/interlock.js': pluginText(
          pluginTemplate(root, 'assets/agents/pi/interlock.js'),
          { command: stage.hookFor('pi'), tools },
        ),
      }),
    },
  });
}

export const pi: Known = {
  pin: {
    name: 'pi',
    version: '0.87.1',
    package: '@earendil-works/pi-coding-agent',
    program: '@earendil-works/pi-coding-agent/dist/cli.js',
    besides: [`${newerNode}@26.10.0`],
  },
  host: 'pi',
  launch,
  quick: false,
};
