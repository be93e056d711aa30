import { hookCommand } from '../../../../shared/agents/hook-command.ts';
import { geminiFormat } from '../../../../shared/agents/gemini/hook.ts';
import type { Started } from '../agent.ts';
import type { Stage } from '../stage.ts';
import type { Known, Launch } from './real-agent.ts';
import { hookSettings } from './settings.ts';
import { startProgram } from './start.ts';

/** Gemini CLI, asked once, in the mode in which it asks nobody itself. */
function launch(
  program: string,
  stage: Stage,
  { model, gated, words = [], tools, terminal = false }: Launch,
): Started {
  return startProgram(stage, {
    program: process.execPath,
    args: [
      program,
      '--approval-mode',
      'yolo',
      '-m',
      'gemini-2.5-flash',
      terminal ? '-i' : '-p',
      'Leave a trace.',
      ...words,
    ],
    terminal,
    env: {
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_API_KEY: 'none',
    },
    files: {
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, disableUpdateNag: true },
        ...(gated && {
          hooks: hookSettings(geminiFormat, hookCommand(stage.hookFor('gemini')), tools),
        }),
      }),
    },
  });
}

export const gemini: Known = {
  pin: {
    name: 'gemini',
    version: '0.61.0',
    package: '@google/gemini-cli',
    program: '@google/gemini-cli/bundle/gemini.js',
  },
  host: 'gemini',
  launch,
  quick: false,
};
