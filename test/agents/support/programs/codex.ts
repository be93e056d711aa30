import { hookCommand } from '../../../../shared/agents/hook-command.ts';
import { codexHash } from '../../../../shared/agents/codex/config.ts';
import { findHooks } from '../../../../shared/agents/hook-command.ts';
import { codexFormat } from '../../../../shared/agents/codex/hook.ts';
import type { Started } from '../agent.ts';
import type { Stage } from '../stage.ts';
import type { Known, Launch } from './real-agent.ts';
import { hookSettings } from './settings.ts';
import { homeOf, startProgram } from './start.ts';

const config = (model: string, trusted: string): string => `
model = "stand-in"
model_provider = "stand-in"
# Nothing but the hook stands between the model and the command.
approval_policy = "never"
sandbox_mode = "danger-full-access"

[model_providers.stand-in]
name = "stand-in"
base_url = "${model}/v1"
wire_api = "responses"
requires_openai_auth = false
${trusted}`;

/** What Codex writes down once a person has said that they trust a hook. */
function trustIn(file: string, hooks: ReturnType<typeof hookSettings>): string {
  return findHooks({ hooks })
    .map((hook) => {
      const place = `${file}:pre_tool_use:${String(hook.index)}:${String(hook.handler ?? 0)}`;
      return `\n[hooks.state."${place}"]\ntrusted_hash = "${codexHash(hook)}"\n`;
    })
    .join('');
}

/** Codex, asked once, with a hook that the person trusts. */
function launch(
  program: string,
  stage: Stage,
  { model, gated, words = [], tools, terminal = false }: Launch,
): Started {
  const folder = `${homeOf(stage)}/.codex`;
  const hooks = gated ? hookSettings(codexFormat, hookCommand(stage.hookFor('codex')), tools) : {};
  return startProgram(stage, {
    program: process.execPath,
    args: [
      program,
      ...(terminal ? ['--no-alt-screen'] : ['exec', '--skip-git-repo-check']),
      ...words,
      'Leave a trace.',
    ],
    terminal,
    env: { CODEX_HOME: folder },
    files: {
      '.codex/config.toml': config(
        model,
        `\n[projects."${stage.work}"]\ntrust_level = "trusted"\n${trustIn(`${folder}/hooks.json`, hooks)}`,
      ),
      '.codex/hooks.json': JSON.stringify({ hooks }),
    },
  });
}

export const codex: Known = {
  pin: {
    name: 'codex',
    version: '0.169.0',
    package: '@openai/codex',
    program: '@openai/codex/bin/codex.js',
  },
  host: 'codex',
  launch,
  quick: true,
};
