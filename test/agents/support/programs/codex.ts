import { hookCommand } from '../../../../shared/agents/hook-command.ts';
import { codexHash } from '../../../../shared/agents/codex/config.ts';
import { findHooks } from '../../../../shared/agents/hook-command.ts';
import { codexFormat } from '../../../../shared/agents/codex/hook.ts';
import type { Agent } from '../agent.ts';
import { startModel } from '../model/server.ts';
import type { Known } from './real-agent.ts';
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
function agent(program: string): Agent {
  return {
    host: 'codex',
    start: async (stage) => {
      const folder = `${homeOf(stage)}/.codex`;
      const hooks = hookSettings(codexFormat, hookCommand(stage.hookFor('codex')));
      return startProgram(stage, {
        program: process.execPath,
        args: [program, 'exec', '--skip-git-repo-check', 'Leave a trace.'],
        env: { CODEX_HOME: folder },
        files: {
          '.codex/config.toml': config(
            await startModel(stage.command),
            trustIn(`${folder}/hooks.json`, hooks),
          ),
          '.codex/hooks.json': JSON.stringify({ hooks }),
        },
      });
    },
  };
}

export const codex: Known = {
  pin: {
    name: 'codex',
    version: '0.169.0',
    package: '@openai/codex',
    program: '@openai/codex/bin/codex.js',
  },
  agent,
  quick: true,
};
