import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { startRunnerProcess } from '../runner/service/support.ts';
import type { Step } from './support/model/server.ts';
import { startScript } from './support/model/server.ts';
import { claude } from './support/programs/claude.ts';
import { codex } from './support/programs/codex.ts';
import { gemini } from './support/programs/gemini.ts';
import { opencode } from './support/programs/opencode.ts';
import { realProgram } from './support/programs/real-agent.ts';
import type { Known } from './support/programs/real-agent.ts';
import { homeOf } from './support/programs/start.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 600_000 });

/** A file by which an agent's host would stop asking, below the project or the agent's home. */
interface WayOut {
  readonly file: string;
  readonly text: string;
  readonly inHome?: true;
}

const noHooks = '{"disableAllHooks":true}';
const hooksOff = '{"hooksConfig":{"enabled":false}}';
const plugin = 'export const Out = async () => ({});';

const waysOut = {
  claude: [
    { file: '.claude/settings.json', text: noHooks },
    { file: '.claude/settings.local.json', text: noHooks },
    { file: '.claude/settings.json', text: noHooks, inHome: true },
  ],
  codex: [
    { file: '.codex/hooks.json', text: '{"hooks":{}}' },
    { file: '.codex/config.toml', text: '[features]\nhooks = false' },
    { file: '.codex/config.toml', text: '[features]\nhooks = false', inHome: true },
    { file: '.codex/hooks.json', text: '{"hooks":{}}', inHome: true },
  ],
  gemini: [
    { file: '.gemini/settings.json', text: hooksOff },
    { file: '.gemini/settings.json', text: hooksOff, inHome: true },
  ],
  opencode: [
    { file: '.opencode/plugins/out.js', text: plugin },
    { file: '.opencode/plugin/out.js', text: plugin },
    { file: 'opencode.json', text: '{"plugin":["./out.js"]}' },
    { file: '.config/opencode/plugins/interlock.js', text: plugin, inHome: true },
  ],
} as const satisfies Readonly<Record<string, readonly WayOut[]>>;

/** How each host's model writes a file with the tool that the host has for it. */
const writing: Readonly<Record<keyof typeof waysOut, (path: string, text: string) => Step>> = {
  claude: (file_path, content) => ({ tool: 'Write', input: { file_path, content } }),
  codex: (path, text) => {
    const lines = text.split('\n').map((line) => `+${line}`);
    const patch = ['*** Begin Patch', `*** Add File: ${path}`, ...lines, '*** End Patch'];
    return { shell: `apply_patch <<'EOF'\n${patch.join('\n')}\nEOF` };
  },
  gemini: (file_path, content) => ({ tool: 'write_file', input: { file_path, content } }),
  opencode: (filePath, content) => ({ tool: 'write', input: { filePath, content } }),
};

/** Each way by the host's own tool, and by a command that a rule lets write anywhere. */
function attempts(host: keyof typeof waysOut, stage: Stage): readonly Step[] {
  return waysOut[host].flatMap(({ file, text, ...way }: WayOut): readonly Step[] => {
    const path = join(way.inHome === true ? homeOf(stage) : stage.work, file);
    return [writing[host](path, text), { shell: `echo '${text}' > '${path}'` }];
  });
}

/** By the gate; or by the host itself, before it asks, where a file is outside of the project. */
const refused =
  /-deny|no rule names|disarmed|not been read yet|not in workspace|requested permissions/;

function contentOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

describe.each([claude, codex, gemini, opencode])('$pin.name $pin.version', (known: Known) => {
  const found = realProgram(known, process.env);
  const host = known.host as keyof typeof waysOut;
  if (!found.ok) {
    process.stderr.write(`NOT TESTED: disarming by ${host}, because ${found.why}\n`);
    test.skip(`told to disarm the gate: not tested, because ${found.why}`);
    return;
  }
  test('told to disarm the gate in every way, it runs nothing ungated, now or in the next session', async () => {
    const stage = await setStage({
      policy: {
        ask: 'off',
        allowlist: [
          { id: 'r1', kind: 'edit', pattern: '**' },
          { id: 'r2', pattern: 'echo', writes: ['**'], args: ['...'] },
        ],
      },
    });
    await startRunnerProcess(stage.paths);
    stage.tap.handAll();
    const all = attempts(host, stage);
    const sessions = [[...all, { shell: stage.command }], [{ shell: stage.command }]];
    for (const steps of sessions) {
      const model = await startScript(steps);
      const started = known.launch(found.path, stage, { model: model.address, gated: true });
      const said = await started.ended;
      expect(model.results(), said).toHaveLength(steps.length);
      for (const result of model.results()) expect(result).toMatch(refused);
    }
    expect(stage.timesRun()).toBe(0);
    for (const { file, text, ...way } of waysOut[host] as readonly WayOut[])
      expect(contentOf(join(way.inHome === true ? homeOf(stage) : stage.work, file))).not.toBe(
        text,
      );
    expect(stage.recorded().every((row) => row.startsWith('deny'))).toBe(true);
  });
});
