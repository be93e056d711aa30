import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { withHooks } from '../../shared/agents/edit-settings.ts';
import { hookCommand, hookWords } from '../../shared/agents/hook-command.ts';
import { toolGroups } from '../../shared/agents/hook-entries.ts';
import type { AgentHost } from '../../shared/agents/list.ts';
import { pluginTemplate, pluginText } from '../../shared/agents/plugin.ts';
import { recordOf } from '../../shared/agents/registry.ts';
import { hookFile } from '../../shared/agents/settings-file.ts';
import { quoteWord } from '../../shared/engine/parse/shell-quote.ts';
import { quickest } from '../runner/hook/support.ts';
import { startRunnerProcess } from '../runner/service/support.ts';
import { recordedInput } from './support/recorded.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

vi.setConfig({ testTimeout: 240_000 });

const root = fileURLToPath(new URL('../../', import.meta.url));
const evil = 'export default () => {}';
const off = '{"disableAllHooks":true}';

/** How an agent writes a file, and every file by which its settings let it get rid of the gate. */
interface Ways {
  readonly write: (
    path: string,
    content: string,
  ) => { readonly tool: string; readonly input: object };
  /** In the project, or after `~/` in the person's home. */
  readonly files: Readonly<Record<string, string>>;
}

const ways: Readonly<Partial<Record<AgentHost, Ways>>> = {
  copilot: {
    write: (path, content) => ({ tool: 'create', input: { path, file_text: content } }),
    files: {
      '.github/copilot/settings.json': off,
      '.github/copilot/settings.local.json': off,
      '.claude/settings.json': off,
      '.claude/settings.local.json': off,
      '.github/hooks/later.json': '{"version":1,"hooks":{}}',
      '~/.copilot/hooks/later.json': '{"version":1,"hooks":{}}',
      '~/.copilot/hooks/interlock.json': '{"version":1}',
      '~/.copilot/settings.json': off,
      '~/.copilot/config.json': off,
    },
  },
  droid: {
    write: (path, content) => ({ tool: 'Create', input: { file_path: path, content } }),
    files: {
      '.factory/hooks.json': '{"hooksDisabled":true}',
      '.factory/settings.json': '{"hooks":{"PreToolUse":[]}}',
      '.factory/settings.local.json': '{"hooksDisabled":true}',
      '~/.factory/hooks.json': '{"hooksDisabled":true}',
      '~/.factory/settings.json': '{}',
    },
  },
  pi: {
    write: (path, content) => ({ tool: 'write', input: { path, content } }),
    files: {
      '.pi/extensions/later.ts': evil,
      '.pi/extensions/later/index.ts': evil,
      '.pi/settings.json': '{"extensions":["../x.ts"]}',
      '~/.pi/agent/extensions/later.js': evil,
      '~/.pi/agent/extensions/interlock.js': evil,
      '~/.pi/agent/settings.json': '{"extensions":["-extensions/interlock.js"]}',
    },
  },
  kilo: {
    write: (path, content) => ({ tool: 'write', input: { filePath: path, content } }),
    files: {
      '.kilo/plugin/later.js': evil,
      '.kilo/plugins/later.ts': evil,
      '.kilocode/plugin/later.js': evil,
      '.kilocode/plugins/later.js': evil,
      'kilo.json': '{"plugin":["file:///x.js"]}',
      '.kilo/kilo.json': '{"plugin":["file:///x.js"]}',
      '~/.config/kilo/plugin/later.js': evil,
      '~/.config/kilo/plugin/interlock.js': evil,
      '~/.config/kilo/kilo.json': '{"plugin":["file:///x.js"]}',
    },
  },
};

/** Asks the real hook program as the host does, and returns what it says. */
function ask(stage: Stage, host: AgentHost, tool: string, input: object): string {
  const command = { ...stage.hookFor(host), ...quickest };
  const isPlugin = recordOf(host).keeping.kind === 'plugin';
  const named = {
    copilot: { cwd: stage.work, toolName: tool, toolArgs: input },
    droid: { cwd: stage.work, tool_name: tool, tool_input: input },
  }[host as 'copilot' | 'droid'];
  const told = {
    ...recordedInput(host),
    ...(named ?? { directory: stage.work, tool, args: input }),
  };
  const [program = '', ...words] = isPlugin
    ? hookWords(command)
    : ['/bin/sh', '-c', hookCommand(command)];
  const options = { cwd: stage.work, encoding: 'utf8', input: JSON.stringify(told) } as const;
  const { stdout, stderr } = spawnSync(program, words, options);
  return stdout + stderr;
}

/** The hook where the installer puts it for the person. */
function install(stage: Stage, host: AgentHost, home: string): void {
  const { keeping } = recordOf(host);
  const command = { ...stage.hookFor(host), ...quickest };
  const path = hookFile(host, { env: { HOME: home }, project: null });
  const text =
    keeping.kind === 'plugin'
      ? pluginText(pluginTemplate(root, keeping.asset), { command, tools: toolGroups })
      : withHooks(
          null,
          { command: hookCommand(command), seconds: 300, tools: keeping.format.tools },
          keeping.format,
        );
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The file, and the folders of the project that were made for it. */
function takeAway(path: string, work: string): void {
  rmSync(path, { recursive: true });
  if (dirname(path).startsWith(`${work}/`)) takeAway(dirname(path), work);
}

describe.each(Object.entries(ways))('%s, told to get rid of the gate', (name, { write, files }) => {
  const host = name as AgentHost;

  test('writes no file that would, and is stopped where one was written all the same', async () => {
    const stage = await setStage({
      policy: {
        allowlist: [
          { id: 'r1', pattern: 'mktemp' },
          { id: 'r2', kind: 'edit', pattern: '**' },
          { id: 'r3', pattern: 'echo', writes: ['**'] },
        ],
      },
    });
    const { paths, work, command, folder } = stage;
    const home = join(folder, 'person');
    const shell = host === 'droid' ? 'Execute' : 'bash';
    install(stage, host, home);
    await startRunnerProcess(paths, 'dist/runner/main.js', { HOME: home });
    expect(ask(stage, host, shell, { command })).toContain('--ticket');
    const plain = write(join(work, 'a.ts'), 'x');
    expect(ask(stage, host, plain.tool, plain.input)).not.toContain('deny');
    const places = Object.entries(files).map(
      ([path, text]) =>
        [path.startsWith('~/') ? join(home, path.slice(2)) : join(work, path), text] as const,
    );
    for (const [path, text] of places) {
      const { tool, input } = write(path, text);
      expect(ask(stage, host, tool, input), path).toContain('no rule names');
      const said = `echo ${quoteWord(text)} > ${quoteWord(path)}`;
      expect(ask(stage, host, shell, { command: said }), path).toContain('no rule names');
    }
    for (const [path, text] of places) {
      const before = existsSync(path) ? readFileSync(path) : null;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      expect(ask(stage, host, shell, { command }), path).toContain('gate-disarmed');
      if (before === null) takeAway(path, work);
      else writeFileSync(path, before);
      expect(ask(stage, host, shell, { command }), path).toContain('--ticket');
    }
    expect(stage.timesRun()).toBe(0);
  });
});
